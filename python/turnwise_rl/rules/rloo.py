"""RLOO: every turn of a rollout gets the outcome minus the mean outcome of the other rollouts.

    A_i = R^O_i - 1/(n-1) sum_{j!=i} R^O_j, the same for every turn of rollout i
    with scale "std": divided by std_j R^O_j + epsilon over all n

Ahmadian, Cremer et al. 2024, arXiv 2402.14740. `singleton` determines the credit of a single rollout.
"""

from typing import Annotated, Literal

from turnwise_rl import Range, all_equal, broadcast, normalize, outcomes, std, total, trajectories

REWARDS = "outcome"


def credit(
    group,
    ddof: Annotated[int, Range(0, 1)] = 1,
    epsilon: Annotated[float, Range(0, 1)] = 1e-6,
    scale: Literal["none", "std"] = "none",
    singleton: Literal["zero", "raw"] = "zero",
):
    paths = trajectories(group)
    R = outcomes(group, paths)
    if len(R) < 2 or all_equal(R):
        return broadcast(group, paths, normalize(R, ddof=ddof, epsilon=epsilon, scale=scale, singleton=singleton))

    together = total(R)
    divisor = std(R, ddof) + epsilon if scale == "std" else 1.0
    return broadcast(group, paths, [(outcome - (together - outcome) / (len(R) - 1)) / divisor for outcome in R])
