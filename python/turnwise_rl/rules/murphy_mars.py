"""Murphy-MaRS: the reward of a failed attempt is raised to the reward of the best attempt that its feedback led to.

    R^_i = max(R_i, max_{j continues i} R^_j), leaves first; R^_i = R_i for a last turn i
    A_i  = (R^_i - mean_j R^_j) / (std_j R^_j + epsilon) over the turns j of its response group

`intra` and `inter` prune turns first (see `retained`). Ekbote, Lingam et al. 2025, arXiv 2511.07833, max reward strategy.
"""

from typing import Annotated

from turnwise_rl import IntegerList, Profile, Range, count_rollouts, normalize, response_groups, retained, turn_budget

REWARDS = "attempts"


def credit(
    group,
    intra: IntegerList = "",  # "4,8": retains 4 turns per response group at turn 1, 8 at turn 2
    inter: IntegerList = "",  # "4": retains 4 response groups at turn 2
    maxTurns: Annotated[int, Range(0, 1024, "Maximum number of turns of a path; 0: turns of the longest path.")] = 0,
    profile: Profile = "turnwise",
):
    groups = response_groups(group)
    turn_budget(group, groups, maxTurns)
    mask = retained(group, groups, intra, inter)
    compared = [(parent, [turn for turn in members if mask[turn]]) for parent, _, members in groups]

    backed_up = [turn.reward if is_retained else None for turn, is_retained in zip(group.turns, mask)]
    for parent, members in reversed(compared):  # leaves first
        if parent >= 0 and members:
            backed_up[parent] = max(backed_up[parent], max(backed_up[turn] for turn in members))

    advantage, rollouts = [None] * len(group.turns), count_rollouts(group)
    for _, members in compared:
        for turn, A in zip(members, normalize([backed_up[turn] for turn in members], profile, rollouts)):
            advantage[turn] = A
    return advantage, {"credited": backed_up}
