"""Dr. GRPO: every turn of a rollout gets the outcome minus the mean outcome of the group, without division by the deviation.

    A_i = R^O_i - mean_j R^O_j, the same for every turn of rollout i

Liu, Chen et al. 2025, arXiv 2503.20783. The other change of the paper, no division by the length of the answer, is in the loss.
"""

from turnwise_rl import broadcast, normalize, outcomes, trajectories

REWARDS = "outcome"


def credit(group):
    paths = trajectories(group)
    return broadcast(group, paths, normalize(outcomes(group, paths), "dr-grpo"))
