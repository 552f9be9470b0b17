"""Report of groups without credit and the reasons, with the same texts as src/cli/commands/creditRun.ts."""

import os
from typing import Any

from .core import Group, children, with_totals
from .result import Credit
from .rule import Rule

# Rules that distinguish the turns of a rollout by turn rewards only.
TURN_REWARD_RULES = ("grpo-mr", "mt-grpo", "mt-grpo-exact")

FLAT_REASONS = (
    "all ended in an error", "none has a reward", "one rollout alone", "all reached the limit of turns", "all solved", "all failed",
    "all got the same reward",
)  # fmt: skip


class CreditReport:
    """Counts of the groups to which a rule assigns no credit, by reason."""

    def __init__(self, rule: Rule):
        self.rule, self.groups, self.zeros, self.unnoticed = rule, 0, 0, 0
        self.turn_rewards = False
        self.reasons: "dict[str, int]" = {}

    def see(self, group: Group, credit: Credit) -> None:
        """Counts a group."""
        group = with_totals(self.rule.rewards, group)
        self.groups += 1
        self.turn_rewards = self.turn_rewards or any(turn.reward != 0 for turn in group.turns)
        if any(any(value) if isinstance(value, list) else value for value in credit.advantage):
            return
        self.zeros += 1
        reason = flat_reason(group)
        if reason is None:
            self.unnoticed += 1
        else:
            self.reasons[reason] = self.reasons.get(reason, 0) + 1

    def lines(self) -> "list[str]":
        """Returns the lines of the report. The last line has the number of groups."""
        lines = []
        total = f"{self.groups} group{'' if self.groups == 1 else 's'}"
        if self.unnoticed:
            hint = ": it compares turns that continue the same turn" if self.rule.rewards == "attempts" else ""
            where = "the group" if self.groups == 1 else f"{self.unnoticed} of {total}"
            name = os.path.basename(self.rule.name)
            lines.append(f"warning: {name} gives 0 to every turn of {where}, although outcomes differ{hint}")
        if self.rule.name in TURN_REWARD_RULES and not self.turn_rewards:
            lines.append(
                f"warning: no turn has a reward, so {self.rule.name} gives all turns of a rollout the same credit; "
                "`import --turn-rewards COLUMN` reads rewards of turns"
            )
        counts = [f"{self.reasons[reason]} {reason}" for reason in FLAT_REASONS if reason in self.reasons]
        counts += [f"{self.unnoticed} with different outcomes"] if self.unnoticed else []
        why = f", {self.zeros} without credit ({', '.join(counts)})" if self.zeros else ""
        lone = self.reasons.get("one rollout alone", 0)
        where = "the group holds" if self.groups == 1 else f"{lone} of {total} hold"
        compare = f"; {where} one rollout: no rule that compares rollouts gives credit there" if lone else ""
        return [*lines, f"{total}{why}{compare}"]


def flat_reason(group: Group) -> "str | None":
    """Returns the reason why the rollouts of a group cannot be compared, or None if their outcomes differ."""
    after = children(group)
    ends = [turn for turn, more in zip(group.turns, after) if not more]
    scored = [turn for turn in ends if turn.outcome is not None]
    if not scored:
        return "all ended in an error" if ends and all(_has(turn, "failed") for turn in ends) else "none has a reward"
    if len(scored) == 1:
        return "one rollout alone"
    outcome = scored[0].outcome
    if any(turn.outcome != outcome for turn in scored):
        return None
    if all(_has(turn, "truncated") for turn in scored):
        return "all reached the limit of turns"
    if all(outcome >= 1 if turn.solved is None else turn.solved for turn in scored):
        return "all solved"
    if outcome <= 0 and not any(turn.solved for turn in scored):
        return "all failed"
    return "all got the same reward"


def _has(turn: Any, name: str) -> bool:
    return bool(turn.fields.get(name))
