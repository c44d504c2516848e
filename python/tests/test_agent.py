"""retropg.Agent: ask, tell, update."""

import threading

import numpy as np
import pytest
import retropg

HORIZON = 15


class Plant:
    """A mass on a line that shall come to rest, in NumPy; its start depends on the trajectory only."""

    def __init__(self, seed):
        self.state = np.random.default_rng(seed).uniform(-1.0, 1.0, size=2)

    def step(self, action):
        x, v = self.state
        reward = -(x * x + v * v) - 0.1 * float(action) ** 2
        self.state = np.array([x + 0.2 * v, v + 0.2 * float(np.clip(action, -3.0, 3.0))])
        return reward


def run(sampler, seed, parameters=None, push=float):
    plant, steps = Plant(seed), []
    for _ in range(HORIZON):
        observation = plant.state
        action = sampler.act(observation)
        steps.append((observation, np.atleast_1d(action), plant.step(push(np.ravel(action)[0]))))
    observations, actions, rewards = map(np.array, zip(*steps))
    return retropg.Trajectory(observations, actions, rewards, parameters)


def trajectories(draw, push=float):
    """All of a draw, from starts that follow from its id."""
    drawn = draw.parameters if draw.parameters is not None else [None] * draw.count
    return [run(sampler, [*draw.id, j], drawn[j], push) for j, sampler in enumerate(draw)]


def iterate(agent, push=float):
    for draw in agent.ask():
        agent.tell(draw.id, trajectories(draw, push))
    return agent.update()


def agent(**changes):
    arguments = dict(observation_size=2, action_size=1, horizon=HORIZON, algo="rpg", batch=4, window=3, seed=5,
                     iterations=60, preset="none", settings={"optimizer.rate": 0.05})
    return retropg.Agent(**arguments | changes)


def push_left_or_right(action):
    return 2.0 * action - 1.0


KINDS = {
    "rpg": dict(),
    "bh-pg, all": dict(algo="bh-pg", window="all"),
    "gpomdp, network": dict(algo="gpomdp", window=None, policy="mlp-gaussian", settings={"optimizer.rate": 0.005}),
    "baseline": dict(settings={"algo.baseline": "running-mean"}),
    "storm-pg": dict(algo="storm-pg", window=None),
    "page-pg": dict(algo="page-pg", window=None, settings={"algo.refresh": 0.3}),
    "def-pg": dict(algo="def-pg", window=None),
    "bpo": dict(algo="bpo", window=None),
    "pb-rpg": dict(algo="pb-rpg"),
    "nes": dict(algo="nes", window="all", settings={"nes.leaps_from": 1}),
    "preset": dict(algo=None, batch=None, window=None, settings=None, preset=None, iterations=None,
                   action_low=-3.0, action_high=3.0),
    "softmax": dict(action_size=None, action_count=2),
}


def kind(name, **changes):
    return agent(**KINDS[name] | changes), (push_left_or_right if name == "softmax" else float)


@pytest.mark.parametrize("name", ["rpg", "gpomdp, network", "pb-rpg", "preset", "softmax"])
def test_it_learns(name):
    learner, push = kind(name)
    records = []
    while not learner.finished and len(records) < 60:
        records.append(iterate(learner, push))
    returns = np.array([record.return_mean for record in records])
    assert returns[-10:].mean() > returns[1:11].mean() + 2.0
    assert learner.trajectories == records[-1].trajectories


def test_it_trains_like_train_on_the_same_trajectories():
    settings = {"optimizer.rate": 0.03, "policy.variance": 0.2}
    native = retropg.train("CartPole", algo="rpg", batch=6, window=4, iterations=12, seed=9, preset="none",
                           settings=settings)
    told = retropg.Agent(observation_size=4, action_size=1, horizon=200, algo="rpg", batch=6, window=4, iterations=12,
                         seed=9, preset="none", settings=settings)
    while not told.finished:
        (draw,) = told.ask()
        told.tell(draw.id, retropg.collect("CartPole", told.policy, count=draw.count, iteration=draw.id[0], seed=9))
        record = told.update()
    for which in ("final", "best", "returned"):
        assert told.get_policy(which).parameters.tobytes() == native.get_policy(which).parameters.tobytes()
    assert record.return_mean == native.returns[-1]


