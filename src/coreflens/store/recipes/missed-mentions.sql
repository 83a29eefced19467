-- Which mentions of the key does a response miss, by type?
SELECT m.type, count(*) AS mentions, count(*) FILTER (WHERE a.response_row IS NULL) AS missed
FROM alignment a JOIN mention m ON m.document = a.document AND m.row = a.key_row
WHERE a.response = $response
GROUP BY m.type ORDER BY mentions DESC, m.type
