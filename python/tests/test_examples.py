"""The examples run."""

import re
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


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/own-environment.md", "docs/own-loop.md"])
def test_the_blocks_of_a_page_run_one_after_another(page, tmp_path):
    blocks = re.findall(r"^```python\n(.*?)^```", (SOURCE / page).read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    done = subprocess.run(**python("-c", "\n".join(blocks)), cwd=tmp_path, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
