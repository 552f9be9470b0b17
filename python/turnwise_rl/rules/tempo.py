"""TEMPO: the credit of a rollout, plus the change by the turn in the mean outcome of the rollouts with the same prefix.

    r_i  = (R^O_i - mean_j R^O_j) / (std_j R^O_j + epsilon)
    V(h) = mean of r over the rollouts of the group that begin with h; after the last turn V = r_i
    h_t  = states and actions of the rollout before turn t, and the state of turn t
    A_t  = r_i + V(h_{t+1}) - V(h_t)

Tran, Yao, Yu 2025, arXiv 2509.18314. Prefixes consist of turns; in the paper they consist of tokens.
"""

from turnwise_rl import Profile, mean, normalize, outcomes, signature, trajectories

REWARDS = "outcome"


def credit(group, profile: Profile = "turnwise"):
    paths = trajectories(group)
    r = normalize(outcomes(group, paths), profile)
    history, rollouts_of = {}, {}  # prefix of each turn; rollouts with each prefix
    for i, path in enumerate(paths):
        before = ()
        for turn in path:
            history[turn] = before + (signature(group, turn, "state"),)
            rollouts_of.setdefault(history[turn], []).append(i)
            before = history[turn] + (signature(group, turn, "action"),)

    V = {h: mean([r[i] for i in rollouts]) for h, rollouts in rollouts_of.items()}
    advantage = [0.0] * len(group.turns)
    for i, path in enumerate(paths):
        next_values = [V[history[turn]] for turn in path[1:]] + [r[i]]
        for turn, following in zip(path, next_values):
            advantage[turn] = r[i] + (following - V[history[turn]])
    return advantage, {"prefixValue": [V[history[turn]] for turn in range(len(group.turns))]}
