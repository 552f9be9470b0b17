"""MT-GRPO exact: each turn is compared with the other turns from the very same state, and shares in what comes after it.

    A^O_i = normalise R^O_i over all last turns of the group
    A^I_t = normalise R^I_t over the intermediate turns that continue the same turn
    A_t   = A^I_t + alpha mean_{c continues t} A_c; A_t = A^O_i for a last turn

With absent = "zero" a last turn has R^I_t = 0, A^I is over all that continue the same turn, a last turn has A^I_t + A^O_i.
With absent = "leave-one-out" a turn has that credit less the mean of it over the other turns that continue the same turn.

Wei, Zeng et al. 2025, arXiv 2505.11821. The paper leaves open over which rollouts the outcome is compared, and what a turn
that several continue gets of them.
"""

from typing import Annotated, Literal

from turnwise_rl import Profile, Range, children, less_peers, mean, normalize, outcomes, response_groups

ALPHA = Range(0, 1, "Credit of a turn for what follows it, a factor a turn. At 0 a turn answers for its own reward alone.")

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
    whole = dict(zip(last, normalize(outcomes(group, [[turn] for turn in last]), profile)))

    own = [0.0] * len(group.turns)
    for _, _, members in groups:
        siblings = [turn for turn in members if absent != "leave" or after[turn]]
        compared = [group.turns[turn].reward if after[turn] else 0.0 for turn in siblings]
        for turn, value in zip(siblings, normalize(compared, profile)):
            own[turn] = value

    # Backwards: what continues a turn stands behind it.
    advantage = [0.0] * len(group.turns)
    for turn in reversed(range(len(group.turns))):
        later = alpha * mean([advantage[next] for next in after[turn]]) if after[turn] else whole[turn]
        advantage[turn] = own[turn] + later
    if absent == "leave-one-out":
        return less_peers(advantage, [members for _, _, members in groups])
    return advantage
