"""Turn credit: rollouts are compared by outcome plus total progress, and progress is shared by the turns that led to it.

    phi_t   = sum of the rewards up to turn t, or the reward of turn t (scores): the score of the state after the turn
    delta_t = phi_t - phi_{t-1}, and delta_1 = phi_1 (start "zero") or 0 ("unscored")
    c_t     = sum over s >= t of gamma^(s-t) delta_s / z_s, z_s = 1 + gamma + ... + gamma^(s-1)
    R_i     = R^O_i + sum of delta, L_i = R_i - mean_j R_j
    A_t     = L_i + beta (c_t - mean of c over the rollout), weighted by tokens, or by 1 in a group without token counts

prime-rl, pull request 3282 (snimu 2026), with scores "reward" and start "unscored". There, a turn without a score
has the score of the turn before it.
"""

from typing import Annotated, Literal

from turnwise_rl import Range, normalize, outcomes, token_weights, total, trajectories

GAMMA = Range(
    0, 1, "Share of progress of the previous turn, relative to the turn. At 0 the turn has all, at 1 earlier turns have the same."
)
BETA = Range(0, 5, "Weight of the differences between turns of a rollout. Their mean, the level, has weight 1.")


def credit(
    group,
    scores: Literal["sum", "reward"] = "sum",
    start: Literal["zero", "unscored"] = "zero",
    gamma: Annotated[float, GAMMA] = 0.9,
    beta: Annotated[float, BETA] = 1.0,
):
    paths = trajectories(group)
    n = token_weights(group)
    delta, centred = [0.0] * len(group.turns), [0.0] * len(group.turns)
    returns = []
    for path, outcome in zip(paths, outcomes(group, paths)):
        phi = [group.turns[turn].reward for turn in path]
        gains = phi if scores == "sum" else [phi[0]] + [score - before for before, score in zip(phi, phi[1:])]
        gains = gains if start == "zero" else [0.0] + gains[1:]
        z, c = 0.0, []
        for progress in gains:
            z = 1 + gamma * z
            c.append(progress / z)
        for t in range(len(path) - 2, -1, -1):
            c[t] += gamma * c[t + 1]
        mean = c[-1] + total(n[turn] * (share - c[-1]) for turn, share in zip(path, c)) / total(n[turn] for turn in path)
        for turn, progress, share in zip(path, gains, c):
            delta[turn], centred[turn] = progress, share - mean
        returns.append(outcome + total(gains))

    level, R = [0.0] * len(group.turns), [0.0] * len(group.turns)
    for path, value, L in zip(paths, returns, normalize(returns, "dr-grpo")):
        for turn in path:
            level[turn], R[turn] = L, value
    advantage = [L + beta * shift for L, shift in zip(level, centred)]
    return advantage, {"progress": delta, "centredCredit": centred, "return": R, "level": level}
