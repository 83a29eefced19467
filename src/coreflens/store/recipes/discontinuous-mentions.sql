-- Which mentions have several pieces?
SELECT d.name AS document, m.entity, len(m.pieces) AS pieces, m.text, m.line
FROM mention m JOIN document d ON d.id = m.document
WHERE d.side = $side AND m.pieces IS NOT NULL
ORDER BY d.id, m.row
