"""Three lines of GAP."""

from __future__ import annotations

HEADER = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n"
TSV = (
    HEADER
    + 'd-1\tAnn é met "Eve" as she left.\tshe\t19\tAnn\t0\tTRUE\tEve\t11\tFALSE\thttp://x/1\n'
    + "d-2\tBo and Al said he ate.\the\t15\tBo\t0\tFALSE\tAl\t7\tFALSE\thttp://x/2\n"
    + "d-3\tBo saw Bo as he ate.\the\t13\tBo\t0\tTRUE\tBo\t7\tTRUE\thttp://x/3\n"
)
