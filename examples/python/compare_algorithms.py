"""Compares two algorithms with the same seeds and budget, and draws their curves."""

from matplotlib import pyplot

import retropg

comparison = retropg.compare("CartPole", ["rpg", "gpomdp"], budget=300, seeds=3, batch=10)
print(comparison.table())
retropg.plot(comparison)
pyplot.savefig("comparison.png")
