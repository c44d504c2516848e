"""Training on Gymnasium environments gives the same bits however they are stepped."""

import functools
import math

import gymnasium
import numpy as np
import pytest
import retropg
from gym_examples import Counting, Faulty, Point, Steady

SETTINGS = {"env.horizon": 20}


def progress(folder):
    return (folder / "progress.csv").read_bytes()


def trained(env, folder, algo="rpg", **arguments):
    arguments = {"batch": 6, "window": 2, "iterations": 4, "settings": SETTINGS, **arguments}
    retropg.train(env, algo, out=folder, **arguments)
    return progress(folder)


ragged = functools.partial(Point, truncate_at=13)


@pytest.mark.parametrize("algo", ["rpg", "nes"])
def test_processes_do_not_change_results(tmp_path, algo):
    alone = trained(ragged, tmp_path / "alone", algo)
    assert alone.count(b"\n") == 5
    for workers in (1, 2, 4):
        assert trained(ragged, tmp_path / str(workers), algo, workers=workers) == alone


def test_an_object_a_function_and_a_vector_environment_give_the_same_results(tmp_path):
    from gymnasium.vector import AutoresetMode, SyncVectorEnv

    alone = trained(ragged, tmp_path / "function")
    assert trained(ragged(), tmp_path / "object") == alone
    for count in (1, 5):
        vector = SyncVectorEnv([ragged] * count, autoreset_mode=AutoresetMode.DISABLED)
        assert trained(vector, tmp_path / f"vector{count}") == alone


def test_lanes_and_threads_do_not_change_results(tmp_path):
    alone = trained(ragged, tmp_path / "alone")
    for name, settings in {"lanes": {"train.lanes": 4}, "threads": {"train.threads": 3}}.items():
        assert trained(ragged, tmp_path / name, workers=2, settings={**SETTINGS, **settings}) == alone


def test_a_single_object_runs_one_trajectory_after_another(tmp_path):
    env = ragged()
    trained(env, tmp_path / "run")
    assert len(env.seeds) == 24 + 1 and len(set(env.seeds)) == 25  # and the pilot
    assert len(env.actions) == 25 * 13


def test_discrete_actions_that_do_not_begin_with_0():
    run = retropg.train(Counting, iterations=3, settings=SETTINGS)
    assert run.policy.predict(np.zeros(2))[0] in (0, 1, 2)


def test_likelihoods_belong_to_the_action_as_sampled():
    # All rewards are 1, so the mean of the gradient, the expected score, is 0: with theta = 0 and sigma = 1 it is the
    # mean of N sampled actions, of deviation 1 / sqrt(N). Of actions clipped below at -0.1 the mean would be
    # phi(0.1) - 0.1 Phi(-0.1) = 0.35, at N = 10000 35 deviations away. False alarm at 5 deviations: 6e-7.
    run = retropg.train(Steady, "gpomdp", batch=10_000, iterations=1, preset="none",
                        settings={"env.horizon": 1, "policy.variance": 1.0, "optimizer.kind": "constant",
                                  "optimizer.rate": 1.0, "train.output": "last"})
    assert 0.0 < abs(run.policy.parameters[0]) < 5.0 / math.sqrt(10_000)


def test_gymnasiums_cart_pole_falls_as_the_native_one():
    # Random pushes: theta is 0 at first. The difference of the means has deviation sqrt(s1^2 + s2^2) / sqrt(N), about
    # 0.5; false alarm at 4 of them: 6e-5. A pole 5 % heavier or longer would not be noticed, another rule of ending is.
    native, own = (retropg.train(env, "gpomdp", batch=1000, iterations=1, preset="none")
                   for env in ("CartPole-v1", "gymnasium:CartPole-v1"))
    deviation = math.hypot(native.return_std[0], own.return_std[0]) / math.sqrt(1000)
    assert own.config["env.id"] == "gymnasium:CartPole-v1"
    assert abs(native.returns[0] - own.returns[0]) < 4.0 * deviation


@pytest.mark.parametrize("task", ["Pendulum-v1", "Acrobot-v1", "MountainCarContinuous-v0", "Hopper-v5", "Reacher-v5",
                                  "LunarLander-v3"])
def test_tasks_of_gymnasium(task):
    try:
        gymnasium.make(task).close()
    except (gymnasium.error.DependencyNotInstalled, ImportError) as error:
        pytest.skip(str(error))
    run = retropg.train(task, iterations=2, batch=2, settings={"env.horizon": 30, "train.confirm": 2})
    assert np.isfinite(run.returns).all() and run.config["env.id"] == f"gymnasium:{task}"
    assert len(run.evaluate(3).returns) == 3


def test_arguments_of_the_environment_are_part_of_its_name(tmp_path):
    retropg.train("Pendulum-v1", iterations=1, env_kwargs={"g": 5.0}, out=tmp_path / "run", settings=SETTINGS)
    run = retropg.resume(tmp_path / "run", iterations=2)
    assert run.config["env.id"] == 'gymnasium:Pendulum-v1{"g": 5.0}'
    lighter = retropg.train("Pendulum-v1", iterations=2, env_kwargs={"g": 5.0}, settings=SETTINGS)
    assert lighter.returns.tolist() == run.returns.tolist()
    assert retropg.train("Pendulum-v1", iterations=2, settings=SETTINGS).returns.tolist() != run.returns.tolist()


