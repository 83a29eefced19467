-- What do errors cost, by distance?
-- The sum of what the CoNLL average gains, in points, when each error alone is corrected.
SELECT distance, count(*) AS errors, 100 * sum(price) AS points
FROM error WHERE response = $response
GROUP BY distance ORDER BY points DESC, distance
