"""REINFORCE++: every turn of a rollout gets its outcome, compared with the outcomes of the whole batch.

    A_i = R^O_i, the same for every turn of rollout i
    with baseline "group": A_i = R^O_i - mean_j R^O_j

Hu, Liu et al. 2025, arXiv 2501.03262. A trainer then normalises over all tokens of the batch (`BATCH`).
"""

from typing import Literal

from turnwise_rl import normalize, outcomes, spread, trajectories

REWARDS = "outcome"

BATCH = "tokens"


def credit(group, baseline: Literal["none", "group"] = "none"):
    paths = trajectories(group)
    R = outcomes(group, paths)
    return spread(group, paths, normalize(R, "dr-grpo") if baseline == "group" else R)
