-- How many mentions are constituents, by genre?
-- Only documents with trees count. A single word is a constituent.
SELECT d.genre, count(*) AS mentions,
  count(*) FILTER (WHERE m.node IS NOT NULL OR m.start = m."end") AS constituents,
  count(*) FILTER (WHERE m.node IS NULL AND m.start < m."end") AS others
FROM mention m JOIN document d ON d.id = m.document
WHERE d.side = $side AND m.document IN (SELECT document FROM node)
GROUP BY d.genre ORDER BY d.genre
