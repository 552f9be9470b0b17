"""MT-GRPO: each turn is compared with the same turn of the other rollouts, and gets a share of the credit of later turns.

    A^O_i     = normalise R^O_i over the group
    A^I_{i,l} = normalise R^I_{i,l} over the rollouts in which turn l is an intermediate turn (l < K_i)
    A_{i,k}   = sum_{l=k}^{K_i-1} alpha^(l-k) A^I_{i,l} + alpha^(K_i-k) A^O_i

With absent = "zero", a rollout that stopped before turn l has R^I_{i,l} = 0, A^I is over all rollouts, and the sum extends to
the longest rollout of the group.
With absent = "leave-one-out", the mean of this credit over the other rollouts with the turn is subtracted (over all other
rollouts if none has the turn).

Wei, Zeng et al. 2025, arXiv 2505.11821.
"""

from typing import Annotated, Literal

from turnwise_rl import Profile, Range, less_peers, levels, normalize, outcomes, positions, trajectories

ALPHA = Range(0, 1, "Share of the credit of the next turn that a turn gets. At 0 a turn gets only credit for its own reward.")

ABSENT = (
    "Turns that a shorter rollout lacks: leave compares only rollouts with the turn, zero counts reward 0, "
    "leave-one-out then subtracts the mean of the other rollouts with the turn."
)


def credit(
    group,
    alpha: Annotated[float, ALPHA] = 1.0,
    absent: Annotated[Literal["leave", "zero", "leave-one-out"], ABSENT] = "leave",
    profile: Profile = "turnwise",
):
    paths = trajectories(group)
    outcome_advantage = normalize(outcomes(group, paths), profile)

    turn_advantage = [0.0] * len(group.turns)
    absent_advantage = [0.0] * len(paths)  # [trajectories]: credit of the turns that the rollout lacks
    for number, level in reversed(list(enumerate(levels(paths)))):
        if absent != "leave":
            level = [path[number] if number < len(path) - 1 else None for path in paths]
        compared = normalize([0.0 if turn is None else group.turns[turn].reward for turn in level], profile, len(paths))
        for member, (turn, value) in enumerate(zip(level, compared)):
            if turn is None:
                absent_advantage[member] = value + alpha * absent_advantage[member]
            else:
                turn_advantage[turn] = value

    # Backwards: A_K = A^O, A_k = A^I_k + alpha A_{k+1}, which is the sum above.
    advantage = [0.0] * len(group.turns)
    for path, A, missing in zip(paths, outcome_advantage, absent_advantage):
        A += missing
        advantage[path[-1]] = A
        for turn in reversed(path[:-1]):
            A = turn_advantage[turn] + alpha * A
            advantage[turn] = A
    return less_peers(advantage, positions(paths), len(paths)) if absent == "leave-one-out" else advantage
