"""A text in SACR."""

from __future__ import annotations

SACR = """#title: Fable
#textid: aesop

{Peasant:function="s subject",head="1" A Peasant} found
{Eagle an {Bird:kind=x,head=0 eagle}} in a {set} of {1}.
# no comment within a paragraph

*****
#speaker: Eagle

"{Peasant You},"

#speaker:

it said.
"""
