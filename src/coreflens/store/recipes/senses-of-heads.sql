-- Do the heads of neighbouring mentions of an entity have the same sense?
-- Counts, for each word, the pairs of a mention and its antecedent whose heads are this word and have a sense.
SELECT lemma, count(*) AS pairs, count(*) FILTER (WHERE sense = before) AS same_sense FROM (
  SELECT s.lemma, s.sense, lag(s.lemma) OVER w AS lemma_before, lag(s.sense) OVER w AS before
  FROM mention m JOIN document d ON d.id = m.document
    LEFT JOIN sense s ON s.document = m.document AND s.token = m.head
  WHERE d.side = $side
  WINDOW w AS (PARTITION BY m.document, m.entity ORDER BY m.row))
WHERE lemma IS NOT NULL AND lemma = lemma_before
GROUP BY lemma ORDER BY pairs DESC, lemma
