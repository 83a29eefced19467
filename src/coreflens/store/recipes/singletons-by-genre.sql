-- What share of the entities are singletons, by genre?
SELECT d.genre, count(*) AS entities, count(*) FILTER (WHERE e.mentions = 1) AS singletons,
  count(*) FILTER (WHERE e.mentions = 1) / count(*) AS share
FROM entity e JOIN document d ON d.id = e.document
WHERE d.side = $side AND e.mentions > 0
GROUP BY d.genre ORDER BY d.genre
