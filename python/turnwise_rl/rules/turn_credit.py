"""Turn credit: a rollout is compared by its outcome and the progress that it kept; its turns share what progress they led to.

    phi_t   = sum of the rewards up to turn t, or the reward of turn t (scores): the score of the state after the turn
    delta_t = phi_t - phi_{t-1}, and delta_1 = phi_1 (start "zero") or 0 ("unscored")
    c_t     = sum over s >= t of gamma^(s-t) delta_s / z_s, z_s = 1 + gamma + ... + gamma^(s-1)
    R_i     = R^O_i + sum of delta, L_i = R_i - mean_j R_j
    A_t     = L_i + beta (c_t - mean of c over the rollout), weighed by the turns' tokens, or 1 in a group that has none

prime-rl, pull request 3282 (snimu 2026), with scores "reward" and start "unscored"; a turn that nobody scored is written
with the score before it there.
"""

from typing import Annotated, Literal

from turnwise_rl import Range, normalize, outcomes, token_weights, total, trajectories

GAMMA = Range(
    0, 1, "Of progress, so much of a turn's share has the turn before it. At 0 the turn itself has all, at 1 all have the same."
)
BETA = Range(0, 5, "Weight of what tells the turns of a rollout apart, beside the level that they share.")


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
        own = phi if scores == "sum" else [phi[0]] + [later - before for before, later in zip(phi, phi[1:])]
        own = own if start == "zero" else [0.0] + own[1:]
        z, c = 0.0, []
        for progress in own:
            z = 1 + gamma * z
            c.append(progress / z)
        for t in range(len(path) - 2, -1, -1):
            c[t] += gamma * c[t + 1]
        mean = c[-1] + total(n[turn] * (one - c[-1]) for turn, one in zip(path, c)) / total(n[turn] for turn in path)
        for turn, progress, one in zip(path, own, c):
            delta[turn], centred[turn] = progress, one - mean
        returns.append(outcome + total(own))

    level, R = [0.0] * len(group.turns), [0.0] * len(group.turns)
    for path, own, L in zip(paths, returns, normalize(returns, "dr-grpo")):
        for turn in path:
            level[turn], R[turn] = L, own
    advantage = [L + beta * shift for L, shift in zip(level, centred)]
    return advantage, {"progress": delta, "centredCredit": centred, "return": R, "level": level}
