"""TAPO: tests are paid for being right and for what the next program gains, a program never for its tests.

    turns 1, 3, ... generate, turns 2, 4, ... verify; R_k is the reward of turn k by itself, the last one's too
    g_1 = R_1, g_k = abs R_k + imp (R_k - R_{k-2}) for k = 3, 5, ...
    R^turn_k = g_k of a generation; ver R_k + g_{k+1} of a verification, without g where it is the last turn
    return_t = R^O + R^turn_k for all tokens t of turn k, A_t = return_t - V_t

Jin, Xu, Li et al. 2025, arXiv 2506.11442.
"""

from typing import Annotated

from turnwise_rl import Range, outcomes, token_values, trajectories


def credit(
    group,
    abs: Annotated[float, Range(0, 5, "Weight of a later program's reward itself.")] = 0.0,
    imp: Annotated[float, Range(0, 5, "Weight of what a later program gains over the one before it.")] = 1.0,
    ver: Annotated[float, Range(0, 5, "Weight of a verification's own reward.")] = 0.2,
):
    paths = trajectories(group)
    values = token_values(group)
    advantage = [[] for _ in group.turns]
    returns = [[] for _ in group.turns]
    for path, outcome in zip(paths, outcomes(group, paths)):
        R = [group.turns[turn].reward for turn in path]

        def gained(place):
            return R[0] if place == 0 else abs * R[place] + imp * (R[place] - R[place - 2])

        for place, turn in enumerate(path):
            if place % 2 == 0:
                own = gained(place)
            else:
                own = ver * R[place] + (gained(place + 1) if place + 1 < len(path) else 0.0)
            returns[turn] = [outcome + own] * len(values[turn])
            advantage[turn] = [outcome + own - v for v in values[turn]]
    return advantage, {"returns": returns}
