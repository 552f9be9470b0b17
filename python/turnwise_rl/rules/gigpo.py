"""GiGPO: each rollout is compared with its group, and each turn with the other turns that start in the same state.

    r_t   = reward of the turn, + outcome on the last turn; R_i = sum_t r_t; G_t = r_t + gamma G_{t+1}
    A^E_i = (R_i - mean_j R_j) / F over the group
    A^S_t = (G_t - mean G) / F over the turns of the group with the same state; 0 for a single turn in a state
    A_t   = A^E_i + omega A^S_t; F = 1 (mean_norm) or the standard deviation + epsilon (mean_std_norm)

Feng, Xue, Liu, An 2025, arXiv 2505.10978, eq. 3, 5 to 8.
"""

from typing import Annotated, Literal

from turnwise_rl import NormalizationOptions, Range, broadcast, discounted, normalize, outcomes, signature, trajectories

CONSTANTS = NormalizationOptions("ddof", "epsilon", "singleton")  # `mode` determines `scale`


def credit(
    group,
    gamma: Annotated[float, Range(0, 1, "Discount of a reward for each earlier turn.")] = 0.95,
    omega: Annotated[float, Range(0, 5, "Weight of the comparison within a state. Rollouts are compared with weight 1.")] = 1.0,
    mode: Literal["mean_norm", "mean_std_norm"] = "mean_norm",
    profile: Annotated[str, CONSTANTS] = "turnwise",
):
    scale = "std" if mode == "mean_std_norm" else "none"
    paths = trajectories(group)
    R, G, anchors = [], [0.0] * len(group.turns), {}
    for path, outcome in zip(paths, outcomes(group, paths, missing=0.0)):
        r = [group.turns[turn].reward for turn in path]
        r[-1] += outcome
        R.append(discounted(r, 1.0)[0])
        for turn, value in zip(path, discounted(r, gamma)):
            G[turn] = value
    for turn in range(len(group.turns)):
        anchors.setdefault(signature(group, turn, "state"), []).append(turn)

    step = [0.0] * len(group.turns)
    for turns in anchors.values():
        for turn, A in zip(turns, normalize([G[t] for t in turns], profile, scale=scale, singleton="zero")):
            step[turn] = A
    episode = broadcast(group, paths, normalize(R, profile, scale=scale))
    advantage = [E + omega * S for E, S in zip(episode, step)]
    named = {"return": G, "episodeReturn": broadcast(group, paths, R), "episodeAdvantage": episode, "stepAdvantage": step}
    return advantage, named
