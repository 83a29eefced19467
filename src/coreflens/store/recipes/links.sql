-- How many relations other than identity are there, by kind?
SELECT l.kind, l.label, count(*) AS links
FROM link l JOIN document d ON d.id = l.document
WHERE d.side = $side
GROUP BY l.kind, l.label ORDER BY links DESC, l.kind, l.label
