"""GRPO-OR: every turn of a rollout gets the same credit, the outcome compared with the outcomes of the group.

    A_i = (R^O_i - mean_j R^O_j) / (std_j R^O_j + epsilon), the same for every turn of rollout i

Shao et al. 2024, arXiv 2402.03300, section 4.1.2.
"""

from turnwise_rl import Profile, broadcast, normalize, outcomes, trajectories

REWARDS = "outcome"


def credit(group, profile: Profile = "turnwise"):
    paths = trajectories(group)
    return broadcast(group, paths, normalize(outcomes(group, paths), profile))
