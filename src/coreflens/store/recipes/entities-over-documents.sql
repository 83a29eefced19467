-- Which labels of entities occur in several documents?
-- This is meaningful if labels mean the same in all documents, as in ECB+.
SELECT e.entity, count(*) AS documents, sum(e.mentions) AS mentions
FROM entity e JOIN document d ON d.id = e.document
WHERE d.side = $side AND e.mentions > 0
GROUP BY e.entity HAVING count(*) > 1 ORDER BY documents DESC, mentions DESC, e.entity
