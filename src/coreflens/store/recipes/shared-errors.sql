-- Which errors do two responses share, by kind?
SELECT coalesce(a.kind, b.kind) AS kind, count(*) FILTER (WHERE a.number IS NOT NULL AND b.number IS NOT NULL) AS both,
  count(*) FILTER (WHERE b.number IS NULL) AS only_response, count(*) FILTER (WHERE a.number IS NULL) AS only_other
FROM (SELECT * FROM error WHERE response = $response) a
  FULL JOIN (SELECT * FROM error WHERE response = $other) b
  ON a.document = b.document AND a.kind = b.kind AND a.turn = b.turn AND a.start IS NOT DISTINCT FROM b.start
    AND a."end" IS NOT DISTINCT FROM b."end" AND a.mention IS NOT DISTINCT FROM b.mention
GROUP BY 1 ORDER BY 1
