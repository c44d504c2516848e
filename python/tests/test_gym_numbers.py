"""What passes between the engine and a Gymnasium environment."""

import threading

import gymnasium
import numpy as np
import pytest
import retropg
from gym_examples import Counting, Faulty, Point
from retropg import _gym, _gym_numbers
from retropg._native import core


def rows_of(env, slots=1):
    """Environments as a worker steps them, and the arrays of their numbers."""
    spaces = env.observation_space, env.action_space
    arrays = _gym_numbers.numbers_in(bytearray(_gym_numbers.size_of(slots, *spaces)), slots, *spaces)
    return core.GymRows(_gym.spaces_of("python:X", *spaces), lambda: env, core.GymNumbers(**arrays)), arrays


def test_observations_are_flattened_and_seeds_passed_on():
    env = Point()
    rows, numbers = rows_of(env)
    rows.reset(0, 2**31 - 1)
    assert env.seeds == [2**31 - 1]
    assert numbers["observations"].tolist() == [[float(np.float32(env.position)), 1.0]]


@pytest.mark.parametrize("dtype", [np.float64, np.float16, np.int8, np.int64])
def test_observations_of_any_number_type_become_doubles(dtype):
    env = Point(observation_dtype=dtype)
    env._observation = lambda: np.array([[3], [7]], dtype=dtype)
    rows, numbers = rows_of(env)
    rows.reset(0, 1)
    assert numbers["observations"].tolist() == [[3.0, 7.0]]


def test_observations_that_are_not_contiguous_or_no_arrays_are_read_too():
    env = Point()
    rows, numbers = rows_of(env)
    env._observation = lambda: np.arange(8.0).reshape(4, 2)[::2, 1:]
    rows.reset(0, 1)
    assert numbers["observations"].tolist() == [[1.0, 5.0]]
    env._observation = lambda: [(2,), (9,)]
    rows.reset(0, 1)
    assert numbers["observations"].tolist() == [[2.0, 9.0]]


@pytest.mark.parametrize(("sampled", "seen"), [(0.5, 0.5), (-7.0, -1.0), (7.0, 3.0)])
def test_the_environment_sees_a_fresh_clipped_array_of_its_type(sampled, seen):
    env = Point()
    rows, numbers = rows_of(env)
    rows.reset(0, 1)
    numbers["live"][0] = 1.0
    numbers["actions"][0] = sampled
    rows.step()
    rows.step()
    first, second = env.actions
    assert first.dtype == np.float32 and first.shape == (1,) and first.tolist() == [seen]
    assert first is not second
    assert numbers["actions"][0, 0] == sampled


def test_whole_actions_are_rounded():
    env = Point(action_dtype=np.int32)
    rows, numbers = rows_of(env)
    rows.reset(0, 1)
    numbers["live"][0], numbers["actions"][0] = 1.0, 1.7
    rows.step()
    assert env.actions[0].dtype == np.int32 and env.actions[0].tolist() == [2]


def test_discrete_actions_begin_where_their_space_does():
    env = Counting()
    rows, numbers = rows_of(env)
    rows.reset(0, 1)
    numbers["live"][0] = 1.0
    for choice in (0, 1, 2):
        numbers["actions"][0] = choice
        rows.step()
    assert [action[0] for action in env.actions] == [-1, 0, 1]


@pytest.mark.parametrize(("env", "ended"), [(Point(), 0.0), (Point(terminate_at=1), 1.0), (Point(truncate_at=1), 2.0),
                                            (Point(terminate_at=1, truncate_at=1), 1.0)])
def test_terminated_and_truncated_are_kept_apart(env, ended):
    rows, numbers = rows_of(env)
    rows.reset(0, 1)
    numbers["live"][0] = 1.0
    rows.step()
    assert numbers["ended"][0] == ended


def test_only_live_slots_are_stepped():
    env = Point()
    rows, numbers = rows_of(env, slots=2)
    rows.reset(1, 1)
    numbers["live"][:] = [1.0, 0.0]
    rows.step()
    assert env.steps == 0


