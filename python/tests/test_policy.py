"""Policies act as Stable-Baselines3's do."""

import json

import numpy as np
import pytest
from conftest import needs_mujoco

import retropg


def test_one_observation_gives_one_action(run):
    action, state = run.policy.predict(np.zeros(4, dtype=np.float32))
    assert action.shape == (1,)
    assert action.dtype == np.float64
    assert state is None
    assert action == 0.0  # no bias


def test_a_batch_gives_one_action_per_row(run):
    observations = np.random.default_rng(1).normal(size=(5, 4))
    actions, _ = run.policy.predict(observations)
    assert actions.shape == (5, 1)
    for observation, action in zip(observations, actions):
        np.testing.assert_array_equal(run.policy.predict(observation)[0], action)
    np.testing.assert_allclose(actions[:, 0], observations @ run.policy.parameters, rtol=1e-12)
    np.testing.assert_array_equal(run.policy.predict(np.asfortranarray(observations))[0], actions)


def test_drawn_actions_have_the_policys_variance_and_follow_from_the_seed(run):
    policy = run.policy
    observations = np.zeros((20_000, 4))
    drawn = policy.predict(observations, deterministic=False)[0][:, 0]
    variance = run.config["policy.variance"]
    error = variance * np.sqrt(2.0 / drawn.size)
    assert abs(drawn.var() - variance) < 5 * error
    assert abs(drawn.mean()) < 5 * np.sqrt(variance / drawn.size)
    policy.seed(1)
    np.testing.assert_array_equal(policy.predict(observations, deterministic=False)[0][:, 0], drawn)
    policy.seed(2)
    assert (policy.predict(observations, deterministic=False)[0][:, 0] != drawn).all()


def test_parameters_are_drawn_once_per_episode():
    policy = retropg.train("CartPole", "nes", iterations=2).policy
    observation = np.ones(4)

    def act(start):
        return policy.predict(observation, episode_start=[start], deterministic=False)[0].item()

    first = act(True)
    assert act(False) == first
    assert act(True) != first


def test_discrete_actions_are_integers():
    policy = retropg.train("CartPole-v1", "rpg", batch=4, iterations=2).policy
    single, _ = policy.predict(np.zeros(4))
    assert single.shape == ()
    assert single.dtype == np.int64
    many, _ = policy.predict(np.random.default_rng(0).normal(size=(50, 4)), deterministic=False)
    assert many.shape == (50,)
    assert set(many.tolist()) == {0, 1}


@needs_mujoco
def test_actions_are_clipped_where_the_environment_clips_them():
    observation = np.full(4, 1e6)
    actions = {}
    for clip in (True, False):
        made = retropg.train("InvertedPendulum", "rpg", iterations=2, preset="none", settings={"env.clip": clip})
        actions[clip] = made.policy.predict(observation)[0].item()
        drawn = made.policy.predict(np.tile(observation, (4, 1)), deterministic=False)[0]
        assert (abs(drawn) <= 3.0).all() == clip  # the range of the motor
    assert abs(actions[True]) == 3.0
    assert abs(actions[False]) > 3.0


def test_a_saved_policy_is_the_same(run, tmp_path):
    run.policy.save(tmp_path / "policy.safetensors")
    loaded = retropg.Policy.load(tmp_path / "policy.safetensors")
    np.testing.assert_array_equal(loaded.parameters, run.policy.parameters)
    assert loaded.environment == "CartPoleContinuous-v0"
    assert retropg.evaluate(loaded, 10).mean == run.evaluate(10).mean


def test_parameters_are_a_view_that_cannot_be_written(run):
    parameters = run.policy.parameters
    assert not parameters.flags.writeable
    with pytest.raises(ValueError):
        parameters[0] = 1.0


@pytest.mark.parametrize("observation", [np.zeros(3), np.zeros((2, 5)), np.zeros((1, 2, 4))])
def test_observations_of_another_size_are_refused(observation, run):
    with pytest.raises(retropg.Error, match="observation"):
        run.policy.predict(observation)


def test_an_evaluation_is_the_programs(program, tmp_path):
    made = retropg.train("CartPole", "rpg", batch=4, iterations=5, out=tmp_path / "run")
    printed = json.loads(program("eval", tmp_path / "run", "--episodes", 30, "--seed", 3, "--json"))
    for deterministic, name in ((True, "deterministic"), (False, "stochastic")):
        evaluation = made.evaluate(30, seed=3, deterministic=deterministic)
        assert evaluation.returns.shape == (30,)
        assert evaluation.mean == pytest.approx(printed[name]["mean"], rel=1e-14)
        assert evaluation.low == printed[name]["low"]
        assert evaluation.high == printed[name]["high"]
