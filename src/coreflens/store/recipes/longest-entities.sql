-- Which entities have the most mentions?
-- Shows the sentences of their first and last mention, and the words of the first.
-- $top = 20
SELECT d.name AS document, d.part, e.entity, e.mentions, min(m.sentence) AS first_sentence,
  max(m.sentence) AS last_sentence, arg_min(m.text, m.row) AS first_mention
FROM entity e JOIN document d ON d.id = e.document
  JOIN mention m ON m.document = e.document AND m.entity = e.entity
WHERE d.side = $side
GROUP BY d.id, d.name, d.part, e.entity, e.number, e.mentions
ORDER BY e.mentions DESC, d.id, e.number LIMIT CAST($top AS INTEGER)
