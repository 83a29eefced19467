"""Lines with a cell more or less than the rest of their sentence: read and reported, or refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from command import Run
from coreflens.errors import InputError
from coreflens.formats import read
from coreflens.formats.conll.widths import widths
from places import DATA

FIVE = "d\t0\t0\tJohn\t(1)\nd\t0\t1\tsaw\t-\nd\t0\t2\thim\t(1)\nd\t0\t3\t.\t-\n"
TWELVE = "".join(
    f"d 0 {i} {word} {tag} {tree} - - - John {names} {argument} {cell}\n"
    for i, (word, tag, tree, names, argument, cell) in enumerate(
        [
            ("John", "NNP", "(S(NP*)", "(PERSON)", "(ARG0*)", "(1)"),
            ("saw", "VBD", "(VP*", "*", "(V*)", "-"),
            ("his", "PRP$", "(NP*", "*", "(ARG1*", "(2|(1)"),
            ("dog", "NN", "*)", "*", "*)", "2)"),
            ("there", "RB", "(ADVP*)))", "*", "*", "-"),
        ]
    )
)


def written(folder: Path, text: str) -> Path:
    path = folder / "f.conll"
    path.write_text(f"#begin document (d); part 000\n{text}\n#end document\n", "utf-8")
    return path


def found(path: Path) -> tuple[list[tuple[int, int, str]], list[str], list[str]]:
    """Mentions; the codes of the notes; and the places they name."""
    corpus = read(path)
    spans = [
        (int(a), int(b), str(corpus.labels[e])) for a, b, e in zip(corpus.start, corpus.end, corpus.entity, strict=True)
    ]
    notes = [issue for issue in corpus.issues if issue.code == "cells"]
    return spans, [issue.code for issue in corpus.issues], [place for issue in notes for place in issue.places]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (FIVE.replace("him\t(1)", "him\t(1)\t"), [4]),
        (FIVE.replace("(1)", "(1)\t"), [2, 4]),
        (FIVE.replace("-", "-\t"), [3, 5]),
        (FIVE.replace("\n", "\t\n"), [2, 3, 4]),  # in all lines
        (FIVE.replace("him\t(1)", "him\t(1)\t\t "), [4]),
        (FIVE.replace("saw\t-", "saw\t-\t-"), [3]),  # no mention, whichever it is
        (FIVE.replace("\t", " ").replace("John", "John Smith"), [2]),  # the fifth cell is not coreference
        (FIVE.replace("2\thim", "him"), [4]),  # a name where others have a number: it is the number that is missing
    ],
)
def test_the_last_cell_is_certain(tmp_path: Path, text: str, lines: list[int]) -> None:
    path = written(tmp_path, text)
    spans, codes, places = found(path)
    assert spans == [(0, 0, "1"), (2, 2, "1")]
    assert codes == ["cells"]
    assert [place.removeprefix(f"{path}:").split(":")[0] for place in places] == list(map(str, lines))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (FIVE.replace("him\t(1)", "him\t(1)\t-"), 4),  # behind coreference, or before it?
        (FIVE.replace("him\t(1)", "him\t-\t(1)"), 4),
        (FIVE.replace(".\t-", "-"), 5),  # the word, or coreference?
        (FIVE.replace("him\t(1)", "(1)\t"), 4),
        (TWELVE.replace("* *) 2)", "* *) 2) -"), 5),
        (TWELVE.replace("(PERSON) (ARG0*) (1)", "(PERSON) (ARG0*)"), 2),  # a role is not an entity
        (TWELVE.replace("* (V*) -", "* (V*)"), 3),
        (TWELVE.replace("* * -", "* *"), 6),
    ],
)
def test_the_last_cell_is_not_certain(tmp_path: Path, run: Run, text: str, line: int) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read(path)
    assert (caught.value.file, caught.value.line) == (str(path), line)
    checked = run("validate", path)  # the same judgement
    assert checked.code == 1 and f"{path}:{line}" in checked.out


@pytest.mark.parametrize(
    "text",
    [
        TWELVE,
        TWELVE.replace("* (V*) -", "* (V*) * -"),  # one role more: the last cell is `-` as elsewhere
        TWELVE.replace("(ARG0*) (1)", "(ARG0*) * (1)"),
        TWELVE.replace("saw VBD", "VBD"),
    ],
)
def test_columns_of_roles_and_missing_words(tmp_path: Path, text: str) -> None:
    spans, codes, _ = found(written(tmp_path, text))
    assert spans == [(0, 0, "1"), (2, 3, "2"), (2, 2, "1")]
    assert codes == ([] if text is TWELVE else ["cells"])


def test_sentences_and_documents_differ_as_they_like(tmp_path: Path) -> None:
    other = TWELVE.replace(" (ARG0*) ", " ").replace(" (V*) ", " ").replace(" (ARG1* ", " ").replace(" *) 2)", " 2)")
    other = other.replace("* * -", "* -")
    text = f"{TWELVE}\n{other}\n#end document\n#begin document (e); part 000\n{FIVE}"
    assert found(written(tmp_path, text))[1] == []


def test_empty_cells_that_mean_no_mention(tmp_path: Path) -> None:
    spans, codes, _ = found(written(tmp_path, "John\t(1)\nsaw\t\nhim\t(1)\n.\t\n"))
    assert [span[2] for span in spans] == ["1", "1"] and codes == []


def test_score_says_so(tmp_path: Path, run: Run) -> None:
    key = written(tmp_path, FIVE)
    response = tmp_path / "r.conll"
    response.write_text(key.read_text("utf-8").replace("(1)", "(1)\t"), "utf-8")
    ran = run("score", key, response, "--format", "json")
    assert ran.json["scores"]["mentions"]["f1"] == 1
    assert f"{response}:2" in ran.err and "[cells]" in ran.err
    checked = run("validate", response)
    assert checked.code == 0 and f"{response}:2:15: warning" in checked.out and "[cells]" in checked.out


real = pytest.mark.skipif(not DATA.is_dir(), reason=f"no real data at {DATA}")


@real
@pytest.mark.parametrize("folder", ["scorer_tests_coval", "scorer_tests_corefud/tests-conll"])
def test_tabs_in_the_scorers_own_tests(folder: str) -> None:
    files = [path for name in "AM" for path in sorted((DATA / folder).glob(f"TC-{name}*"))]
    assert len(files) == 21
    for path in files:
        assert found(path)[1:] == (["cells"], [f"{path}:22:15"])


@real
@pytest.mark.parametrize("system", ["lee", "aralikatte"])
def test_words_that_real_files_lack(system: str) -> None:
    path = DATA / "model_based_coref/output" / system / "wiki-grounded-output.8docs.conll"
    spans, codes, places = found(path)
    assert codes == ["cells"] and places == [f"{path}:{line}" for line in (883, 965, 1631)]
    assert len(spans) == {"lee": 108, "aralikatte": 88}[system]


@pytest.mark.parametrize("length", [20, 300, 70_000])
@pytest.mark.parametrize("separator", ["\t", " ", "  "])
def test_columns_are_counted_in_lines_of_any_length(length: int, separator: str) -> None:
    """A line of many columns is not mistaken for one of 256 or 65,536 fewer."""
    cells = [1, length // 2, length // 2 - 1, 2]
    lines = ["", "# a comment", *(separator.join(["x"] * n) for n in cells), ""]
    data = np.frombuffer("".join(f"{line}\n" for line in lines).encode(), np.uint8)
    start = np.append(0, np.flatnonzero(data == ord("\n"))[:-1] + 1)
    token = np.array([bool(line) and not line.startswith("#") for line in lines])
    assert widths(data, start, token, True).tolist() == [0, 0, *cells, 0]
