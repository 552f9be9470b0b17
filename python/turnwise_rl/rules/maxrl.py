"""MaxRL: every turn of a rollout gets the outcome minus the mean outcome of the group, divided by this mean.

    r_i = max(R^O_i, 0)
    A_i = (r_i - mean_j r_j) / (mean_j r_j + epsilon), the same for every turn; 0 without a success

Tajwar, Zeng et al. 2026, arXiv 2602.02710, with outcomes 0 and 1.
"""

from typing import Annotated

from turnwise_rl import Range, all_equal, broadcast, mean, outcomes, trajectories

REWARDS = "outcome"


def credit(group, epsilon: Annotated[float, Range(0, 1)] = 1e-6):
    paths = trajectories(group)
    r = [max(outcome, 0.0) for outcome in outcomes(group, paths)]
    if all_equal(r):
        return [0.0] * len(group.turns)
    rate = mean(r)
    return broadcast(group, paths, [(success - rate) / (rate + epsilon) for success in r])