@pytest.mark.parametrize(("fault", "sentence"), [
    ("shape", "an observation of shape (2,); expected numbers of shape (2, 1)"),
    ("none", "an observation of type NoneType; expected numbers of shape (2, 1)"),
    ("reward", "a reward of type NoneType; expected a number"),
    ("flag", "terminated of type NoneType; expected True or False"),
    ("four", "4 values; expected the tuple (observation, reward, terminated, truncated, info)"),
])
def test_a_wrong_value_is_named_with_its_step(fault, sentence):
    rows, numbers = rows_of(Faulty(fault, at=2))
    rows.reset(0, 11)
    numbers["live"][0] = 1.0
    rows.step()
    with pytest.raises(retropg.RunError) as raised:
        rows.step()
    assert str(raised.value) == f"python:X: step 2 after reset(seed=11) returned {sentence}"


def test_a_reset_of_the_old_interface_is_refused():
    env = Point()
    env.reset = lambda seed: np.zeros((2, 1))
    rows, _ = rows_of(env)
    with pytest.raises(retropg.RunError, match=r"reset\(seed=4\) returned .*ndarray; expected the tuple"):
        rows.reset(0, 4)


def refusal(env, **arguments):
    with pytest.raises(retropg.Error) as raised:
        retropg.train(env, iterations=1, **arguments)
    text = str(raised.value)
    assert "\n" not in text
    return text


class Wrong(Point):
    def __init__(self, **spaces):
        super().__init__()
        vars(self).update(spaces)


def test_other_spaces_are_refused():
    box, discrete = gymnasium.spaces.Box(0, 1), gymnasium.spaces.Discrete(3)
    text = refusal(Wrong(observation_space=gymnasium.spaces.Dict(a=box)))
    assert "Wrong has observations in Dict('a': Box" in text and "gymnasium.wrappers.FlattenObservation" in text
    assert "observations in Discrete(3)" in refusal(Wrong(observation_space=discrete))
    text = refusal(Wrong(action_space=gymnasium.spaces.MultiDiscrete([2, 2])))
    assert "actions in MultiDiscrete([2 2])" in text and "expected a Box" in text and "Discrete space" in text


def test_what_is_no_environment_is_refused():
    assert "env must be an id, a gymnasium.Env" in refusal(3)
    assert "must return a gymnasium.Env, not int" in refusal(lambda: 3)
    assert "Env has no observation_space" in refusal(gymnasium.Env())
    assert "Env has no observation_space" in refusal(gymnasium.Env)
    assert "cannot be sent to workers (TypeError: cannot pickle" in refusal(lambda lock=threading.Lock(): lock, workers=1)
    countless = Point()
    countless.action_space = gymnasium.spaces.Discrete(10**12)
    assert "has 1000000000000 discrete actions; expected at most 1000000" in refusal(countless)
    assert "did you mean 'Pendulum-v1'?" in refusal("Pendulun-v1")
    assert "did you mean 'CartPole-v1'?" in refusal("CartPole-v11")
    assert "unknown environment" in refusal("gymnasium:HalfCheetah-v77")
    assert "no time limit" in refusal(Point())
    assert "workers= is for environments of Gymnasium" in refusal("CartPole-v1", workers=2)
    assert "no spec" in refusal(Point(), workers=2)
    assert "workers must be a whole number from 1 to 1024, not 0" in refusal(Point, workers=0)
    assert "workers must be a whole number from 1 to 1024, not True" in refusal(Point, workers=True)
    assert "env_kwargs= is for an id" in refusal(Point, env_kwargs={"a": 1})
    assert "what follows the id is not JSON" in refusal('gymnasium:Pendulum-v1{"g":')
    assert "No module named 'no_such_module'" in refusal("no_such_module:Pendulum-v1")


def test_a_vector_environment_that_resets_itself_is_refused():
    vector = gymnasium.make_vec("Pendulum-v1", num_envs=2, vectorization_mode="sync")
    assert 'vector_kwargs={"autoreset_mode": gymnasium.vector.AutoresetMode.DISABLED}' in refusal(vector)
