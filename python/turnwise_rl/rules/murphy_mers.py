"""Murphy-MeRS: the reward of a failed attempt includes a share of the mean reward of the attempts that its feedback led to.

    R^_i = (R_i + gamma mean_{j continues i} R^_j) / Z, leaves first; R^_i = R_i for a last turn i
    Z    = S - s + 1 for turn s of at most S (normalizer "depth"), or 2 ("components")
    A_i  = (R^_i - mean_j R^_j) / (std_j R^_j + epsilon) over the turns j of its response group

`intra` and `inter` prune turns first (see `retained`). Ekbote, Lingam et al. 2025, arXiv 2511.07833, mean reward strategy.
"""

from typing import Annotated, Literal

from turnwise_rl import IntegerList, Profile, Range, count_rollouts, mean, normalize, response_groups, retained, turn_budget

REWARDS = "attempts"


def credit(
    group,
    gamma: Annotated[float, Range(0, 1, "Weight of the mean reward of the turns that continue a turn.")] = 0.9,
    normalizer: Literal["depth", "components"] = "depth",
    intra: IntegerList = "",  # "4,8": retains 4 turns per response group at turn 1, 8 at turn 2
    inter: IntegerList = "",  # "4": retains 4 response groups at turn 2
    maxTurns: Annotated[int, Range(0, 1024, "Maximum number of turns of a path; 0: turns of the longest path.")] = 0,
    profile: Profile = "turnwise",
):
    groups = response_groups(group)
    S = turn_budget(group, groups, maxTurns)
    mask = retained(group, groups, intra, inter)
    compared = [(parent, s, [turn for turn in members if mask[turn]]) for parent, s, members in groups]

    backed_up = [turn.reward if is_retained else None for turn, is_retained in zip(group.turns, mask)]
    for parent, s, members in reversed(compared):  # leaves first; the parent is turn s - 1 of its path
        if parent >= 0 and members:
            Z = S - (s - 1) + 1 if normalizer == "depth" else 2
            backed_up[parent] = (group.turns[parent].reward + gamma * mean([backed_up[turn] for turn in members])) / Z

    advantage, rollouts = [None] * len(group.turns), count_rollouts(group)
    for _, _, members in compared:
        for turn, A in zip(members, normalize([backed_up[turn] for turn in members], profile, rollouts)):
            advantage[turn] = A
    return advantage, {"credited": backed_up}
