"""GRPO-MT: a failed attempt continues with one refinement; both get the same credit, for how the last attempt ended.

    A_i = (R^O_i - mean_j R^O_j) / (std_j R^O_j + epsilon), the same for every turn of rollout i

Murphy's baseline: Ekbote, Lingam et al. 2025, arXiv 2511.07833.
"""

from turnwise_rl import Profile, normalize, outcomes, spread, trajectories

REWARDS = "outcome"


def credit(group, profile: Profile = "turnwise"):
    paths = trajectories(group)
    return spread(group, paths, normalize(outcomes(group, paths), profile))
