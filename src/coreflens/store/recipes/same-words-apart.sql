-- Which words name different entities of one document?
-- Lists names with the same spelling that are in several entities.
SELECT d.name AS document, d.part, m.text, count(DISTINCT m.entity) AS entities, count(*) AS mentions
FROM mention m JOIN document d ON d.id = m.document
WHERE d.side = $side AND m.type = 'name'
GROUP BY d.id, d.name, d.part, m.text HAVING count(DISTINCT m.entity) > 1
ORDER BY d.id, m.text
