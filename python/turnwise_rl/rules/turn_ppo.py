"""Turn-PPO: a turn is one action, and all its tokens get its advantage over the critic's value before the turn.

    r_k = R^I_{i,k} for turn k < K_i, R^O_i for the last turn
    delta_k = r_k + gamma V_{k+1} - V_k with V_k at the first token of turn k, V = 0 after the last turn
    A_k = delta_k + gamma lambda A_{k+1}, return_k = A_k + V_k, the same for all tokens of turn k

Li, Zhou, Meng et al. 2025, arXiv 2512.17008.
"""

from typing import Annotated

from turnwise_rl import Range, gae, outcomes, token_values, trajectories


def credit(
    group,
    gamma: Annotated[float, Range(0, 1, "Discount of a reward for each earlier turn.")] = 0.99,
    lambda_: Annotated[float, Range(0, 1, "0 uses only the next value of the critic, 1 all later rewards.")] = 0.9,
):
    paths = trajectories(group)
    values = token_values(group)
    advantage = [[] for _ in group.turns]
    returns = [[] for _ in group.turns]
    for path, outcome in zip(paths, outcomes(group, paths)):
        V = [values[turn][0] for turn in path]
        rewards = [group.turns[turn].reward for turn in path[:-1]] + [outcome]
        for turn, v, A in zip(path, V, gae(rewards, V, gamma, lambda_)):
            advantage[turn] = [A] * len(values[turn])
            returns[turn] = [A + v] * len(values[turn])
    return advantage, {"returns": returns}
