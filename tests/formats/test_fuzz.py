"""A short run of tests/support/fuzz_readers.py, which says what it does; docs/real-files.md has a long one."""

from __future__ import annotations

import subprocess
import sys

import pytest

from coreflens.errors import InputError
from coreflens.formats import FORMATS, recognise
from coreflens.formats.shared.source import Source
from places import ROOT
from texts import booknlp, conllua


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [20, pytest.param(200, marks=pytest.mark.endurance)])
def test_damaged_files_are_read_or_refused(rounds: int) -> None:
    """Each format so many times. In a process of its own: it limits time and memory."""
    script = ROOT / "tests" / "support" / "fuzz_readers.py"
    command = [sys.executable, str(script), "--count", str(rounds * len(FORMATS)), "--seed", "7"]
    run = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    assert " 0 failures" in run.stdout


def test_what_it_found() -> None:
    """Once other errors than InputError, or corpora that were not sound."""
    with pytest.raises(InputError, match="no token line"):
        FORMATS["conllu"].module.read(Source(b"", "a"))
    with pytest.raises(InputError, match="no document"):
        FORMATS["conllu"].module.read(Source(b"# a\nx\tw\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1)\n", "a", lenient=True))
    with pytest.raises(InputError):
        recognise(Source(b"a\t1\t" + b"9" * 5000 + b"\te\n", "a"))
    tokens = booknlp.TOKENS.replace("compound\t1", "compound\t" + "9" * 5000)
    FORMATS["booknlp"].module.read(Source(booknlp.ENTITIES.encode(), "a.entities", "", lambda _: tokens.encode()))
    text = conllua.FULL.replace("(EntityID=2|", "(EntityID=2|(")
    corpus = FORMATS["conllua"].module.read(Source(text.encode(), "a", lenient=True))
    assert all(relation.source >= 0 for relation in corpus.relations)
