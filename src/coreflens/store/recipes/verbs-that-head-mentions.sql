-- Which verbs are heads of mentions?
-- These mentions are events that corefer.
SELECT lower(t.form) AS verb, t.tag, count(*) AS mentions
FROM mention m JOIN document d ON d.id = m.document
  JOIN token t ON t.document = m.document AND t.token = m.head
WHERE d.side = $side AND m.type = 'verb'
GROUP BY verb, t.tag ORDER BY mentions DESC, verb, t.tag
