-- How many entities are mentioned by one speaker, by two, or by more?
SELECT speakers, count(*) AS entities FROM (
  SELECT m.document, m.entity, count(DISTINCT t.speaker) AS speakers
  FROM mention m JOIN document d ON d.id = m.document
    JOIN token t ON t.document = m.document AND t.token = m.start
  WHERE d.side = $side AND t.speaker IS NOT NULL
  GROUP BY m.document, m.entity)
GROUP BY speakers ORDER BY speakers
