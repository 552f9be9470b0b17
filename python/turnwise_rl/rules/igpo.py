"""IGPO: a turn is rewarded for the increase in probability of the correct answer; its credit is the discounted sum.

    p_t = exp(answerLogProb_t), the policy's probability of the correct answer before turn t
    r_t = p_{t+1} - p_t, and r_K = R^O on the last turn
    r~  = (r - mean r) / (std r + epsilon) over all turns of the group
    A_t = r~_t + gamma A_{t+1}

With pool = "separate", gains and outcomes are normalised separately.

Wang, Dai et al. 2025, arXiv 2510.14967.
"""

from typing import Annotated, Literal

from turnwise_rl import Profile, Range, answer_probabilities, discounted, normalize, outcomes, trajectories

REWARDS = "outcome"

GAMMA = Range(
    0, 1, "Discount of a gain for each earlier turn. At 0 a turn gets only its own gain, at 1 also all later gains."
)


def credit(
    group,
    gamma: Annotated[float, GAMMA] = 1.0,
    pool: Literal["joint", "separate"] = "joint",
    profile: Profile = "turnwise",
):
    paths = trajectories(group)
    reward = [0.0] * len(group.turns)
    for path, outcome in zip(paths, outcomes(group, paths)):
        reward[path[-1]] = outcome
    p = answer_probabilities(group)
    for path in paths:
        for turn, following in zip(path, path[1:]):
            reward[turn] = p[following] - p[turn]

    ends = {path[-1] for path in paths}
    gains = [turn for turn in range(len(group.turns)) if turn not in ends]
    scaled = [0.0] * len(group.turns)
    for members in [gains, sorted(ends)] if pool == "separate" else [range(len(group.turns))]:
        for turn, value in zip(members, normalize([reward[turn] for turn in members], profile, len(paths))):
            scaled[turn] = value

    advantage = [0.0] * len(group.turns)
    for path in paths:
        for turn, A in zip(path, discounted([scaled[turn] for turn in path], gamma)):
            advantage[turn] = A
    return advantage, {"gain": reward}
