"""REINFORCE++: every turn of a rollout gets the outcome, compared with the outcomes of the batch.

    A_i = R^O_i, the same for every turn of rollout i
    with baseline "group": A_i = R^O_i - mean_j R^O_j

Hu, Liu et al. 2025, arXiv 2501.03262. A trainer then normalises over all tokens of the batch (`BATCH`).
"""

from typing import Literal

from turnwise_rl import broadcast, normalize, outcomes, trajectories

REWARDS = "outcome"

BATCH = "tokens"


def credit(group, baseline: Literal["none", "group"] = "none"):
    paths = trajectories(group)
    R = outcomes(group, paths)
    return broadcast(group, paths, normalize(R, "dr-grpo") if baseline == "group" else R)
