-- What are mentions: names, nominals, pronouns, verbs?
SELECT m.type, count(*) AS mentions, avg(m."end" - m.start + 1) AS mean_length
FROM mention m JOIN document d ON d.id = m.document
WHERE d.side = $side
GROUP BY m.type ORDER BY mentions DESC, m.type
