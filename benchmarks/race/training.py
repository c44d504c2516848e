"""What every peer trains with: an environment that counts, and evaluations that do not count."""

import environments
import gymnasium
import numpy
import result_files


class Finished(Exception):
    """The budget is spent or the goal is reached; ends a method from within its own loop."""


class Counted(gymnasium.Wrapper):
    """Counts every trajectory of which at least one step was taken, and refuses the first beyond the budget."""

    def __init__(self, environment, budget):
        super().__init__(environment)
        self.budget = budget
        self.trajectories = 0
        self.steps = 0
        self.at_start = True

    def reset(self, **options):
        self.at_start = True
        return self.env.reset(**options)

    def step(self, action):
        if self.at_start:
            if self.trajectories == self.budget:
                raise Finished
            self.trajectories += 1
            self.at_start = False
        self.steps += 1
        return self.env.step(action)


class Training:
    def __init__(self, task, seed):
        self.task = task
        self.seed = seed
        self.environment = Counted(environments.make(task), task.budget)
        self.evaluations = []
        self._judges = [environments.make(task) for _ in range(task.evaluation_episodes)]
        judge_seeds = numpy.random.SeedSequence([seed, 1]).generate_state(len(self._judges))
        for judge, judge_seed in zip(self._judges, judge_seeds):
            judge.reset(seed=int(judge_seed))

    def evaluate(self, act):
        """Records the mean return of fresh episodes. `act` maps rows of observations to rows of actions, without noise.

        The episodes run side by side, and ended ones keep their row: some methods compile anew for every shape.
        """
        observations = numpy.array([judge.reset()[0] for judge in self._judges])
        live = set(range(len(self._judges)))
        total = 0.0
        while live:
            actions = act(observations)
            for row in sorted(live):
                observations[row], reward, terminated, truncated, _ = self._judges[row].step(actions[row])
                total += float(reward)
                if terminated or truncated:
                    live.remove(row)
        mean_return = total / len(self._judges)
        counted = self.environment
        self.evaluations.append(result_files.Evaluation(counted.trajectories, counted.steps, round(mean_return, 6)))
        if self.task.goal is not None and mean_return >= self.task.goal:
            raise Finished
