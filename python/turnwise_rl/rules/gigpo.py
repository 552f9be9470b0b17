"""GiGPO: a rollout is compared with its group as a whole, and each turn with the turns that stood before the same state.

    r_t   = reward of the turn, + outcome on the last turn; R_i = sum_t r_t; G_t = r_t + gamma G_{t+1}
    A^E_i = (R_i - mean_j R_j) / F over the group
    A^S_t = (G_t - mean G) / F over the turns of the group with the same state; 0 for a turn alone in its state
    A_t   = A^E_i + omega A^S_t; F = 1 (mean_norm) or the standard deviation + epsilon (mean_std_norm)

Feng, Xue, Liu, An 2025, arXiv 2505.10978, eq. 3, 5 to 8.
"""

from typing import Annotated, Literal

from turnwise_rl import Corners, Range, discounted, normalize, outcomes, signature, spread, trajectories

CONSTANTS = Corners("ddof", "epsilon", "singleton")  # whether to divide is the mode's business


def credit(
    group,
    gamma: Annotated[float, Range(0, 1, "What a reward counts a turn earlier.")] = 0.95,
    omega: Annotated[float, Range(0, 5, "Weight of the comparison within a state, beside that of whole rollouts.")] = 1.0,
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
    episode = spread(group, paths, normalize(R, profile, scale=scale))
    advantage = [E + omega * S for E, S in zip(episode, step)]
    named = {"return": G, "episodeReturn": spread(group, paths, R), "episodeAdvantage": episode, "stepAdvantage": step}
    return advantage, named
