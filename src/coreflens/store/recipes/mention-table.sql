-- Which mentions are there, as a table that other commands read?
-- With -o mentions.parquet, the answer is an input for the engines and for convert. The side must count tokens.
SELECT m.doc, m.part, m.start, m."end", m.entity
FROM mention m JOIN document d ON d.id = m.document
WHERE d.side = $side AND m.start IS NOT NULL
ORDER BY d.id, m.row
