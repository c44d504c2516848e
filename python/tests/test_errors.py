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
    ({"preset": 5}, "preset must be own, paper or none, not 5"),
    ({"config": "missing.toml"}, "missing.toml"),
    ({"settings": ["optimizer.rate"]}, "settings must be a dict with keys such as"),
    ({"settings": {5: 1}}, "settings must be a dict with keys such as"),
    ({"callback": 5}, "callback must be a function of a record, not 5"),
    ({"workers": 2}, "workers= is for environments of Gymnasium; CartPole runs on threads="),
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


def test_wrong_arguments_of_other_functions_are_refused(run, tmp_path):
    policy = run.policy
    for call, message in [
        (lambda: run.evaluate(episodes=10.0), "episodes must be a whole number from 2 to 10000000, not 10.0"),
        (lambda: run.evaluate(seed=-1), "seed must be a whole number from 0 to"),
        (lambda: run.evaluate(threads=-1), "threads must be a whole number from 0 to 1024, not -1"),
        (lambda: policy.seed(1.5), "seed must be a whole number"),
        (lambda: policy.predict("left"), "observation: expected numbers, not <U4"),
        (lambda: policy.predict([[1.0, 2.0], [3.0]]), "observation: rows have different lengths"),
        (lambda: policy.predict([1.0, 2.0]), "the policy expects 4 observations, not 2"),
        (lambda: retropg.Policy("linear"), "the arguments of a policy have names"),
        (lambda: retropg.Policy(observation_size=2.0, action_size=1), "observation_size must be a whole number"),
        (lambda: retropg.Agent(observation_size=2, action_count=1, horizon=5), "action_count must be a whole number from 2"),
        (lambda: retropg.Agent.restore("state"), "the state must be bytes"),
        (lambda: retropg.estimate([], "rpg", [0.0]), "policy must be a retropg.Policy, not 'rpg'"),
        (lambda: retropg.collect("CartPole", policy, count=0), "count must be a whole number of at least 1, not 0"),
        (lambda: retropg.compare("CartPole", [], budget=10), "algos must be names of algorithms"),
        (lambda: retropg.compare("CartPole", ["rpg", 5], budget=10), "algos must be names of algorithms"),
        (lambda: retropg.compare("CartPole", budget=10, seeds=1), "seeds must be a whole number from 2 to 100000, not 1"),
        (lambda: retropg.plot([1]), "plot needs at least one retropg.Run"),
        (lambda: retropg.resume(tmp_path, iterations=2.5), "iterations must be a whole number of at least 1, not 2.5"),
        (lambda: retropg.evaluate(retropg.Policy(observation_size=2, action_size=1)), "no environment to evaluate it in"),
    ]:
        with pytest.raises(retropg.Error) as caught:
            call()
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)


def test_messages_name_arguments_instead_of_flags(tmp_path):
    with pytest.raises(retropg.Error, match="already exists; choose a new folder with out=$"):
        retropg.train("CartPole", out=tmp_path)
    retropg.train("CartPole", iterations=1, out=tmp_path / "run")
    with pytest.raises(retropg.Error, match="make it longer with iterations=$"):
        retropg.resume(tmp_path / "run", steps=500)


def test_folders_that_are_no_runs_are_refused(tmp_path):
    for function in (retropg.load, retropg.resume, retropg.Policy.load):
        with pytest.raises(retropg.Error, match="does not exist"):
            function(tmp_path / "none")
        with pytest.raises(retropg.Error, match="not a run folder"):
            function(tmp_path)


@pytest.mark.parametrize("name", ["progress.csv", "metrics.jsonl", "result.json"])
@pytest.mark.parametrize("content", [b"\xff\xfe\n", b"[" * 100_000 + b"\n", b"a,b\n1,2,3\n"])
def test_a_damaged_file_is_named(name, content, tmp_path):
    retropg.train("CartPole", iterations=1, out=tmp_path / "run")
    (tmp_path / "run" / name).write_bytes(content)
    run = retropg.load(tmp_path / "run")
    with pytest.raises(retropg.Error, match=f"{name}: is damaged; `retropg doctor .*run` says where"):
        assert run.result if name == "result.json" else run.returns


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
