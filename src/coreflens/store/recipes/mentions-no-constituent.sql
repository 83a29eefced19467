-- Which mentions are not constituents of the tree?
-- Lists mentions of several words in documents with trees. A single word is a constituent.
SELECT d.name AS document, m.sentence, m.text, m.line
FROM mention m JOIN document d ON d.id = m.document
WHERE d.side = $side AND m.node IS NULL AND m.start < m."end" AND m.pieces IS NULL
  AND m.document IN (SELECT document FROM node)
ORDER BY d.id, m.row
