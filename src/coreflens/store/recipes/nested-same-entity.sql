-- Which mentions lie inside another mention of the same entity?
SELECT d.name AS document, a.entity, a.text AS outer_mention, b.text AS inner_mention, b.line
FROM mention a JOIN mention b ON b.document = a.document AND b.entity = a.entity AND b.row <> a.row
    AND b.start >= a.start AND b."end" <= a."end" AND (b.start > a.start OR b."end" < a."end")
  JOIN document d ON d.id = a.document
WHERE d.side = $side
ORDER BY d.id, a.row, b.row
