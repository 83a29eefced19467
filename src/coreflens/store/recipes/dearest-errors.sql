-- Which single errors cost most?
-- $top = 20
SELECT e.kind, e.text, e.of, 100 * e.price AS points, e.place
FROM error e WHERE e.response = $response
ORDER BY e.price DESC, e.number LIMIT CAST($top AS INTEGER)
