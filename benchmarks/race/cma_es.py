"""CMA-ES (pycma) over a deterministic linear policy, a = clip(Theta s)."""

import cma
import numpy

# In units of half an action's range per root mean square of an observation, over the root of their number.
FIRST_DEVIATION = 0.3


def run_episode(environment, act, observation):
    """The return, and the observations that were acted on."""
    seen, total, ended = [], 0.0, False
    while not ended:
        seen.append(observation)
        observation, reward, terminated, truncated, _ = environment.step(act(observation))
        total += float(reward)
        ended = terminated or truncated
    return total, numpy.array(seen)


def scales(environment, random):
    """What one unit of a coordinate is in a parameter, from one trajectory with actions uniform in their range."""
    low, high = environment.action_space.low.astype(float), environment.action_space.high.astype(float)
    observation = environment.reset(seed=int(random.integers(2**31)))[0]
    _, seen = run_episode(environment, lambda _: random.uniform(low, high), observation)
    root_mean_square = numpy.sqrt((seen**2).mean(axis=0))
    return numpy.outer((high - low) / 2.0, 1.0 / (numpy.sqrt(seen.shape[1]) * root_mean_square))


def train(training, diagonal):
    environment = training.environment
    low, high = environment.action_space.low, environment.action_space.high
    unit = scales(environment, numpy.random.default_rng([training.seed, 0]))

    def policy(coordinates):
        theta = (unit * numpy.reshape(coordinates, unit.shape)).T
        return lambda observations: numpy.clip(observations @ theta, low, high)

    strategy = cma.CMAEvolutionStrategy(numpy.zeros(unit.size), FIRST_DEVIATION,
                                        {"seed": training.seed, "CMA_diagonal": diagonal, "verbose": -9})
    while True:  # until the budget is spent; pycma's own criteria would only stop earlier
        training.evaluate(policy(strategy.mean))
        draws = strategy.ask()
        returns = [run_episode(environment, policy(draw), environment.reset()[0])[0] for draw in draws]
        strategy.tell(draws, [-value for value in returns])
