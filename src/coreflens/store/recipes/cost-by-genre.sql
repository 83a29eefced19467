-- What do errors cost, by genre?
-- The sum of what the CoNLL average gains, in points, when each error alone is corrected.
SELECT d.genre, count(*) AS errors, 100 * sum(e.price) AS points
FROM error e JOIN document d ON d.id = e.document
WHERE e.response = $response
GROUP BY d.genre ORDER BY points DESC, d.genre
