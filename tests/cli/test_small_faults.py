"""Small faults that use has found: a table of labels without header, ids with a slash first, notes that count twice."""

from __future__ import annotations

from pathlib import Path

from command import Run, conll


def test_labels_without_a_header(tmp_path: Path, run: Run) -> None:
    key, labels = tmp_path / "key.conll", tmp_path / "labels.csv"
    key.write_text(conll("(1)", "(1)", name="a") + conll("(1)", "(1)", name="b"), "utf-8")
    labels.write_text("a,news\nb,talk\n", "utf-8")
    ran = run("score", key, key, "--by", labels)
    assert ran.code == 3 and "no label for document 'a'" in ran.err
    assert "line 1 is read as the header" in ran.err
    labels.write_text("document,genre\nb,talk\n", "utf-8")
    assert "line 1" not in run("score", key, key, "--by", labels).err


def test_layers_of_ids_with_a_slash_first(tmp_path: Path, run: Run) -> None:
    key, out = tmp_path / "key.conll", tmp_path / "out"
    line = "{}\t0\t{}\t{}\t{}\t{}\t-\t-\t-\t-\t*\t{}\n"
    rows = [("John", "NNP", "(TOP(S(NP*)", "(1)"), ("saw", "VBD", "(VP*", "-"), ("him", "PRP", "(NP*))))", "(1)")]
    for name in ("/nw/a", "nw/b"):
        text = "".join(line.format(name, i, *row) for i, row in enumerate(rows))
        key.write_text(f"#begin document ({name}); part 000\n{text}\n#end document\n", "utf-8")
        ran = run("task", "layers", key, out)
        assert ran.code == 0, ran.err
        assert (out / f"{name.lstrip('/')}.coref").is_file()
    key.write_text(key.read_text("utf-8").replace("nw/b", "../b"), "utf-8")
    assert run("task", "layers", key, out).code == 2


def test_a_manifest_counts_repeated_mentions_once(tmp_path: Path, run: Run) -> None:
    (tmp_path / "key.conll").write_text(conll("(1)|(2)", "(1)", "(2)"), "utf-8")
    systems = []
    for track in ("open", "closed"):
        (tmp_path / f"{track}.conll").write_text(conll("(1)", "(1)", "(2)"), "utf-8")
        systems.append(f'[[system]]\nname = "{track}"\nfiles = "{track}.conll"\ntrack = "{track}"\n')
    manifest = tmp_path / "all.toml"
    manifest.write_text('key = "key.conll"\n' + "".join(systems), "utf-8")
    ran = run("compare", manifest)
    assert ran.code == 0, ran.err
    assert "1 repeated mention in the key" in ran.err and "2 repeated mention" not in ran.err


def test_what_a_macro_average_is_over(run: Run) -> None:
    help_ = " ".join(run("score", "--help-all").out.split())
    assert "R, P and F1 are each averaged over the documents" in help_
