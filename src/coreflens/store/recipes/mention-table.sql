-- Which mentions are there, as a table that other commands read?
-- With -o mentions.parquet it is the input of the engines and of convert. Of sides that count tokens.
SELECT m.doc, m.part, m.start, m."end", m.entity
FROM mention m JOIN document d ON d.id = m.document
WHERE d.side = $side AND m.start IS NOT NULL
ORDER BY d.id, m.row
