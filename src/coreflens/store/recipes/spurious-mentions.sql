-- Which mentions of a response are not in the key?
-- Lists the most frequent words of such mentions.
-- $top = 50
SELECT lower(m.text) AS text, count(*) AS mentions
FROM alignment a JOIN mention m ON m.document = a.response_document AND m.row = a.response_row
WHERE a.response = $response AND a.key_row IS NULL
GROUP BY lower(m.text) ORDER BY mentions DESC, text LIMIT CAST($top AS INTEGER)
