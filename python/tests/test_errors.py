"""Mistakes lead to one clear sentence, and nothing is created."""

import pytest

import retropg

WRONG = [
    ({"env": "CartPol"}, "unknown environment 'CartPol'; did you mean 'CartPole-v1'?"),
    ({"env": "CartPole", "algo": "rpgg"}, "unknown algorithm 'rpgg'; did you mean 'rpg'?"),
    ({"policy": "liner"}, "unknown policy 'liner'; did you mean 'linear'?"),
    ({"batch": "many"}, 'batch = "many": algo.batch must be a whole number'),
    ({"batch": 2.5}, "batch = 2.5: algo.batch must be a whole number"),
    ({"batch": 0}, "batch = 0: algo.batch must be"),
    ({"batch": True}, "batch = true: algo.batch must be"),
    ({"algo": "gpomdp", "window": 4}, "window = 4: gpomdp does not read algo.window"),
    ({"settings": {"algo.windw": 4}}, "algo.windw = 4: unknown key 'algo.windw'; did you mean 'algo.window'?"),
    ({"settings": {"optimizer.rate": float("nan")}}, "optimizer.rate"),
    ({"settings": {"optimizer.rate": None}}, "optimizer.rate: must be a bool, int, float, str"),
    ({"settings": {"nes.gain": 2.0}, "algo": "rpg"}, "nes.gain = 2.0: rpg does not read nes.gain"),
    ({"preset": "papr"}, "preset must be own, paper or none, not 'papr'"),
    ({"config": "missing.toml"}, "missing.toml"),
]


@pytest.mark.parametrize("arguments, message", WRONG)
def test_wrong_arguments_are_refused(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = {"env": "CartPole", **arguments}
    with pytest.raises(retropg.Error) as caught:
        retropg.train(**arguments, out="run")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_exists_is_refused(tmp_path):
    with pytest.raises(retropg.Error, match="exists"):
        retropg.train("CartPole", out=tmp_path)


def test_folders_that_are_no_runs_are_refused(tmp_path):
    for function in (retropg.load, retropg.resume, retropg.Policy.load):
        with pytest.raises(retropg.Error, match="does not exist"):
            function(tmp_path / "none")
        with pytest.raises(retropg.Error, match="not a run folder"):
            function(tmp_path)


def test_errors_are_of_retropg():
    assert issubclass(retropg.RunError, retropg.Error)
    assert issubclass(retropg.Error, ValueError)
    assert repr(retropg.Error) == "<class 'retropg.Error'>"


def test_keys_are_explained():
    text = retropg.explain("algo.window")
    assert "number of batches" in text or "batches" in text
    assert "rpg" in text
    assert "optimizer.beta1" in retropg.explain("optimizer")
    with pytest.raises(retropg.Error, match="did you mean"):
        retropg.explain("algo.windw")


def test_names_are_listed():
    assert "rpg" in retropg.algorithms()
    assert "CartPoleContinuous-v0" in retropg.environments()
    assert "linear-gaussian" in retropg.policies()
