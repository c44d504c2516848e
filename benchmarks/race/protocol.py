"""What is raced: the tasks with their budgets and goals, the methods, the seeds."""

import dataclasses

FIRST_SEED = 6001  # retropg was changed after seeds from 5001 on had been seen


@dataclasses.dataclass(frozen=True)
class Task:
    name: str
    title: str
    environment: str  # as retropg and, but for Cart Pole, Gymnasium call it
    horizon: int
    budget: int  # trajectories
    marks: tuple  # trajectories at which the return is reported
    goal: float | None  # a run ends at the first evaluation that reaches it
    evaluation_episodes: int
    evaluate_every: int  # trajectories, for methods that learn during a trajectory
    seeds: int


@dataclasses.dataclass(frozen=True)
class Method:
    name: str
    title: str
    most_seeds: int = 1000  # fewer for those that take long
    first_seed: int = FIRST_SEED
    changed: tuple = ()  # names of tasks on which it was changed after those seeds had been seen

    def seeds(self, task, count=None):
        first = self.first_seed + (1000 if task.name in self.changed else 0)
        return range(first, first + (count or min(task.seeds, self.most_seeds)))


TASKS = {task.name: task for task in (
    Task("cart-pole", "Cart Pole", "CartPoleContinuous-v0", horizon=200, budget=500, marks=(), goal=190.0,
         evaluation_episodes=20, evaluate_every=1, seeds=100),
    Task("swimmer", "Swimmer", "Swimmer-v4", horizon=200, budget=500, marks=(50, 100, 200, 300, 500), goal=None,
         evaluation_episodes=5, evaluate_every=10, seeds=16),
    Task("half-cheetah", "Half Cheetah", "HalfCheetah-v4", horizon=100, budget=560, marks=(50, 100, 200, 400, 560),
         goal=None, evaluation_episodes=5, evaluate_every=10, seeds=16),
    Task("walker2d", "Walker2d", "Walker2d-v4", horizon=1000, budget=560, marks=(50, 100, 200, 400, 560), goal=None,
         evaluation_episodes=5, evaluate_every=10, seeds=10),
)}

METHODS = {method.name: method for method in (
    Method("retropg", "retropg", changed=("swimmer", "half-cheetah", "walker2d")),
    Method("cma-es-diagonal", "CMA-ES, diagonal", first_seed=5001),  # recorded before retropg was changed
    Method("cma-es-full", "CMA-ES, full", first_seed=5001),
    Method("ars", "ARS", most_seeds=10),
    Method("sac", "SAC", most_seeds=5),
    Method("ppo", "PPO", most_seeds=5),
)}
