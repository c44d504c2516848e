"""The gradient of Cart Pole's return from trajectories of three policies, by five estimators."""

import numpy as np
import retropg

policy = retropg.Policy(kind="linear-gaussian", observation_size=4, action_size=1, settings={"policy.variance": 0.3})
thetas = [np.array([0.0, 0.1, 0.2 + 0.03 * k, 0.3]) for k in range(3)]
batches = [
    retropg.Batch(theta, retropg.collect("CartPole", policy, theta, count=10, iteration=k))
    for k, theta in enumerate(thetas)
]

target = thetas[-1]
for estimator in ["rpg", "rpg-theory", "miw-pg", "bh-pg"]:
    result = retropg.estimate(batches, policy, target, estimator)
    print(f"{estimator:10s} {result.gradient.round(2)}  effective sample size {result.effective_sample_size:.1f} of 30")
fresh = retropg.estimate(batches[-1:], policy, target, "gpomdp")
print(f"{'gpomdp':10s} {fresh.gradient.round(2)}  effective sample size {fresh.effective_sample_size:.1f} of 10")
