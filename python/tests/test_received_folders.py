"""Run folders made by somebody else."""

from __future__ import annotations

import os
import pathlib

import pytest
import retropg


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "r"
    retropg.train("LQR", "gpomdp", iterations=2, settings={"train.eval_every": 1}, preset="none", out=path)
    (tmp_path / "outside").write_text("{}")
    return path


@pytest.mark.parametrize("name", ["progress.csv", "metrics.jsonl", "evaluations.csv", "result.json", "config.toml"])
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_what_is_no_plain_file_is_refused(folder: pathlib.Path, name: str, kind: str) -> None:
    (folder / name).unlink()
    if kind == "link":
        (folder / name).symlink_to(folder.parent / "outside")
    else:
        os.mkfifo(folder / name)
    with pytest.raises(retropg.Error, match="cannot read .*link" if kind == "link" else "is not a regular file"):
        run = retropg.load(folder)
        assert run.result is not None and len(run.returns) == 2
