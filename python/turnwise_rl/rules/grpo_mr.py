"""GRPO-MR: turn rewards are added to the outcome, and every turn of a rollout gets the same credit for the sum.

    R_i = sum_{l<K_i} R^I_{i,l} + R^O_i   (the reward of the last turn is the outcome)
    A_i = (R_i - mean_j R_j) / (std_j R_j + epsilon), the same for every turn

Baseline of Wei, Zeng et al. 2025, arXiv 2505.11821.
"""

from turnwise_rl import Profile, broadcast, normalize, outcomes, total, trajectories


def credit(group, profile: Profile = "turnwise"):
    paths = trajectories(group)
    merged = [
        total(group.turns[turn].reward for turn in path[:-1]) + outcome
        for path, outcome in zip(paths, outcomes(group, paths))
    ]
    return broadcast(group, paths, normalize(merged, profile))
