-- Which words are most often heads of mentions?
-- $top = 50
SELECT lower(t.form) AS head, count(*) AS mentions
FROM mention m JOIN document d ON d.id = m.document
  JOIN token t ON t.document = m.document AND t.token = m.head
WHERE d.side = $side
GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT CAST($top AS INTEGER)