def test_samplers_act_as_the_native_simulation_does():
    learner = retropg.Agent(observation_size=4, action_size=1, horizon=200, algo="rpg", batch=3, seed=2, preset="none")
    learner.parameters = [0.1, 0.5, -0.3, 1.0]
    (draw,) = learner.ask()
    simulated = retropg.collect("CartPole", learner.policy, count=3, iteration=1, seed=2)
    for sampler, trajectory in zip(draw, simulated, strict=True):
        for observation, action in zip(trajectory.observations, trajectory.actions):
            np.testing.assert_allclose(sampler.act(observation), action, rtol=0.0, atol=1e-13)


def test_a_sampler_repeats_itself_and_differs_from_the_others():
    (draw,) = agent().ask()
    observation = np.ones(2)
    first = [draw.sampler(0).act(observation) for _ in range(2)]
    assert first[0] == first[1]
    assert first[0] != draw.sampler(1).act(observation)
    sampler = draw.sampler(0)
    assert sampler.act(observation) != sampler.act(observation)
    with pytest.raises(retropg.Error, match="trajectories 0 to 3"):
        draw.sampler(4)


def test_draws_of_parameters_have_one_vector_per_trajectory():
    learner, _ = kind("pb-rpg")
    (draw,) = learner.ask()
    assert draw.parameters.shape == (4, 2)
    assert len(np.unique(draw.parameters[:, 0])) == 4
    observation = np.array([0.3, -0.7])
    np.testing.assert_allclose(draw.sampler(2).act(observation), [draw.parameters[2] @ observation])
    assert agent().ask()[0].parameters is None


@pytest.mark.parametrize("name", KINDS)
def test_parts_add_up_to_the_whole(name):
    (whole, push), (parts, _) = kind(name), kind(name)
    for _ in range(5):
        iterate(whole, push)
        for draw in reversed(parts.ask()):
            told = trajectories(draw, push)
            parts.tell(draw.id, told[:1])
            for rest in told[1:]:
                parts.tell(draw.id, [rest])
        parts.update()
    assert parts.parameters.tobytes() == whole.parameters.tobytes()


def test_fewer_trajectories_than_asked_for_will_do():
    learner = agent()
    (draw,) = learner.ask()
    learner.tell(draw.id, trajectories(draw)[:2])
    record = learner.update()
    assert (record.trajectories, learner.trajectories) == (2, 2)
    assert learner.ask()[0].id == (2, 0)


@pytest.mark.parametrize("name", KINDS)
def test_a_saved_agent_goes_on_bit_for_bit(name, tmp_path):
    (learner, push) = kind(name)
    for _ in range(4):
        iterate(learner, push)
    # In the middle of an iteration, with one trajectory told.
    draws = learner.ask()
    learner.tell(draws[0].id, trajectories(draws[0], push)[:1])
    learner.save(tmp_path / "agent")
    restored = retropg.Agent.load(tmp_path / "agent")
    assert restored.state() == learner.state()
    for one in (learner, restored):
        for draw in one.ask():
            told = trajectories(draw, push)
            if draw.id == draws[0].id:
                told = told[1:]
            if told:
                one.tell(draw.id, told)
        one.update()
        for _ in range(3):
            iterate(one, push)
    assert restored.parameters.tobytes() == learner.parameters.tobytes()
    assert restored.state() == learner.state()
    assert restored.config == learner.config


def test_a_new_agent_can_be_saved_too():
    learner, _ = kind("preset")
    restored = retropg.Agent.restore(learner.state())
    assert restored.iteration == 0
    assert restored.ask()[0].pilot


