"""Trains a policy, looks at it, and keeps the run in a folder."""

import numpy as np

import retropg

run = retropg.train("CartPole", algo="rpg", batch=10, window=8, budget=500, seed=1, out="cartpole")
print(f"return {run.returns[0]:.0f} -> {run.returns[-1]:.0f} after {run.trajectories[-1]} trajectories")
print("worth", run.effective_sample_size[-1].round(), "trajectories per update instead of", run.config["algo.batch"])
print("evaluated:", run.evaluate(episodes=50))
action, _ = run.policy.predict(np.zeros(4))
print("action:", action, "from", retropg.load("cartpole").policy)
