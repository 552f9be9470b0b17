"""TEMPO: to the credit of the whole rollout comes what its turn changed in the mean outcome of the rollouts that begin alike.

    r_i  = (R^O_i - mean_j R^O_j) / (std_j R^O_j + epsilon)
    V(h) = mean of r over the rollouts of the group that begin with h; behind the last turn V = r_i
    h_t  = states and actions of the rollout before turn t, and the state of turn t
    A_t  = r_i + V(h_{t+1}) - V(h_t)

Tran, Yao, Yu 2025, arXiv 2509.18314. The paper's prefixes are of tokens; here they are of turns.
"""

from turnwise_rl import Profile, mean, normalize, outcomes, signature, trajectories

REWARDS = "outcome"


def credit(group, profile: Profile = "turnwise"):
    paths = trajectories(group)
    r = normalize(outcomes(group, paths), profile)
    history, begun = {}, {}  # of each turn; the rollouts that begin so
    for i, path in enumerate(paths):
        before = ()
        for turn in path:
            history[turn] = before + (signature(group, turn, "state"),)
            begun.setdefault(history[turn], []).append(i)
            before = history[turn] + (signature(group, turn, "action"),)

    V = {h: mean([r[i] for i in rollouts]) for h, rollouts in begun.items()}
    advantage = [0.0] * len(group.turns)
    for i, path in enumerate(paths):
        behind = [V[history[turn]] for turn in path[1:]] + [r[i]]
        for turn, following in zip(path, behind):
            advantage[turn] = r[i] + (following - V[history[turn]])
    return advantage, {"prefixValue": [V[history[turn]] for turn in range(len(group.turns))]}
