"""Murphy-MeRS: a failed attempt is worth its own reward and a share of what the attempts from its feedback reached on average.

    R^_i = (R_i + gamma mean_{j continues i} R^_j) / Z, leaves first; R^_i = R_i where nothing continues i
    Z    = S - s + 1 for turn s of at most S (normalizer "depth"), or 2 ("components")
    A_i  = (R^_i - mean_j R^_j) / (std_j R^_j + epsilon) over the turns j of its response group

`intra` and `inter` prune before (see `retained`). Ekbote, Lingam et al. 2025, arXiv 2511.07833, mean reward strategy.
"""

from typing import Annotated, Literal

from turnwise_rl import Profile, Range, Whole, mean, normalize, response_groups, retained, turn_budget

REWARDS = "attempts"


def credit(
    group,
    gamma: Annotated[float, Range(0, 1, "How much the mean of what a turn led to counts beside its own reward.")] = 0.9,
    normalizer: Literal["depth", "components"] = "depth",
    intra: Whole = "",  # "4,8": of a response group of turn 1 keep 4 turns, of turn 2 keep 8
    inter: Whole = "",  # "4": of all response groups at turn 2 keep 4
    maxTurns: Annotated[int, Range(0, 1024, "Turns that a path may have; 0: as many as the deepest has.")] = 0,
    profile: Profile = "turnwise",
):
    groups = response_groups(group)
    S = turn_budget(group, groups, maxTurns)
    kept = retained(group, groups, intra, inter)
    compared = [(parent, s, [turn for turn in members if kept[turn]]) for parent, s, members in groups]

    credited = [turn.reward if keep else None for turn, keep in zip(group.turns, kept)]
    for parent, s, members in reversed(compared):  # leaves first; the parent is turn s - 1 of its path
        if parent >= 0 and members:
            Z = S - (s - 1) + 1 if normalizer == "depth" else 2
            credited[parent] = (group.turns[parent].reward + gamma * mean([credited[turn] for turn in members])) / Z

    advantage = [None] * len(group.turns)
    for _, _, members in compared:
        for turn, A in zip(members, normalize([credited[turn] for turn in members], profile)):
            advantage[turn] = A
    return advantage, {"credited": credited}
