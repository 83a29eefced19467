-- What are the antecedents of pronouns: names, nominals, other pronouns?
SELECT antecedent, count(*) AS pronouns FROM (
  SELECT m.type, lag(m.type) OVER w AS antecedent, lag(m.row) OVER w AS before
  FROM mention m JOIN document d ON d.id = m.document WHERE d.side = $side
  WINDOW w AS (PARTITION BY m.document, m.entity ORDER BY m.row))
WHERE type = 'pronoun' AND before IS NOT NULL
GROUP BY antecedent ORDER BY pronouns DESC, antecedent
