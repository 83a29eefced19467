-- Which names are not part of any mention?
SELECT n.type, string_agg(t.form, ' ' ORDER BY t.token) AS name, d.name AS document, n.start, n."end"
FROM name n JOIN document d ON d.id = n.document
  JOIN token t ON t.document = n.document AND t.token BETWEEN n.start AND n."end"
WHERE d.side = $side AND NOT EXISTS (
  SELECT 1 FROM mention m WHERE m.document = n.document AND m.start <= n.start AND m."end" >= n."end")
GROUP BY d.id, d.name, n.name, n.type, n.start, n."end" ORDER BY d.id, n.name