def test_a_damaged_state_is_refused(tmp_path):
    learner = agent()
    iterate(learner)
    state = learner.state()
    with pytest.raises(retropg.Error, match="damaged"):
        retropg.Agent.restore(state[:-9] + bytes([state[-9] ^ 1]) + state[-8:])
    with pytest.raises(retropg.Error):
        retropg.Agent.restore(state[:-8])
    (tmp_path / "other").write_bytes(b"nothing")
    with pytest.raises(retropg.Error, match="other"):
        retropg.Agent.load(tmp_path / "other")
    with pytest.raises(retropg.Error, match="missing"):
        retropg.Agent.load(tmp_path / "missing")


def test_the_pilot_draws_uniform_actions_and_scales_the_observations():
    learner, _ = kind("preset")
    (draw,) = learner.ask()
    assert draw.pilot and draw.count == 1 and draw.id == (0, 0) and draw.parameters is None
    pilot = trajectories(draw)[0]
    assert np.all(np.abs(pilot.actions) < 3.0) and np.std(pilot.actions) > 1.0
    learner.tell(draw.id, [pilot])
    assert learner.update().iteration == 0
    root_mean_square = np.sqrt(np.mean(np.square(pilot.observations), axis=0))
    saved = retropg.Agent.restore(learner.state())
    for one in (learner, saved):
        theta = np.concatenate([[1.0, 2.0], one.parameters[2:]])
        one.parameters = theta
        action, _ = one.policy.predict(np.array([0.1, 0.2]))
        np.testing.assert_allclose(action, [0.1 / root_mean_square[0] + 0.4 / root_mean_square[1]])
    assert not learner.ask()[0].pilot


def test_policy_and_best_act_and_can_be_saved(tmp_path):
    learner = agent()
    for _ in range(3):
        iterate(learner)
    observation = np.array([0.4, -0.2])
    np.testing.assert_allclose(learner.policy.predict(observation)[0], [learner.parameters @ observation])
    learner.policy.save(tmp_path / "policy")
    loaded = retropg.Policy.load(tmp_path / "policy")
    np.testing.assert_array_equal(loaded.parameters, learner.parameters)
    np.testing.assert_array_equal(loaded.predict(observation)[0], learner.policy.predict(observation)[0])
    assert learner.best.parameters.shape == (2,)


def refused(learner, call, message):
    """Nothing may change by a refused call."""
    before = learner.state()
    with pytest.raises(retropg.Error, match=message) as error:
        call()
    assert "\n" not in str(error.value)
    assert learner.state() == before


def test_what_does_not_belong_to_a_draw_is_refused():
    learner = agent()
    good = run(learner.ask()[0].sampler(0), 1)
    refused(learner, lambda: learner.update(), "draw 0 of iteration 1 has no trajectories yet")
    refused(learner, lambda: learner.tell((1, 1), [good]), "draw 1 of iteration 1 was not asked for")
    refused(learner, lambda: learner.tell((2, 0), [good]), "draw 0 of iteration 2 was not asked for")
    refused(learner, lambda: learner.tell((-1, -1), [good]), "must be a whole number of at least 0, not -1")
    refused(learner, lambda: learner.tell(1, [good]), "no draw has the id 1")
    refused(learner, lambda: learner.tell((1, 0), []), "no trajectories")
    refused(learner, lambda: learner.tell((1, 0), good), "expected a list of trajectories")
    refused(learner, lambda: learner.tell((1, 0), [good] * 5), "has 0 of 4 trajectories; 5 more are too many")
    refused(learner, lambda: learner.tell((1, 0), [good._replace(observations=good.observations[:, :1])]),
            "observations: expected the shape")
    refused(learner, lambda: learner.tell((1, 0), [good._replace(rewards=good.rewards[1:])]), "as many of each")
    refused(learner, lambda: learner.tell((1, 0), [good, good._replace(rewards=good.rewards * np.nan)]),
            "trajectory 1, step 0: the reward is nan")
    refused(learner, lambda: learner.tell((1, 0), [good._replace(actions=["x"] * HORIZON)]), "expected numbers")
    refused(learner, lambda: learner.tell((1, 0), [good._replace(parameters=np.zeros(2))]), "no parameters of its own")
    longer = retropg.Trajectory(*(np.concatenate([part, part]) for part in good[:3]))
    refused(learner, lambda: learner.tell((1, 0), [longer]), "has 30 steps; expected 1 to 15")
    learner.tell((1, 0), trajectories(learner.ask()[0])[:3])
    refused(learner, lambda: learner.tell((1, 0), [good] * 2), "has 3 of 4 trajectories; 2 more are too many")
    learner.update()
    refused(learner, lambda: learner.update(), "nothing was asked for")
    refused(learner, lambda: learner.tell((2, 0), [good]), "draw 0 of iteration 2 was not asked for")


