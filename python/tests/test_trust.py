"""Files of others name environments: none makes Python import a module unless the caller trusts it."""

import subprocess
import sys

import pytest
import retropg
from conftest import python

MODULE = """
import gymnasium, pathlib
pathlib.Path("imported").touch()
gymnasium.register("Line-v0", entry_point="gym_examples:Point", max_episode_steps=5)
"""


@pytest.fixture
def received(tmp_path, monkeypatch):
    """A run folder and a policy file as another process made them, with the module beside them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "their_tasks.py").write_text(MODULE)
    code = f"""
import sys; sys.path[:0] = [".", {sys.path[1:]!r}[0]]; sys.path.extend({sys.path!r})
import retropg
retropg.train("their_tasks:Line-v0", iterations=1, out="run").policy.save("policy.safetensors")
"""
    done = subprocess.run(**python("-c", code), cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    (tmp_path / "imported").unlink()
    yield tmp_path
    sys.modules.pop("their_tasks", None)


@pytest.mark.parametrize("call, advice", [
    (lambda **trust: retropg.resume("run", iterations=2, **trust), "retropg.resume('run', iterations=2, trust=True)"),
    (lambda **trust: retropg.load("run").evaluate(2, **trust), "retropg.load('run', trust=True).evaluate()"),
    (lambda **trust: retropg.load("run", **trust).evaluate(2), "retropg.load('run', trust=True).evaluate()"),
    (lambda **trust: retropg.evaluate("run", 2, **trust), "retropg.evaluate('run', trust=True)"),
    (lambda **trust: retropg.evaluate("policy.safetensors", 2, **trust),
     "retropg.evaluate('policy.safetensors', trust=True)"),
    (lambda **trust: retropg.evaluate(retropg.Policy.load("policy.safetensors"), 2, **trust),
     "retropg.evaluate(policy, trust=True)"),
])
def test_a_module_that_a_file_names_is_imported_only_with_trust(call, advice, received):
    with pytest.raises(retropg.Error) as caught:
        call()
    assert str(caught.value) == ("the environment gymnasium:their_tasks:Line-v0 makes Python import their_tasks, which can "
                                 f"do anything; if you trust it: {advice}")
    assert not (received / "imported").exists()
    call(trust=True)
    assert (received / "imported").exists()
    call()  # it is imported now


def test_what_the_caller_names_is_imported(received):
    retropg.resume("run", iterations=2, env="their_tasks:Line-v0")
    assert (received / "imported").exists()


def test_an_id_of_gymnasium_itself_needs_no_trust(tmp_path):
    retropg.train("Pendulum-v1", iterations=1, batch=2, out=tmp_path / "run", settings={"env.horizon": 5})
    assert len(retropg.resume(tmp_path / "run", iterations=2).returns) == 2


def test_trust_is_true_or_false(tmp_path):
    for call in (lambda: retropg.resume(tmp_path, trust="yes"), lambda: retropg.evaluate(tmp_path, trust=1)):
        with pytest.raises(retropg.Error, match="trust must be True or False"):
            call()
