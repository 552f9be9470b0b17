"""PPO-OR: only the outcome is paid, on the last token; a critic tells each token how much better it went than expected.

    r_t = R^O_i on the last token of rollout i, else 0
    delta_t = r_t + gamma V_{t+1} - V_t over the tokens that the policy wrote, V = 0 behind the last
    A_t = delta_t + gamma lambda A_{t+1}, return_t = A_t + V_t

Baseline of Wei, Zeng et al. 2025, arXiv 2505.11821.
"""

from typing import Annotated

from turnwise_rl import Range, outcomes, paid_tokens, token_values, trajectories

REWARDS = "outcome"


def credit(
    group,
    gamma: Annotated[float, Range(0, 1, "Reward that comes one token later counts this much.")] = 1.0,
    lambda_: Annotated[float, Range(0, 1, "How far a token looks past the critic: 0 trusts its next value alone.")] = 1.0,
):
    paths = trajectories(group)
    values = token_values(group)
    paid = [0.0] * len(group.turns)
    for path, outcome in zip(paths, outcomes(group, paths)):
        paid[path[-1]] = outcome
    advantage, returns = paid_tokens(values, paths, paid, gamma, lambda_)
    return advantage, {"returns": returns}
