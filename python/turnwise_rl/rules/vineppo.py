"""VinePPO: a turn is credited with what it changed: so much more do episodes return that go on from after it than from before.

    V_t = worth_t, the mean return of K episodes that the policy plays on from before turn t
    A_t = gamma V_{t+1} - V_t, and A_K = R^O - V_K on the last turn

Kazemnejad, Aghajohari, Portelance et al. 2024, arXiv 2410.01679.
"""

from typing import Annotated

from turnwise_rl import Range, outcomes, trajectories, worths

REWARDS = "outcome"

GAMMA = Range(
    0, 1, "What a value counts a turn earlier. At 1, as in the paper, it does not matter when the outcome comes."
)


def credit(group, gamma: Annotated[float, GAMMA] = 1.0):
    paths = trajectories(group)
    ending = outcomes(group, paths)
    V = worths(group)
    advantage = [0.0] * len(group.turns)
    for path, outcome in zip(paths, ending):
        for turn, following in zip(path, path[1:]):
            advantage[turn] = gamma * V[following] - V[turn]
        advantage[path[-1]] = outcome - V[path[-1]]
    return advantage, {"worth": V}
