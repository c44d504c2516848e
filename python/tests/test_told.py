"""What retropg.Agent is told: actions that were drawn, once, and how trajectories ended."""

import numpy as np
import retropg
from test_agent import HORIZON, agent, kind, refused, trajectories


def test_actions_that_were_clipped_at_two_deviations_are_refused():
    settings = {"policy.variance": 0.25, "optimizer.rate": 0.05}
    learner = agent(action_low=-1.0, action_high=1.0, settings=settings, batch=20)
    (draw,) = learner.ask()
    told = trajectories(draw)
    clipped = [t._replace(actions=np.clip(t.actions, -1.0, 1.0)) for t in told]
    assert 2 <= sum(np.sum(np.abs(t.actions) == 1.0) for t in clipped) < 40, "too few for the sum of squares"
    refused(learner, lambda: learner.tell(draw.id, clipped), "end of its range")
    logged = [t._replace(actions=t.actions.astype(np.float32)) for t in told]
    learner.tell(draw.id, logged)
    learner.update()


def test_a_trajectory_is_told_once():
    learner = agent()
    (draw,) = learner.ask()
    told = trajectories(draw)
    twice = [told[0], told[1], told[0]]
    refused(learner, lambda: learner.tell(draw.id, twice), "trajectory 2: one with the same actions")
    learner.tell(draw.id, told[:2])
    refused(learner, lambda: learner.tell(draw.id, [told[2], told[1]]), "has been told already")
    learner.tell(draw.id, told[2:])
    learner.update()
    (draw,) = learner.ask()
    refused(learner, lambda: learner.tell(draw.id, told), "trajectory 0: one with the same actions")
    learner.tell(draw.id, trajectories(draw))
    learner.update()


def test_a_deterministic_plant_may_repeat_itself():
    learner = agent(algo="nes", observation_size=1, settings={"nes.leaps_from": 1})
    for draw in learner.ask():  # an observation of 0 says nothing: every linear policy does the same
        zeros = np.zeros((HORIZON, 1))
        told = [retropg.Trajectory(zeros, zeros, zeros[:, 0] - 1.0, parameters) for parameters in draw.parameters]
        learner.tell(draw.id, told)
    learner.update()


def test_actions_that_drawn_parameters_do_not_give_are_refused():
    for name in ("pb-rpg", "nes"):
        learner, _ = kind(name)
        draw = learner.ask()[0]
        told = trajectories(draw)
        largest = max(np.max(np.abs(t.actions)) for t in told)
        clipped = [t._replace(actions=np.clip(t.actions, -0.9 * largest, 0.9 * largest)) for t in told]
        refused(learner, lambda: learner.tell(draw.id, clipped), "but the parameters of the trajectory give")
        learner.tell(draw.id, [t._replace(actions=t.actions.astype(np.float32)) for t in told])


def test_endings_are_told_and_kept(tmp_path, caplog):
    learner = agent(batch=10)
    (draw,) = learner.ask()
    told = [
        retropg.Trajectory(t.observations[:n], t.actions[:n], np.full(n, -1.0), terminated=n < 10)
        for t, n in zip(trajectories(draw), [3, 15] * 5)
    ]
    refused(learner, lambda: learner.tell(draw.id, [told[0]._replace(terminated="yes")]),
            "terminated: expected True, False or None, not str")
    learner.tell(draw.id, told[:4])
    learner.save(tmp_path / "a")
    loaded = retropg.Agent.load(tmp_path / "a")
    for one in (learner, loaded):
        caplog.clear()
        one.tell(draw.id, told[4:])
        one.update()
        assert ["no return is positive" in record.message for record in caplog.records] == [True]
        for again in range(2):
            draws = one.ask()
            for drawn in draws:
                one.tell(drawn.id, trajectories(drawn))
            one.update()
        assert len(caplog.records) == 1, "once"
    assert learner.state() == loaded.state()


def test_collected_trajectories_say_how_they_ended():
    policy = retropg.Policy(kind="linear-gaussian", observation_size=4, action_size=1)
    ended = retropg.collect("CartPole", policy, np.zeros(4), count=20)
    assert all(t.terminated == (len(t.rewards) < 200) for t in ended)
    assert any(t.terminated for t in ended)
    assert not retropg.collect("CartPole", policy, np.zeros(4), horizon=2)[0].terminated
