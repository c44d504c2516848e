"""retropg.estimate against the NumPy reference, on the same trajectories."""

import functools

import estimators
import numpy as np
import policies
import pytest
import retropg
import rpg

MAGICRL = 4.0 * np.log(5.0) / 3.0
GAMMA = 0.97

# What the engine makes, the same in NumPy, and what a random action is.
POLICIES = {
    "linear": (
        dict(kind="linear-gaussian", observation_size=3, action_size=2, settings={"policy.variance": 0.4}),
        rpg.LinearGaussian(3, 2, variance=0.4),
    ),
    "linear-steps": (
        dict(kind="linear-gaussian", observation_size=3, action_size=2,
             settings={"policy.variance": 0.4, "policy.evidence": "steps"}),
        rpg.LinearGaussian(3, 2, variance=0.4),
    ),
    "network": (
        dict(kind="mlp-gaussian", observation_size=3, action_size=2,
             settings={"policy.variance": [0.4, 0.7], "policy.hidden": [5, 4], "policy.bias": True}),
        policies.NetworkGaussian((3, 5, 4, 2), variance=(0.4, 0.7), bias=True),
    ),
    "softmax": (
        dict(kind="softmax-linear", observation_size=3, action_count=4),
        policies.Softmax((3, 4)),
    ),
    "softmax-network": (
        dict(kind="softmax-mlp", observation_size=3, action_count=4,
             settings={"policy.hidden": [6], "policy.bias": True}),
        policies.Softmax((3, 6, 4), bias=True),
    ),
}

ESTIMATORS = {
    "adaptive": ("rpg", {}, rpg.mpm_estimate),
    "magicrl": (
        "rpg",
        {"algo.constant": "magicrl"},
        functools.partial(
            rpg.mpm_estimate, coefficients=functools.partial(rpg.adaptive_coefficients, constant=MAGICRL)
        ),
    ),
    "capped": (
        "rpg",
        {"algo.constant": 1e4},
        functools.partial(rpg.mpm_estimate, coefficients=functools.partial(rpg.adaptive_coefficients, constant=1e4)),
    ),
    "order": (
        "rpg",
        {"algo.order": 1.5},
        functools.partial(rpg.mpm_estimate, divergence=functools.partial(rpg.log_divergence, order=1.5)),
    ),
    "sample": (
        "rpg",
        {"algo.divergence": "sample"},
        functools.partial(rpg.mpm_estimate, divergence=estimators.sample_log_divergence),
    ),
    "fixed": (
        "rpg",
        {"algo.coefficients": "fixed", "algo.divergence_bound": 2.0},
        functools.partial(
            rpg.mpm_estimate, coefficients=functools.partial(estimators.fixed_coefficients, bound=2.0)
        ),
    ),
    "theory": (
        "rpg-theory",
        {"algo.divergence_bound": 0.5},
        functools.partial(
            rpg.mpm_estimate, coefficients=functools.partial(estimators.fixed_coefficients, bound=0.5)
        ),
    ),
    "miw": ("miw-pg", {}, estimators.miw),
    "bh": ("bh-pg", {}, estimators.balance_heuristic),
}


