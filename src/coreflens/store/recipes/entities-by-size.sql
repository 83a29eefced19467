-- How many entities of each size are there, by genre?
SELECT d.genre, e.mentions AS size, count(*) AS entities
FROM entity e JOIN document d ON d.id = e.document
WHERE d.side = $side AND e.mentions > 0
GROUP BY d.genre, e.mentions ORDER BY d.genre, e.mentions
