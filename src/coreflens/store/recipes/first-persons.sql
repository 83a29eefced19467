-- To how many entities do the first persons of each speaker refer?
-- One is expected: the speaker. Only English pronouns of the first person singular are counted.
SELECT d.name AS document, d.part, t.speaker, count(*) AS pronouns, count(DISTINCT m.entity) AS entities
FROM mention m JOIN document d ON d.id = m.document
  JOIN token t ON t.document = m.document AND t.token = m.start
WHERE d.side = $side AND m.start = m."end" AND lower(t.form) IN ('i', 'me', 'my', 'mine', 'myself')
GROUP BY d.id, d.name, d.part, t.speaker ORDER BY d.id, t.speaker
