"""Trains on a task of Gymnasium by its id, in a folder, and goes on later."""

import retropg

run = retropg.train("Pendulum-v1", budget=60, out="pendulum")
print(f"return {run.returns[0]:.0f} -> {run.returns[-1]:.0f} on {run.config['env.id']}")
run = retropg.resume("pendulum", budget=80)
print(f"{run.trajectories[-1]} trajectories; evaluated:", run.evaluate(episodes=5))
