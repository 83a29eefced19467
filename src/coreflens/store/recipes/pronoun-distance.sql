-- How many sentences lie between a pronoun and its antecedent?
-- The antecedent is the previous mention of the same entity. A pronoun that begins its chain has none.
SELECT distance, count(*) AS pronouns FROM (
  SELECT m.type, m.sentence - lag(m.sentence) OVER (PARTITION BY m.document, m.entity ORDER BY m.row) AS distance
  FROM mention m JOIN document d ON d.id = m.document WHERE d.side = $side)
WHERE type = 'pronoun' AND distance IS NOT NULL
GROUP BY distance ORDER BY distance
