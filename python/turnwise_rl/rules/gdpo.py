"""GDPO: each reward is normalised separately over the rollouts, and every turn of a rollout gets the sum.

    R^I_{i,l} = 0 for l >= K_i: a rollout without turn l has no reward there
    A^I_{i,l} = normalise R^I_{i,l} over the group, for each l; A^O_i = normalise R^O_i over the group
    A_i       = sum_l A^I_{i,l} + A^O_i, the same for every turn of rollout i

Liu, Dong et al. 2026, arXiv 2601.05242. A trainer then normalises over the rollouts of the batch (`BATCH`).
"""

from turnwise_rl import Profile, broadcast, levels, normalize, outcomes, total, trajectories

BATCH = "rollouts"


def credit(group, profile: Profile = "turnwise"):
    paths = trajectories(group)
    compared = []
    for level in range(len(levels(paths))):
        rewards = [group.turns[path[level]].reward if level < len(path) - 1 else 0.0 for path in paths]
        compared.append(normalize(rewards, profile))
    compared.append(normalize(outcomes(group, paths), profile))
    return broadcast(group, paths, [total(values[member] for values in compared) for member in range(len(paths))])
