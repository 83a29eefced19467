-- What do errors cost, by class?
-- The sum of what the CoNLL average gains, in points, when each error alone is corrected.
SELECT kind, count(*) AS errors, 100 * sum(price) AS points
FROM error WHERE response = $response
GROUP BY kind ORDER BY points DESC, kind
