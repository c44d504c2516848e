"""Several threads of one process, each with environments of its own."""

import threading

import gymnasium
import numpy as np
import pytest
import retropg
from gym_examples import Point

ARGUMENTS = {"batch": 4, "window": 2, "iterations": 3, "settings": {"env.horizon": 5, "policy.scaling": "none"}}


def in_threads(functions):
    """What each function returns, all called at the same time."""
    results = [None] * len(functions)
    begin = threading.Barrier(len(functions))

    def call(k):
        begin.wait()
        try:
            results[k] = functions[k]()
        except Exception as error:  # noqa: BLE001 - it is looked at below
            results[k] = error

    threads = [threading.Thread(target=call, args=(k,)) for k in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def plant(size):
    """A class of the same name each time, with observations of this size."""

    class Plant(Point):
        def __init__(self):
            super().__init__()
            self.observation_space = gymnasium.spaces.Box(-10, 10, (size,))

        def _observation(self):
            return np.full(size, self.position, dtype=np.float32)

    return Plant


def test_environments_of_one_name_stay_with_their_runs():
    sizes = [1, 2, 3, 4] * 2
    for _ in range(5):
        runs = in_threads([lambda size=size: retropg.train(plant(size), "rpg", **ARGUMENTS) for size in sizes])
        for size, run in zip(sizes, runs):
            assert run.policy.parameters.size == size
            assert run.returns.tolist() == runs[sizes.index(size)].returns.tolist()


def test_comparing_evaluating_and_collecting_while_another_thread_trains():
    trained = retropg.train(plant(2), "rpg", **ARGUMENTS)
    settings = ARGUMENTS["settings"]

    def compare():
        return retropg.compare(plant(3), ["rpg", "gpomdp"], budget=12, seeds=2, batch=4, threads=1, settings=settings)

    def collect():
        return retropg.collect(plant(2), trained.policy, count=3, settings={"env.horizon": 5})

    alone = compare(), trained.evaluate(5), collect()
    for _ in range(3):
        comparison, evaluation, trajectories, run = in_threads([
            compare, lambda: trained.evaluate(5), collect, lambda: retropg.train(plant(4), "rpg", **ARGUMENTS)])
        assert comparison["rpg"].areas.tolist() == alone[0]["rpg"].areas.tolist()
        assert evaluation.returns.tolist() == alone[1].returns.tolist()
        assert [t.rewards.tolist() for t in trajectories] == [t.rewards.tolist() for t in alone[2]]
        assert run.policy.parameters.size == 4


def test_an_environment_that_is_handed_over_is_in_no_list():
    before = retropg.environments()
    retropg.train(plant(1), "rpg", **ARGUMENTS)
    assert retropg.environments() == before


def test_a_closed_environment_of_the_same_name_is_not_used():
    first = retropg.train(plant(2), "rpg", **ARGUMENTS)
    retropg.train(plant(3), "rpg", **ARGUMENTS)
    assert len(first.evaluate(3).returns) == 3  # on its own class, whose observations have two numbers


def test_the_id_of_an_environment_that_is_handed_over_cannot_be_set_besides():
    with pytest.raises(retropg.Error, match="the environment is handed over: leave env.id out"):
        retropg.train(plant(2), settings={"env.id": "CartPole"})
