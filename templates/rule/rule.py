"""Discounted outcome: a turn gets the credit of its rollout, discounted once for each turn that follows it.

    A_i     = normalise R^O_i over the group
    A_{i,k} = gamma^(K_i - k) A_i

Shao et al. 2024, arXiv 2402.03300, section 4.1.2, times a discount.
"""

from typing import Annotated

from turnwise_rl import Profile, Range, normalize, outcomes, trajectories

REWARDS = "outcome"

GAMMA = Range(0, 1, "Share of the credit that the turn before gets. At 1 the rule is GRPO-OR, at 0 only last turns get credit.")


def credit(group, gamma: Annotated[float, GAMMA] = 0.5, profile: Profile = "turnwise"):
    paths = trajectories(group)
    advantage = [0.0] * len(group.turns)
    for path, A in zip(paths, normalize(outcomes(group, paths), profile)):
        for turn in reversed(path):
            advantage[turn] = A
            A *= gamma
    return advantage
