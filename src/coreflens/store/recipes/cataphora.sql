-- Which chains begin with a pronoun that is followed by something else?
SELECT d.name AS document, d.part, m.entity, m.text AS pronoun, n.text AS next, m.line
FROM mention m JOIN document d ON d.id = m.document
  JOIN (SELECT *, row_number() OVER (PARTITION BY document, entity ORDER BY row) AS turn FROM mention) n
    ON n.document = m.document AND n.entity = m.entity AND n.turn = 2
WHERE d.side = $side AND m.type = 'pronoun' AND n.type <> 'pronoun'
  AND NOT EXISTS (SELECT 1 FROM mention b WHERE b.document = m.document AND b.entity = m.entity AND b.row < m.row)
ORDER BY d.id, m.row
