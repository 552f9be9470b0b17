"""GRPO-Step: the discounted return of each turn is normalised over all turns of the group.

    r_t = reward of the turn, + bonus if it validates, + outcome on the last turn
    G_t = r_t + gamma G_{t+1}
    A_t = (G_t - mean G) / (std G + epsilon) over all turns of the group

Baseline of Wang, Zheng, Xu 2026, arXiv 2604.11037.
"""

from typing import Annotated

from turnwise_rl import Profile, Range, discounted, normalize, outcomes, trajectories


def credit(
    group,
    gamma: Annotated[float, Range(0, 1, "Discount of a reward for each earlier turn.")] = 0.99,
    bonus: Annotated[float, Range(0, 1, "Added to the reward of a turn that validates its change.")] = 0.0,
    profile: Profile = "turnwise",
):
    paths = trajectories(group)
    G = [0.0] * len(group.turns)
    for path, outcome in zip(paths, outcomes(group, paths, missing=0.0)):
        r = [group.turns[turn].reward + (bonus if group.turns[turn].validates else 0.0) for turn in path]
        r[-1] += outcome
        for turn, value in zip(path, discounted(r, gamma)):
            G[turn] = value
    return normalize(G, profile), {"return": G}