def test_an_id_may_name_the_module_that_registers_it(tmp_path, monkeypatch):
    (tmp_path / "my_tasks.py").write_text(
        "import gymnasium\n"
        "gymnasium.register('Line-v0', entry_point='gym_examples:Point', max_episode_steps=5)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    run = retropg.train("my_tasks:Line-v0", iterations=1, out=tmp_path / "run")
    assert run.config["env.id"] == "gymnasium:my_tasks:Line-v0"
    assert len(retropg.resume(tmp_path / "run", iterations=2).returns) == 2


def test_trajectories_can_be_collected():
    policy = retropg.train(Point, "rpg", iterations=1, settings={"env.horizon": 6}).policy
    first, second = retropg.collect(Point, policy, count=2, horizon=6)
    assert first.observations.shape == (6, 2) and first.actions.shape == (6, 1)
    assert np.allclose(first.rewards[:-1], -first.observations[1:, 0] ** 2, rtol=1e-5)  # observations are singles
    again = retropg.collect(Point(), policy, count=1, first=1, horizon=6)[0]
    assert (again.observations == second.observations).all() and (again.rewards == second.rewards).all()


def test_a_policy_outlives_its_environment(tmp_path):
    run = retropg.train(ragged, iterations=2, settings=SETTINGS)
    assert run.policy.predict(np.zeros(2))[0].shape == (1,)
    far = run.policy.predict(np.full(2, 1e6))[0]
    assert far in (-1.0, 3.0)  # clipped, as the environment would
    assert len(run.evaluate(2).returns) == 2
    run.save(tmp_path / "run")
    loaded = retropg.load(tmp_path / "run")
    assert loaded.policy.parameters.tolist() == run.policy.parameters.tolist()
    assert loaded.policy.predict(np.full(2, 1e6))[0] == far
    with pytest.raises(retropg.Error, match="give it again with env="):
        loaded.evaluate(2)
    again = retropg.load(tmp_path / "run", env=ragged)
    assert again.evaluate(2).returns.tolist() == run.evaluate(2).returns.tolist()


def test_only_what_was_opened_is_closed():
    closed = []

    class Closing(Point):
        def close(self):
            closed.append(self)

    given = Closing()
    retropg.train(given, iterations=1, settings=SETTINGS)
    assert closed == []
    retropg.train(Closing, iterations=1, settings=SETTINGS)
    assert len(closed) == 1 and closed[0] is not given


def test_a_number_that_is_not_finite_stops_the_run(tmp_path):
    broken = functools.partial(Faulty, "nan", at=3)
    with pytest.raises(retropg.RunError, match="python:Faulty.*step 3") as raised:
        trained(broken, tmp_path / "stopped", settings={**SETTINGS, "policy.scaling": "none"})
    assert "\n" not in str(raised.value)
    assert (tmp_path / "stopped" / "status").read_text().startswith("failed: ")


class OftenBroken(Point):
    """In two of five trajectories; which ones depends on their start alone."""

    def reset(self, *, seed=None, options=None):
        result = super().reset(seed=seed, options=options)
        self.start = self.position
        return result

    def step(self, action):
        observation, reward, *rest = super().step(action)
        return observation, np.inf if self.start > 0.2 else reward, *rest


def often_broken_run(seed):
    settings = {"env.horizon": 5, "policy.scaling": "none", "train.broken": "drop"}
    return retropg.train(OftenBroken, "rpg", batch=1, iterations=20, seed=seed, settings=settings)


def test_a_run_goes_on_without_what_was_dropped():
    run = often_broken_run(1)
    lost = int(np.isnan(run.returns).sum())
    assert 0 < lost < 20
    assert run.dropped[-1] == run.skipped[-1] == lost


def test_what_was_dropped_leaves_no_gap_in_a_plot():
    figure = pytest.importorskip("matplotlib.figure")
    runs = [often_broken_run(seed) for seed in (1, 2)]
    for drawn in (runs[:1], runs):
        (line,) = retropg.plot(drawn, ax=figure.Figure().subplots()).lines
        assert len(line.get_ydata()) > 0 and np.isfinite(line.get_ydata()).all()


def test_runs_without_a_return_are_not_plotted():
    figure = pytest.importorskip("matplotlib.figure")
    settings = {"train.broken": "drop", "lqr.dynamics": [1e60, 0.0, 0.0, 1e60]}
    lost = retropg.train("LQR", "gpomdp", batch=1, iterations=3, preset="none", settings=settings)
    with pytest.raises(retropg.Error, match="gpomdp: every trajectory was dropped"):
        retropg.plot(lost, ax=figure.Figure().subplots())


def test_two_runs_cannot_share_an_object_but_a_function():
    env = Point(truncate_at=5)

    def nested(given):
        return retropg.train(env, iterations=1, settings=SETTINGS,
                             callback=lambda record: bool(retropg.train(given, iterations=1, settings=SETTINGS)))

    assert len(nested(functools.partial(Point, truncate_at=5)).returns) == 1
    assert len(nested(env).returns) == 1  # one after the other: no trajectory is under way in a callback
