"""Murphy-MaRS: a failed attempt is worth as much as the best attempt that its feedback led to.

    R^_i = max(R_i, max_{j continues i} R^_j), leaves first; R^_i = R_i where nothing continues i
    A_i  = (R^_i - mean_j R^_j) / (std_j R^_j + epsilon) over the turns j of its response group

`intra` and `inter` prune before (see `retained`). Ekbote, Lingam et al. 2025, arXiv 2511.07833, max reward strategy.
"""

from typing import Annotated

from turnwise_rl import Profile, Range, Whole, normalize, response_groups, retained, turn_budget

REWARDS = "attempts"


def credit(
    group,
    intra: Whole = "",  # "4,8": of a response group of turn 1 keep 4 turns, of turn 2 keep 8
    inter: Whole = "",  # "4": of all response groups at turn 2 keep 4
    maxTurns: Annotated[int, Range(0, 1024, "Turns that a path may have; 0: as many as the deepest has.")] = 0,
    profile: Profile = "turnwise",
):
    groups = response_groups(group)
    turn_budget(group, groups, maxTurns)
    kept = retained(group, groups, intra, inter)
    compared = [(parent, [turn for turn in members if kept[turn]]) for parent, _, members in groups]

    credited = [turn.reward if keep else None for turn, keep in zip(group.turns, kept)]
    for parent, members in reversed(compared):  # leaves first
        if parent >= 0 and members:
            credited[parent] = max(credited[parent], max(credited[turn] for turn in members))

    advantage = [None] * len(group.turns)
    for _, members in compared:
        for turn, A in zip(members, normalize([credited[turn] for turn in members], profile)):
            advantage[turn] = A
    return advantage, {"credited": credited}
