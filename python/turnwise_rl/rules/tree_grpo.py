"""TreeGRPO: a last turn is compared with all last turns of the group; other turns have the mean credit of their continuations.

    A_i = (R^O_i - mean_j R^O_j) / (std_j R^O_j + epsilon) over all last turns of the group
    l_t = log-probability of turn t divided by its tokens ("mean"), or not divided ("sum"), or 0 ("uniform")
    w_t = exp(l_t) / sum_c exp(l_c) over the turns c that continue the same turn
    A_t = sum_c w_c A_c over the turns c that continue t

Ding, Ye 2025, arXiv 2512.08153; a baseline of the Murphy paper (arXiv 2511.07833, A.1).
"""

import math
from typing import Literal

from turnwise_rl import Profile, children, log_probs, normalize, outcomes, response_groups, token_counts, total

REWARDS = "outcome"


def credit(group, weights: Literal["mean", "sum", "uniform"] = "mean", profile: Profile = "turnwise"):
    groups = response_groups(group)
    last = [turn for turn, after in enumerate(children(group)) if not after]
    leaves = normalize(outcomes(group, [[turn] for turn in last]), profile)

    score = [0.0] * len(group.turns)
    if weights != "uniform":
        score = log_probs(group)
    if weights == "mean":
        score = [log_prob / tokens for log_prob, tokens in zip(score, token_counts(group))]

    weight = [0.0] * len(group.turns)
    for _, _, members in groups:
        largest = max(score[turn] for turn in members)
        share = [math.exp(score[turn] - largest) for turn in members]
        for turn, value in zip(members, share):
            weight[turn] = value / total(share)

    advantage = [0.0] * len(group.turns)
    for turn, A in zip(last, leaves):
        advantage[turn] = A
    for parent, _, members in reversed(groups):  # leaves first
        if parent >= 0:
            advantage[parent] = total(weight[turn] * advantage[turn] for turn in members)
    return advantage, {"weight": weight}
