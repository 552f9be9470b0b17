"""TAPO: the reward of tests includes the gain of the next program; the reward of a program does not include its tests.

    turns 1, 3, ... generate, turns 2, 4, ... verify; R_k is the reward of turn k, including the last turn
    g_1 = R_1, g_k = abs R_k + imp (R_k - R_{k-2}) for k = 3, 5, ...
    R^turn_k = g_k of a generation; ver R_k + g_{k+1} of a verification, without g if it is the last turn
    return_t = R^O + R^turn_k for all tokens t of turn k, A_t = return_t - V_t

Jin, Xu, Li et al. 2025, arXiv 2506.11442.
"""

from typing import Annotated

from turnwise_rl import Range, outcomes, token_values, trajectories


def credit(
    group,
    abs: Annotated[float, Range(0, 5, "Weight of the reward of a later program.")] = 0.0,
    imp: Annotated[float, Range(0, 5, "Weight of the gain of a later program over the program before it.")] = 1.0,
    ver: Annotated[float, Range(0, 5, "Weight of the reward of a verification.")] = 0.2,
):
    paths = trajectories(group)
    values = token_values(group)
    advantage = [[] for _ in group.turns]
    returns = [[] for _ in group.turns]
    for path, outcome in zip(paths, outcomes(group, paths)):
        R = [group.turns[turn].reward for turn in path]

        def gain(position):
            return R[0] if position == 0 else abs * R[position] + imp * (R[position] - R[position - 2])

        for position, turn in enumerate(path):
            if position % 2 == 0:
                shaped = gain(position)
            else:
                shaped = ver * R[position] + (gain(position + 1) if position + 1 < len(path) else 0.0)
            returns[turn] = [outcome + shaped] * len(values[turn])
            advantage[turn] = [outcome + shaped - v for v in values[turn]]
    return advantage, {"returns": returns}
