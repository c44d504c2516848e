"""Training from Python is the program's training."""

import logging
import threading
import time

import numpy as np
import pytest
from conftest import needs_mujoco

import retropg

CASES = [
    pytest.param("CartPole", "rpg", {"batch": 5, "window": 4, "iterations": 30, "seed": 7}, id="rpg"),
    pytest.param("CartPole", "nes", {"budget": 200}, id="nes"),
    pytest.param("HalfCheetah", "rpg", {"batch": 4, "iterations": 5}, id="mujoco", marks=needs_mujoco),
]


@pytest.mark.parametrize("env, algo, arguments", CASES)
def test_a_run_has_the_files_of_the_program(env, algo, arguments, program, tmp_path):
    flags = [part for name, value in arguments.items() for part in (f"--{name}", value)]
    program("train", "--env", env, "--algo", algo, *flags, "--out", tmp_path / "program")
    retropg.train(env, algo, **arguments, out=tmp_path / "python")
    for name in ("config.toml", "progress.csv", "metrics.jsonl", "status", "result.json", "policy/final.safetensors"):
        assert (tmp_path / "python" / name).read_bytes() == (tmp_path / "program" / name).read_bytes(), name


def test_evaluations_are_those_of_a_folder_also_before_final_episodes(tmp_path):
    arguments = {"budget": 60, "seed": 3, "settings": {"train.eval_every": 5, "train.confirm": 6}}
    in_memory = retropg.train("CartPole", "nes", **arguments).evaluations
    in_folder = retropg.train("CartPole", "nes", **arguments, out=tmp_path / "run").evaluations
    assert in_memory["trajectories"][-1] == 54
    for name, column in in_folder.items():
        np.testing.assert_array_equal(in_memory[name], column, err_msg=name)


def test_a_run_in_memory_has_the_numbers_of_one_in_a_folder(run, tmp_path):
    same = retropg.train("CartPole", "rpg", batch=4, window=3, iterations=12, seed=2, out=tmp_path / "run")
    opened = retropg.load(tmp_path / "run")
    for other in (same, opened):
        assert other.result == run.result
        assert other.ages.tolist() == [0, 1, 2]
        for name in (
            "iterations", "trajectories", "steps", "returns", "return_std", "gradient_norm", "effective_sample_size",
            "weight_mean", "weight_max", "log_divergence_max", "skipped", "dropped", "batch_effective_sample_size",
            "batch_log_divergence", "batch_alpha", "batch_lambda",
        ):  # fmt: skip
            np.testing.assert_array_equal(getattr(other, name), getattr(run, name), err_msg=name)
        for which in ("returned", "best", "final"):
            np.testing.assert_array_equal(other.get_policy(which).parameters, run.get_policy(which).parameters)
    assert {key: value for key, value in opened.config.items() if key != "train.threads"} == {
        key: value for key, value in run.config.items() if key != "train.threads"
    }


def test_the_window_fills_up(run):
    assert run.trajectories.tolist() == list(range(4, 49, 4))
    assert run.batch_alpha.shape == (12, 3)
    assert np.isnan(run.batch_alpha[0]).tolist() == [False, True, True]
    assert not np.isnan(run.batch_alpha[2]).any()


def test_a_saved_run_can_be_opened_and_made_longer(program, tmp_path):
    short = retropg.train("CartPole", "rpg", batch=4, iterations=6)
    short.save(tmp_path / "saved")
    program("doctor", tmp_path / "saved")
    program("resume", tmp_path / "saved", "--iterations", 10)
    whole = retropg.train("CartPole", "rpg", batch=4, iterations=10)
    np.testing.assert_array_equal(retropg.load(tmp_path / "saved").returns, whole.returns)
    with pytest.raises(retropg.Error, match="is in the folder"):
        short.save(tmp_path / "again")


