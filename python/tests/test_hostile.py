"""Whatever a caller hands to a public function, it works or raises a retropg.Error of one short line."""

import numpy as np
import pytest
import retropg

LONGEST_MESSAGE = 500


class Hostile:
    """Raises whatever it is asked."""

    def fail(self, *arguments, **named):
        raise RuntimeError("hostile\nobject" * 10_000)

    __repr__ = __str__ = __index__ = __float__ = __int__ = __array__ = __len__ = __iter__ = __getitem__ = fail
    __bool__ = __fspath__ = __eq__ = __contains__ = __complex__ = fail
    __hash__ = object.__hash__


endless = []
endless.append(endless)

VALUES = [
    True, 0, -1, 2**70, -(2**70), 1.5, float("nan"), float("-inf"), 1 + 2j, "", "x" * 100_000, "\ud800", "a\0b",
    "two\nlines", "\x1b[31m", b"bytes", b"\xff" * 100_000, [], [[]], ["x" * 100_000], endless, {}, {1: 2}, {"a": {}}, (), (1,),
    object(), Hostile(), np.array(1 + 2j), np.array(["text"]), np.array([object()]), np.zeros((2, 2, 2)), np.zeros(0),
    np.broadcast_to(np.float32(0.0), (10**11,)), range(10**12), slice(None), NotImplemented, memoryview(b"abc"),
]

AGENT = {"observation_size": 2, "action_size": 1, "horizon": 5, "algo": "rpg", "batch": 2, "iterations": 3}
TRAJECTORY = (np.zeros((3, 2)), np.full((3, 1), 0.1), np.zeros(3))


def with_each(function, arguments, names):
    """Calls of a function, each with another of its arguments left to the test."""
    return [(f"{function.__qualname__}({name}=)", lambda x, name=name: function(**{**arguments, name: x}))
            for name in names]


def policy():
    return retropg.Policy(observation_size=4, action_size=1)


def run():
    return retropg.train("CartPole", "rpg", batch=2, iterations=1)


def told_agent(tell):
    agent = retropg.Agent(**AGENT, preset="none")
    tell(agent, agent.ask()[0].id)


TRAIN = {"env": "CartPole", "algo": "rpg", "batch": 2, "iterations": 1}
COMPARE = {"env": "CartPole", "algos": ["rpg"], "budget": 4, "seeds": 2, "batch": 2, "threads": 1}
EVALUATE = {"episodes": 2, "threads": 1}
CALLS = [
    *with_each(retropg.train, TRAIN, ["env", "algo", "batch", "window", "budget", "iterations", "steps", "seed", "policy",
                                      "preset", "threads", "out", "config", "settings", "callback", "progress", "workers",
                                      "env_kwargs"]),
    *[(f"settings[{key}]", lambda x, key=key: retropg.train(**TRAIN, settings={key: x}))
      for key in ("optimizer.rate", "policy.variance", "policy.hidden", "train.output", "env.clip", "env.id", "log.metrics")],
    ("a key of settings", lambda x: retropg.train(**TRAIN, settings={x: 1} if x.__hash__ else {1: 1})),
    *with_each(retropg.compare, COMPARE, ["env", "algos", "budget", "seeds", "seed", "batch", "window", "policy", "preset",
                                          "config", "settings", "reference", "threshold", "threads", "progress", "workers",
                                          "env_kwargs"]),
    ("settings of an arm", lambda x: retropg.compare(**{**COMPARE, "algos": {"rpg": x}})),
    ("a setting of an arm", lambda x: retropg.compare(**{**COMPARE, "algos": {"rpg": {"algo.window": x}}})),
    ("an arm", lambda x: retropg.compare(**COMPARE)[x]),
    *with_each(retropg.resume, {"folder": "none"}, ["folder", "budget", "iterations", "steps", "threads", "callback",
                                                   "progress", "env", "workers", "trust"]),
    *with_each(retropg.load, {"folder": "none"}, ["folder", "env", "trust"]),
    *with_each(retropg.evaluate, {"policy": "none", **EVALUATE}, ["policy", "episodes", "deterministic", "seed", "threads",
                                                                 "env", "workers", "trust"]),
    *[(f"Run.evaluate({name}=)", lambda x, name=name: run().evaluate(**{**EVALUATE, name: x}))
      for name in ("episodes", "deterministic", "seed", "policy", "threads", "trust")],
    ("Run.get_policy", lambda x: run().get_policy(x)),
    ("Run.save", lambda x: run().save(x)),
    *[(f"collect({name}=)", lambda x, name=name: retropg.collect(
        **{"env": "CartPole", "policy": policy(), "horizon": 5, name: x}))
      for name in ("env", "policy", "theta", "count", "iteration", "first", "seed", "horizon", "threads", "settings")],
    *with_each(retropg.Policy, {"observation_size": 2, "action_size": 1},
               ["engine", "kind", "observation_size", "action_size", "action_count", "parameters", "settings"]),
    ("Policy.load", retropg.Policy.load),
    ("Policy.save", lambda x: policy().save(x)),
    ("Policy.seed", lambda x: policy().seed(x)),
    *[(f"Policy.predict({name}=)", lambda x, name=name: policy().predict(
        **{"observation": np.zeros(4), "deterministic": False, name: x}))
      for name in ("observation", "episode_start", "deterministic")],
    *[(f"estimate({name}=)", lambda x, name=name: retropg.estimate(
        **{"batches": [(np.zeros(2), [TRAJECTORY])], "policy": retropg.Policy(observation_size=2, action_size=1),
           "theta": np.zeros(2), "settings": {}, name: x}))
      for name in ("batches", "policy", "theta", "estimator", "discount", "threads", "settings")],
    ("a batch", lambda x: retropg.estimate([x], retropg.Policy(observation_size=2, action_size=1), np.zeros(2))),
    *with_each(retropg.Agent, {**AGENT, "preset": "none"},
               ["observation_size", "horizon", "action_size", "action_count", "action_low", "action_high", "discount",
                "algo", "policy", "batch", "window", "iterations", "budget", "steps", "seed", "threads", "preset",
                "settings"]),
    ("Agent.tell(id)", lambda x: told_agent(lambda agent, id: agent.tell(x, [TRAJECTORY]))),
    ("Agent.tell(iteration)", lambda x: told_agent(lambda agent, id: agent.tell((x, 0), [TRAJECTORY]))),
    ("Agent.tell(trajectories)", lambda x: told_agent(lambda agent, id: agent.tell(id, x))),
    ("Agent.tell(trajectory)", lambda x: told_agent(lambda agent, id: agent.tell(id, [x]))),
    *[(f"Agent.tell(part {k})", lambda x, k=k: told_agent(lambda agent, id: agent.tell(
        id, [tuple(x if i == k else part for i, part in enumerate((*TRAJECTORY, None)))]))) for k in range(4)],
    ("Agent.restore", retropg.Agent.restore),
    ("Agent.load", retropg.Agent.load),
    ("Agent.save", lambda x: retropg.Agent(**AGENT).save(x)),
    ("Agent.parameters", lambda x: setattr(retropg.Agent(**AGENT, preset="none"), "parameters", x)),
    ("Agent.budget", lambda x: setattr(retropg.Agent(**AGENT), "budget", x)),
    ("Agent.get_policy", lambda x: retropg.Agent(**AGENT).get_policy(x)),
    ("Draw.sampler", lambda x: retropg.Agent(**AGENT, preset="none").ask()[0].sampler(x)),
    ("Sampler.act", lambda x: retropg.Agent(**AGENT, preset="none").ask()[0].sampler(0).act(x)),
    ("explain", retropg.explain),
    ("plot", retropg.plot),
    ("plot(ax=)", lambda x: retropg.plot(run(), ax=x)),
]


