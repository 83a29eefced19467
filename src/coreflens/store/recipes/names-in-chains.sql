-- How many names are mentions, and how many are at least inside a mention?
SELECT n.type, count(*) AS names,
  count(*) FILTER (WHERE EXISTS (
    SELECT 1 FROM mention m WHERE m.document = n.document AND m.start = n.start AND m."end" = n."end")) AS mentions,
  count(*) FILTER (WHERE EXISTS (
    SELECT 1 FROM mention m WHERE m.document = n.document AND m.start <= n.start AND m."end" >= n."end")) AS inside
FROM name n JOIN document d ON d.id = n.document
WHERE d.side = $side
GROUP BY n.type ORDER BY names DESC, n.type
