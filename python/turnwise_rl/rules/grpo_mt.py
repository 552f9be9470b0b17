"""GRPO-MT: a failed attempt continues with one refinement, and both get the same credit for the outcome of the last attempt.

    A_i = (R^O_i - mean_j R^O_j) / (std_j R^O_j + epsilon), the same for every turn of rollout i

A baseline of the Murphy paper: Ekbote, Lingam et al. 2025, arXiv 2511.07833.
"""

from turnwise_rl import Profile, broadcast, normalize, outcomes, trajectories

REWARDS = "outcome"


def credit(group, profile: Profile = "turnwise"):
    paths = trajectories(group)
    return broadcast(group, paths, normalize(outcomes(group, paths), profile))
