"""Ends a run when it is good enough; the folder can be resumed."""

import retropg


def good_enough(record):
    return record.return_mean < 150.0  # False ends the run


run = retropg.train("CartPole", algo="nes", budget=2000, out="early", callback=good_enough)
print(f"{run.trajectories[-1]} trajectories, return {run.returns[-1]:.0f}")
run = retropg.resume("early")
print(f"{run.trajectories[-1]} trajectories, return {run.returns[-1]:.0f}")
