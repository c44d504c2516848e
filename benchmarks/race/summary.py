"""What runs of one method amount to. A run that never reached the goal needed infinitely many trajectories."""

import math

CONFIDENCE = 0.95
NORMAL_QUANTILE = 1.959963984540054  # at (1 + CONFIDENCE) / 2


def quantile(values, share):
    """Linear between order statistics, as most programs have it."""
    ordered = sorted(values)
    at = share * (len(ordered) - 1)
    low, high = ordered[math.floor(at)], ordered[math.ceil(at)]
    return low if low == high else low + (at - math.floor(at)) * (high - low)


def median_interval(values):
    """Two order statistics between which the median lies with the confidence, whatever the distribution. Fewer than six
    values do not suffice: then their whole range, which five have between the median with 94 %."""
    ordered = sorted(values)
    count = len(ordered)
    rank, tail = 0, 0.0  # tail: that at most `rank` of the values are below the median
    while True:
        tail += math.comb(count, rank) / 2.0**count
        if tail > (1.0 - CONFIDENCE) / 2.0:
            break
        rank += 1
    first = max(rank, 1) - 1
    return ordered[first], ordered[count - 1 - first]


def share_interval(hits, count):
    """Wilson's interval of a probability."""
    z2 = NORMAL_QUANTILE**2
    middle = (hits + z2 / 2.0) / (count + z2)
    half = NORMAL_QUANTILE / (count + z2) * math.sqrt(hits * (count - hits) / count + z2 / 4.0)
    return max(0.0, middle - half), min(1.0, middle + half)


def needed(evaluations, goal):
    """Trajectories and steps until the first evaluation that reached the goal."""
    for evaluation in evaluations:
        if evaluation.mean_return >= goal:
            return evaluation.trajectories, evaluation.steps
    return math.inf, math.inf


def last_until(evaluations, trajectories):
    """The last evaluation before more trajectories were collected, or None."""
    earlier = [evaluation for evaluation in evaluations if evaluation.trajectories <= trajectories]
    return earlier[-1] if earlier else None
