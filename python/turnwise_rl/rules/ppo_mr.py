"""PPO-MR: the sum of turn rewards and outcome is on the last token; advantages of tokens are relative to the values of a critic.

    r_t = sum_{l<K_i} R^I_{i,l} + R^O_i on the last token of rollout i, else 0
    delta_t = r_t + gamma V_{t+1} - V_t over the tokens that the policy wrote, V = 0 after the last token
    A_t = delta_t + gamma lambda A_{t+1}, return_t = A_t + V_t

Baseline of Wei, Zeng et al. 2025, arXiv 2505.11821.
"""

from typing import Annotated

from turnwise_rl import Range, outcomes, token_gae, token_values, total, trajectories


def credit(
    group,
    gamma: Annotated[float, Range(0, 1, "Discount of a reward for each earlier token.")] = 1.0,
    lambda_: Annotated[float, Range(0, 1, "0 uses only the next value of the critic, 1 all later rewards.")] = 1.0,
):
    paths = trajectories(group)
    values = token_values(group)
    rewards = [0.0] * len(group.turns)
    for path, outcome in zip(paths, outcomes(group, paths)):
        rewards[path[-1]] = total(group.turns[turn].reward for turn in path[:-1]) + outcome
    advantage, returns = token_gae(values, paths, rewards, gamma, lambda_)
    return advantage, {"returns": returns}
