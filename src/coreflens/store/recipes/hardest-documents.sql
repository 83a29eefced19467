-- In which documents is a response worst?
-- $metric = conll
SELECT d.name AS document, d.part, coalesce(s.f1, s.value) AS score
FROM score s JOIN document d ON d.id = s.document
WHERE s.response = $response AND s.metric = $metric
ORDER BY score, d.id