def test_parameters_that_the_draw_does_not_have_are_refused():
    learner, _ = kind("pb-rpg")
    (draw,) = learner.ask()
    told = trajectories(draw)
    refused(learner, lambda: learner.tell((1, 0), [told[0]._replace(parameters=None)]), "tell those that it acted with")
    refused(learner, lambda: learner.tell((1, 0), [told[0], told[1]._replace(parameters=None)]), "some do not")
    refused(learner, lambda: learner.tell((1, 0), [told[0]._replace(parameters=np.zeros(3))]), "2 parameters")
    refused(learner, lambda: learner.tell((1, 0), [told[0], told[1]._replace(parameters=told[1].parameters + 1e-9)]),
            "trajectory 1: its parameters are not among those of draw 0 of iteration 1")
    refused(learner, lambda: learner.tell((1, 0), [told[0], told[0]]), "already has a trajectory with these parameters")
    learner.tell((1, 0), told[:2])
    refused(learner, lambda: learner.tell((1, 0), [told[1]]), "already has a trajectory with these parameters")
    learner.tell((1, 0), told[2:])
    learner.update()


def test_actions_that_were_not_drawn_are_refused():
    learner = agent()
    (draw,) = learner.ask()
    told = trajectories(draw)[0]
    for actions in (told.actions + 20.0, np.zeros_like(told.actions), 10.0 * told.actions):
        refused(learner, lambda: learner.tell(draw.id, [told._replace(actions=actions)]), "as they were sampled")
    # Each of these could have been drawn, but not both: one false alarm in 10^12 batches is the limit.
    theta, deviation = learner.parameters, np.sqrt(learner.config["policy.variance"])
    near = [t._replace(actions=(t.observations @ theta)[:, None] + 0.2 * deviation) for t in trajectories(draw)]
    learner.tell(draw.id, near[:1])
    refused(learner, lambda: learner.tell(draw.id, near[1:2]), "as they were sampled")
    learner.tell(draw.id, trajectories(draw)[1:])



LATE = {"rpg": dict(), "bh-pg": dict(algo="bh-pg"), "miw-pg": dict(algo="miw-pg", window="all"),
        "pb-rpg": dict(algo="pb-rpg"), "softmax": dict(action_size=None, action_count=2)}


@pytest.mark.parametrize("name", LATE)
def test_late_trajectories_count_like_those_in_time(name):
    rate = 0.01
    learner = agent(**LATE[name], settings={"optimizer.rate": rate, "optimizer.kind": "constant"})
    push = push_left_or_right if name == "softmax" else float
    (first,) = learner.ask()
    early = trajectories(first, push)
    learner.tell(first.id, early[:2])
    thetas = [learner.parameters]
    learner.update()
    thetas.append(learner.parameters)
    learner.tell(first.id, early[2:3])  # between two iterations
    (second,) = learner.ask()
    fresh = trajectories(second, push)
    learner.tell(second.id, fresh)
    learner = retropg.Agent.restore(learner.state())
    learner.tell(first.id, early[3:])  # within one
    refused(learner, lambda: learner.tell(first.id, early[3:]), "has all the trajectories")
    assert learner.trajectories == 4
    record = learner.update()
    assert record.trajectories == 8
    batches = [retropg.Batch(thetas[0], early), retropg.Batch(thetas[1], fresh)]
    expected = retropg.estimate(batches, learner.policy, thetas[1], learner.config["algo.name"])
    np.testing.assert_allclose(learner.parameters, thetas[1] + rate * expected.gradient, rtol=1e-9)


