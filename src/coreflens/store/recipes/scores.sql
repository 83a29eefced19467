-- What are the scores of all responses?
SELECT response, metric, recall, precision, coalesce(f1, value) AS score
FROM score WHERE document IS NULL
ORDER BY response, metric
