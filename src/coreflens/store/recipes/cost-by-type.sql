-- What do errors cost, by type of mention?
-- The sum of what the CoNLL average gains, in points, when each error alone is corrected.
SELECT type, count(*) AS errors, 100 * sum(price) AS points
FROM error WHERE response = $response
GROUP BY type ORDER BY points DESC, type