def test_settings_are_layered_as_in_the_program(program, tmp_path):
    (tmp_path / "run.toml").write_text('[env]\nid = "LQR"\n[algo]\nname = "rpg"\nbatch = 3\n[optimizer]\nrate = 0.5\n')
    program(
        "train", "--config", "run.toml", "--preset", "own", "--iterations", 2, "--set", "optimizer.rate=0.25",
        "--out", "program",
    )  # fmt: skip
    made = retropg.train(
        config=tmp_path / "run.toml", preset="own", iterations=2, settings={"optimizer.rate": 0.25}
    )
    assert made.config == retropg.load(tmp_path / "program").config
    assert made.config["optimizer.rate"] == 0.25
    assert made.config["algo.batch"] == 3


def test_settings_take_numbers_of_numpy():
    made = retropg.train("LQR", "rpg", iterations=np.int64(1), settings={"lqr.dynamics": np.diag([0.5, 0.25]).ravel()})
    assert made.config["lqr.dynamics"] == [0.5, 0.0, 0.0, 0.25]
    assert made.config["train.iterations"] == 1


def test_other_threads_of_python_go_on_meanwhile():
    times, done = [], threading.Event()

    def note_times():
        while not done.is_set():
            times.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=note_times)
    thread.start()
    start = time.monotonic()
    retropg.train("CartPole", "rpg", batch=100, iterations=500, threads=1)
    length = time.monotonic() - start
    done.set()
    thread.join()
    assert any(start + 0.25 * length < moment < start + 0.75 * length for moment in times)


def test_two_runs_at_a_time_do_not_disturb_each_other(run):
    made = {}

    def train(name):
        made[name] = retropg.train("CartPole", "rpg", batch=4, window=3, iterations=12, seed=2, threads=1)

    threads = [threading.Thread(target=train, args=(name,)) for name in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for other in made.values():
        np.testing.assert_array_equal(other.returns, run.returns)


def test_what_a_preset_sets_is_logged(caplog):
    caplog.set_level(logging.INFO, logger="retropg")
    retropg.train("CartPole", "rpg", iterations=1)
    retropg.compare("CartPole", ["gpomdp"], budget=20, seeds=2)
    retropg.Agent(observation_size=2, action_size=1, horizon=5)
    expected = ["preset for rpg on CartPoleContinuous-v0: ", "preset for gpomdp on CartPoleContinuous-v0: ",
                "preset for nes on "]
    assert [line.startswith(start) for line, start in zip(caplog.messages, expected, strict=True)] == [True] * 3
    assert "train.confirm" not in caplog.messages[2]
    assert "optimizer.trust=0.1 (the paper, with limited steps; preset='none' for the bare" in caplog.messages[0]
    retropg.train("CartPole", "rpg", iterations=1, preset="none")
    assert len(caplog.messages) == 3


def test_confirming_episodes_are_part_of_the_budget_and_none_are_made_of_a_small_one():
    assert retropg.train("CartPole", budget=30).result["mean_return"] is None
    confirmed = retropg.train("CartPole", budget=30, confirm=5).result
    assert (confirmed["trajectories"], confirmed["mean_return"]["trajectories"]) == (30, 5)
    automatic = retropg.train("CartPole", budget=120, confirm="auto").result
    assert (automatic["trajectories"], automatic["mean_return"]["trajectories"]) == (120, 6)


def test_a_run_until_solved_ends_before_its_budget():
    run = retropg.train("CartPole", until_solved=True, seed=101)
    assert run.result["solved"] and run.result["trajectories"] < 500 and run.result["output"] == "centroid"
    assert run.evaluate(episodes=50, deterministic=True).returns.mean() >= 190.0
    with pytest.raises(retropg.Error, match="until_solved"):
        retropg.train("CartPole", "rpg", until_solved=True)


def test_the_progress_bar_counts_to_the_end_of_training(capsys):
    pytest.importorskip("tqdm")
    retropg.train("CartPole", budget=120, progress=True)
    assert "114/114" in capsys.readouterr().err
