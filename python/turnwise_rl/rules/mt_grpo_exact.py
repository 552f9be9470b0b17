"""MT-GRPO exact: each turn is compared with the other turns from the same state, and gets a share of the credit of later turns.

    A^O_i = normalise R^O_i over all last turns of the group
    A^I_t = normalise R^I_t over the intermediate turns that continue the same turn
    A_t   = A^I_t + alpha mean_{c continues t} A_c; A_t = A^O_i for a last turn

With absent = "zero", a last turn has R^I_t = 0 and credit A^I_t + A^O_i, and A^I is over all turns that continue the same turn.
With absent = "leave-one-out", the mean of this credit over the other turns that continue the same turn is subtracted.

Wei, Zeng et al. 2025, arXiv 2505.11821. The paper does not specify the rollouts with which an outcome is compared, and the credit
of a turn that several turns continue.
"""

from typing import Annotated, Literal

from turnwise_rl import Profile, Range, children, less_peers, mean, normalize, outcomes, response_groups

ALPHA = Range(0, 1, "Share of the credit of the next turns that a turn gets. At 0 a turn gets only credit for its own reward.")

ABSENT = (
    "Turns that a shorter rollout lacks: leave compares only rollouts with the turn, zero counts reward 0, "
    "leave-one-out then subtracts the mean of the other turns from the same state."
)


def credit(
    group,
    alpha: Annotated[float, ALPHA] = 1.0,
    absent: Annotated[Literal["leave", "zero", "leave-one-out"], ABSENT] = "leave",
    profile: Profile = "turnwise",
):
    groups = response_groups(group)
    after = children(group)
    last = [turn for turn, several in enumerate(after) if not several]
    outcome_advantage = dict(zip(last, normalize(outcomes(group, [[turn] for turn in last]), profile)))

    turn_advantage = [0.0] * len(group.turns)
    for _, _, members in groups:
        siblings = [turn for turn in members if absent != "leave" or after[turn]]
        compared = [group.turns[turn].reward if after[turn] else 0.0 for turn in siblings]
        for turn, value in zip(siblings, normalize(compared, profile, len(last))):
            turn_advantage[turn] = value

    # Backwards: the turns that continue a turn have larger indices.
    advantage = [0.0] * len(group.turns)
    for turn in reversed(range(len(group.turns))):
        shared = alpha * mean([advantage[next] for next in after[turn]]) if after[turn] else outcome_advantage[turn]
        advantage[turn] = turn_advantage[turn] + shared
    if absent == "leave-one-out":
        return less_peers(advantage, [members for _, _, members in groups])
    return advantage
