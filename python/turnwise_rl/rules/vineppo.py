"""VinePPO: the credit of a turn is the increase of the state value, the mean return of episodes that continue from a state.

    V_t = stateValue_t, the mean return of K episodes that the policy continues from the state before turn t
    A_t = gamma V_{t+1} - V_t, and A_K = R^O - V_K on the last turn

Kazemnejad, Aghajohari, Portelance et al. 2024, arXiv 2410.01679.
"""

from typing import Annotated

from turnwise_rl import Range, outcomes, state_values, trajectories

REWARDS = "outcome"

GAMMA = Range(
    0, 1, "Discount of a value for each earlier turn. At 1, as in the paper, the time of the outcome has no effect."
)


def credit(group, gamma: Annotated[float, GAMMA] = 1.0):
    paths = trajectories(group)
    R = outcomes(group, paths)
    V = state_values(group)
    advantage = [0.0] * len(group.turns)
    for path, outcome in zip(paths, R):
        for turn, following in zip(path, path[1:]):
            advantage[turn] = gamma * V[following] - V[turn]
        advantage[path[-1]] = outcome - V[path[-1]]
    return advantage, {"stateValue": V}