def near(actual, expected):
    """Within 1e-10 max(1, |x|), and NaN where NaN is expected."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    np.testing.assert_array_equal(np.isnan(actual), np.isnan(expected))
    error = np.abs(actual - expected) / np.maximum(1.0, np.abs(expected))
    assert not np.any(error > 1e-10), f"largest error {np.nanmax(error):.2e}"


def effective_sample_size(weights):
    return np.sum(weights) ** 2 / np.sum(np.square(weights))


class Case:
    """A policy in both forms, and batches of unequal sizes with trajectories of unequal lengths."""

    def __init__(self, name, seed=3, sizes=(5, 1, 4, 9), far=0.3):
        arguments, self.reference = POLICIES[name]
        self.policy = retropg.Policy(**arguments)
        self.random = np.random.default_rng(seed)
        self.size = self.policy.parameters.size
        self.discrete = "action_count" in arguments
        start = 0.5 * self.random.standard_normal(self.size)
        step = far / np.sqrt(self.size)  # the weights shall be neither all equal nor all nothing
        self.thetas = [start + step * self.random.standard_normal(self.size) for _ in sizes]
        self.theta = start + step * self.random.standard_normal(self.size)
        self.batches = [retropg.Batch(theta, self.trajectories(n)) for theta, n in zip(self.thetas, sizes)]

    def trajectories(self, count):
        return [self.trajectory(int(self.random.integers(1, 13))) for _ in range(count)]

    def trajectory(self, steps):
        observations = self.random.standard_normal((steps, 3))
        if self.discrete:
            actions = self.random.integers(0, 4, size=(steps, 1))
        else:
            actions = self.random.standard_normal((steps, 2))
        return retropg.Trajectory(observations, actions, self.random.standard_normal(steps))

    def estimate(self, *arguments, **settings):
        return retropg.estimate(self.batches, self.policy, self.theta, *arguments, discount=GAMMA, **settings)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("policy", POLICIES)
def test_agrees_with_the_reference(policy, estimator):
    case = Case(policy)
    name, settings, reference = ESTIMATORS[estimator]
    actual = case.estimate(name, settings=settings)
    expected = reference(case.reference, case.theta, case.batches, GAMMA)
    near(actual.gradient, expected.gradient)
    for weights, others in zip(actual.weights, expected.weights, strict=True):
        near(weights, others)
    near(actual.log_divergence, expected.log_divergence)
    near(actual.alpha, expected.alpha)
    near(actual.lambda_, expected.lam)
    near(actual.effective_sample_sizes, [effective_sample_size(weights) for weights in expected.weights])
    near(actual.effective_sample_size, effective_sample_size(np.concatenate(expected.weights)))
    relative = np.concatenate(expected.weights) * sum(map(len, expected.weights))
    assert estimator == "capped" or np.std(relative) > 0.02, "the weights are worth comparing"


@pytest.mark.parametrize("policy", POLICIES)
def test_on_policy_estimators_agree_with_the_reference(policy):
    case = Case(policy, sizes=(7,))
    theta = case.thetas[0]
    for name, reference in (("gpomdp", estimators.gpomdp), ("reinforce", estimators.reinforce)):
        actual = retropg.estimate(case.batches, case.policy, theta, name, discount=GAMMA)
        near(actual.gradient, reference(case.reference, theta, case.batches[0], GAMMA))
        near(actual.weights[0], np.full(7, 1.0 / 7.0))
        assert actual.effective_sample_size == pytest.approx(7.0)
    with pytest.raises(retropg.Error, match="gpomdp reuses nothing"):
        retropg.estimate(case.batches, case.policy, case.theta, "gpomdp")


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("estimator", ["rpg", "rpg-theory", "miw-pg", "bh-pg"])
def test_a_window_of_one_is_gpomdp(policy, estimator):
    case = Case(policy, sizes=(6,))
    theta = case.thetas[0]
    expected = retropg.estimate(case.batches, case.policy, theta, "gpomdp", discount=GAMMA)
    actual = retropg.estimate(case.batches, case.policy, theta, estimator, discount=GAMMA)
    np.testing.assert_array_equal(actual.gradient, expected.gradient)


def test_parameters_may_be_drawn_instead_of_actions():
    settings = {"policy.exploration": "parameters", "hyperpolicy.variance": 0.2}
    policy = retropg.Policy(kind="linear-gaussian", observation_size=3, action_size=1, settings=settings)
    theta = np.array([0.1, -0.2, 0.3])
    drawn = retropg.collect("LQR", retropg.Policy(kind="linear-gaussian", observation_size=2, action_size=1,
                                                  settings=settings), count=3)
    assert all(trajectory.parameters.shape == (2,) for trajectory in drawn)
    random = np.random.default_rng(1)
    batches = []
    for behavior in (theta + 0.1, theta):
        trajectories = []
        for _ in range(5):
            observations, rewards = random.standard_normal((4, 3)), random.standard_normal(4)
            parameters = behavior + np.sqrt(0.2) * random.standard_normal(3)
            trajectories.append(retropg.Trajectory(observations, observations @ parameters, rewards, parameters))
        batches.append(retropg.Batch(behavior, trajectories))
    actual = retropg.estimate(batches, policy, theta, "miw-pg")
    expected = np.zeros(3)  # the score of the draw, times the return, times the ratio of Gaussians
    for batch in batches:
        for trajectory in batch.trajectories:
            at, behind = trajectory.parameters - theta, trajectory.parameters - batch.theta
            ratio = np.exp((behind @ behind - at @ at) / 0.4)
            expected += ratio / 10.0 * np.sum(trajectory.rewards) * at / 0.2
    near(actual.gradient, expected)


def test_certain_signs_that_actions_were_not_drawn_are_refused():
    case = Case("linear", sizes=(4, 4))
    means = [t._replace(actions=t.observations @ case.thetas[1].reshape(2, 3).T) for t in case.batches[1].trajectories]
    with pytest.raises(retropg.Error, match="batch 1: trajectory .* is exactly the policy's mean"):
        retropg.estimate([case.batches[0], retropg.Batch(case.thetas[1], means)], case.policy, case.theta)
    longest = max(case.batches[0].trajectories, key=lambda t: len(t.rewards))
    again = retropg.Batch(case.thetas[1], [*case.batches[1].trajectories, longest])
    with pytest.raises(retropg.Error, match="batch 1: trajectory 4: one with the same actions"):
        retropg.estimate([case.batches[0], again], case.policy, case.theta)


@pytest.mark.parametrize("coefficients", ["adaptive", "bound-optimal"])
def test_batches_that_are_all_infinitely_far_give_no_estimate(coefficients):
    case = Case("linear")
    with pytest.raises(retropg.Error, match="the divergence of theta from every batch is infinite"):
        retropg.estimate(case.batches, case.policy, np.full(6, 1e160), settings={"algo.coefficients": coefficients})


def test_every_dtype_of_numbers_is_taken_and_doubles_are_not_copied():
    case = Case("linear")
    lists = [retropg.Batch(list(b.theta), [tuple(np.asarray(x).tolist() for x in t[:3]) for t in b.trajectories])
             for b in case.batches]
    np.testing.assert_array_equal(
        retropg.estimate(lists, case.policy, list(case.theta)).gradient,
        retropg.estimate(case.batches, case.policy, case.theta).gradient,
    )
    from retropg._trajectories import numbers

    array = np.zeros((3, 2))
    assert numbers(array, "array") is array
    assert numbers(array.astype(np.float32), "array").dtype == np.float64


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda t: t._replace(observations=t.observations[:, :2]), r"observations: expected the shape \(steps, 3\)"),
        (lambda t: t._replace(actions=t.actions[:, 0]), r"actions: expected the shape \(steps, 2\)"),
        (lambda t: t._replace(rewards=t.rewards[:-1]), "expected as many of each"),
        (lambda t: t._replace(rewards=t.rewards.astype(complex)), "rewards: expected numbers, not complex128"),
        (lambda t: t._replace(rewards=["a"] * len(t.rewards)), "rewards: expected numbers"),
        (lambda t: t._replace(observations=[[1.0], [1.0, 2.0]]), "different lengths"),
        (lambda t: t._replace(rewards=t.rewards * np.nan), "batch 2: trajectory 1, step 0: the reward is nan"),
        (lambda t: t._replace(observations=t.observations * 1e101), "number . of the observation is"),
        (lambda t: t.rewards, "expected a retropg.Trajectory"),
        (lambda t: retropg.Trajectory(np.zeros((0, 3)), np.zeros((0, 2)), np.zeros(0)), "has 0 steps"),
    ],
)
def test_wrong_trajectories_are_refused(wrong, message):
    case = Case("linear")
    trajectories = list(case.batches[2].trajectories)
    trajectories[1] = wrong(trajectories[1])
    case.batches[2] = retropg.Batch(case.thetas[2], trajectories)
    with pytest.raises(retropg.Error, match=message):
        case.estimate()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(theta=np.zeros(5)), "theta has 5 parameters; the policy has 6"),
        (dict(theta=np.full(6, np.inf)), "theta has a parameter that is not finite"),
        (dict(batches=[]), "at least one batch"),
        (dict(batches=[retropg.Batch(np.zeros(6), [])]), "batch 0 has no trajectories"),
        (dict(batches=[retropg.Batch(np.zeros(4), [(np.zeros((1, 3)), np.zeros((1, 2)), [0.0])])]), "batch 0 has 4"),
        (dict(estimator="svrpg"), "svrpg does not weight whole trajectories"),
        (dict(estimator="rgp"), "unknown algorithm 'rgp'"),
        (dict(settings={"algo.window": 3}), "an estimate does not read algo.window"),
        (dict(settings={"algo.divergence_bound": 3.0}), "does not read algo.divergence_bound"),
        (dict(settings={"algo.order": 1.0}), "algo.order"),
        (dict(settings={"algo.ordre": 1.0}), "algo.ordre"),
        (dict(discount=1.5), "discount"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    case = Case("linear")
    with pytest.raises(retropg.Error, match=message):
        retropg.estimate(**{"batches": case.batches, "policy": case.policy, "theta": case.theta} | arguments)


def test_a_discrete_action_must_be_one_of_them():
    case = Case("softmax", sizes=(2,))
    steps = case.batches[0].trajectories[0]
    case.batches = [retropg.Batch(case.theta, [steps._replace(actions=np.full_like(steps.actions, 4))])]
    with pytest.raises(retropg.Error, match="expected a whole number from 0 to 3"):
        case.estimate()


def test_the_reference_learns():
    mass = rpg.PointMass()
    best, returns = rpg.rpg(mass, rpg.LinearGaussian(2, 1), np.zeros(2), iterations=40)
    assert returns[-5:].mean() > returns[:5].mean() + 10.0
    assert best[0] < 0.0 and best[1] < 0.0, "it pushes back, and against the velocity"
