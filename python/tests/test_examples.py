"""The examples run."""

import subprocess

import pytest
from conftest import SOURCE, python

EXAMPLES = sorted((SOURCE / "examples" / "python").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(example, tmp_path):
    done = subprocess.run(**python(example), cwd=tmp_path, capture_output=True, timeout=120)
    if done.returncode != 0 and "ModuleNotFoundError" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
    assert done.stdout
