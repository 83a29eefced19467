-- Which arguments of predicates are mentions?
SELECT a.label, count(*) AS arguments,
  count(*) FILTER (WHERE EXISTS (
    SELECT 1 FROM mention m WHERE m.document = a.document AND m.start = a.start AND m."end" = a."end")) AS mentions
FROM argument a JOIN document d ON d.id = a.document
WHERE d.side = $side
GROUP BY a.label ORDER BY arguments DESC, a.label