def test_late_trajectories_are_refused_where_they_cannot_be_used():
    learner = agent(algo="gpomdp", window=None)
    (draw,) = learner.ask()
    told = trajectories(draw)
    learner.tell(draw.id, told[:3])
    learner.update()
    refused(learner, lambda: learner.tell(draw.id, told[3:]), "gpomdp does not reuse trajectories")

    learner, _ = kind("pb-rpg")
    (draw,) = learner.ask()
    told = trajectories(draw)
    learner.tell(draw.id, told[:2])
    learner.update()
    refused(learner, lambda: learner.tell((1, 1), told[2:]), "draw 1 of iteration 1 is not in the window")
    refused(learner, lambda: learner.tell(draw.id, told[1:]), "already has a trajectory with these parameters")
    refused(learner, lambda: learner.tell(draw.id, [told[2]._replace(parameters=np.zeros(2))]), "not among those")
    learner.tell(draw.id, told[2:3])
    refused(learner, lambda: learner.tell(draw.id, told[2:]), "already has a trajectory with these parameters")
    for _ in range(3):
        iterate(learner)
    refused(learner, lambda: learner.tell(draw.id, told[3:]), "its batch has left")


def test_a_discrete_action_is_an_index():
    learner, push = kind("softmax")
    (draw,) = learner.ask()
    assert isinstance(draw.sampler(0).act(np.zeros(2)), int)
    told = trajectories(draw, push)[0]
    refused(learner, lambda: learner.tell((1, 0), [told._replace(actions=told.actions + 0.5)]),
            "trajectory 0, step 0: the action is .*; expected a whole number from 0 to 1")
    learner.tell((1, 0), [told._replace(actions=told.actions[:, 0].astype(np.int32))])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (dict(action_count=2), "action_size for continuous actions, or action_count"),
        (dict(action_size=None), "action_size for continuous actions, or action_count"),
        (dict(observation_size=0), "observation_size must be a whole number from 1 to 10000000, not 0"),
        (dict(horizon=0), "horizon"),
        (dict(action_low=-1.0), "both action_low and action_high"),
        (dict(action_low=1.0, action_high=-1.0), "range"),
        (dict(action_low=[-1.0, -1.0], action_high=[1.0, 1.0]), "ranges of actions"),
        (dict(algo="rgp"), "unknown algorithm"),
        (dict(policy="softmax-linear"), "discrete"),
        (dict(batch=0), "batch"),
        (dict(settings={"train.lanes": 8}), "an agent does not simulate"),
        (dict(settings={"checkpoint.every": 8}), "an agent does not simulate"),
        (dict(settings={"algo.epoch": 8}), "does not read algo.epoch"),
    ],
)
def test_wrong_arguments_are_refused(changes, message):
    with pytest.raises(retropg.Error, match=message):
        agent(**changes)


def test_other_threads_may_tell():
    one, many = agent(batch=16), agent(batch=16)
    iterate(one)
    (draw,) = many.ask()
    told = trajectories(draw)
    barrier = threading.Barrier(4)

    def tell(part):
        barrier.wait()
        for trajectory in part:
            many.tell(draw.id, [trajectory])

    threads = [threading.Thread(target=tell, args=(told[i::4],)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert many.update().trajectories == 16
    np.testing.assert_allclose(many.parameters, one.parameters, rtol=1e-9)
