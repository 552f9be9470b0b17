"""Dr. GRPO: every turn of a rollout gets its outcome less the mean of its group, undivided.

    A_i = R^O_i - mean_j R^O_j, the same for every turn of rollout i

Liu, Chen et al. 2025, arXiv 2503.20783. Its other change, no division by the length of the answer, is one of the loss.
"""

from turnwise_rl import normalize, outcomes, spread, trajectories

REWARDS = "outcome"


def credit(group):
    paths = trajectories(group)
    return spread(group, paths, normalize(outcomes(group, paths), "dr-grpo"))