@pytest.mark.parametrize("call", [call for _, call in CALLS], ids=[name for name, _ in CALLS])
def test_a_hostile_argument_is_used_or_refused_in_one_line(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for value in VALUES:
        try:
            call(value)
        except retropg.Error as error:
            message = str(error)
            assert message and "\n" not in message and len(message) <= LONGEST_MESSAGE, (str(type(value)), message[:200])
        except Exception as error:  # noqa: BLE001
            raise AssertionError(f"{type(value).__name__}: {type(error).__name__}: {str(error)[:300]}") from error


@pytest.mark.parametrize("call, message", [
    (lambda: retropg.Agent(observation_size=2, action_size=10**8, horizon=5, action_low=-1, action_high=1),
     "action_size must be a whole number from 1 to 10000000, not 100000000"),
    (lambda: retropg.Agent(observation_size=10**6, action_size=10**6, horizon=5),
     "algo.window, algo.batch and the policy need about"),
    (lambda: retropg.Policy(kind="mlp-gaussian", observation_size=2, action_size=1,
                            settings={"policy.hidden": [65536] * 200}), "observations, actions and the network need about"),
    (lambda: retropg.collect("CartPole", policy(), count=10**10), "count = 10000000000 need about"),
    (lambda: retropg.train("CartPole", policy="mlp-gaussian", settings={"policy.hidden": [65536] * 200}),
     "algo.window, algo.batch and the policy need about"),
    (lambda: policy().predict(np.broadcast_to(np.zeros(4), (10**11, 4))), "observation: 400000000000 numbers need about"),
    (lambda: told_agent(lambda agent, id: agent.tell(id, [tuple(
        np.broadcast_to(part[0], (10**8, *part.shape[1:])) for part in TRAJECTORY)])),
     "observations: has 100000000 steps; expected 1 to 5"),
])
def test_what_does_not_fit_is_refused_before_memory_is_taken(call, message):
    with pytest.raises(retropg.Error) as caught:
        call()
    assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["budget", "iteration", "policy", "anything"])
def test_an_agent_refuses_what_cannot_be_set(name):
    with pytest.raises(retropg.Error, match=f"an agent's {name} cannot be set: only its parameters can"):
        setattr(retropg.Agent(**AGENT), name, 100)


def test_a_budget_of_0_is_refused_and_none_is_no_limit():
    with pytest.raises(retropg.Error, match='budget must be at least 1, or "none" for no limit, not 0'):
        retropg.train("CartPole", budget=0)
    assert retropg.train("CartPole", batch=2, budget="none", iterations=2).config["train.budget"] == 0
