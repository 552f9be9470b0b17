"""From a trainer's rows to groups and back: one row a rollout, its turns the runs of ones in its mask."""

import warnings
from typing import Any, Hashable, NamedTuple, Sequence
from urllib.parse import parse_qsl

from .core import Group, GroupError
from .result import Value
from .rule import Rule, load_rule

# What a group needs beyond rewards, and what a rule that needs it is refused with where a trainer does not carry it.
CARRIED = {
    "state": "state hashes",
    "action": "actions as texts",
    "solved": "whether a rollout is solved",
    "passed": "results of unit tests",
    "logProb": "log-probabilities of turns",
    "values": "the critic's values",
    "belief": "the policy's probability of the right answer",
    "worth": "returns of episodes played on from before turns",
}


class UnsupportedRule(ValueError):
    """A rule that needs what a trainer does not hand to its advantages."""


class Row(NamedTuple):
    """One rollout. Without turns (no token of the policy is trained on) it takes no part in its group."""

    group: Hashable
    rewards: "Sequence[float]"  # [turns]: R^I; the last turn's may be part of the outcome
    outcome: float
    tokens: "Sequence[int]"  # [turns]
    fields: "Sequence[dict[str, Any]]" = ()  # [turns]: what else rules read; empty: nothing
    last: float = 0.0  # what the last turn earned itself, beside the outcome; most rules do not read it


def own_of_last(rewards: "Sequence[float]") -> float:
    """The last turn's own reward, where a trainer hands over turn rewards apart from the outcome; 0 without turns."""
    return rewards[-1] if rewards else 0.0


def parse_rule(name: str) -> Rule:
    """A rule as configurations name it: `mt-grpo`, `mt-grpo?alpha=.9&profile=trl`, `file:/path/my_rule.py?alpha=.5`.

    Raises RuleError and ParameterError as load_rule does.
    """
    path, _, query = name.partition("?")
    values = dict(parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query)))
    return load_rule(path[len("file:") :] if path.startswith("file:") else path, **values)


def check_rule(rule: Rule, trainer: str, carried: "Sequence[str]" = ()) -> None:
    """Tries a rule on two rollouts with the fields that a trainer carries. Raises UnsupportedRule naming the field that lacks."""
    known = {"state": "s", "action": "a", "solved": False, "passed": [1], "values": [0.0], "logProb": 0.0, "belief": 0.0, "worth": 0.0}
    fields = {name: known[name] for name in carried}
    turns = [{"parent": parent, "reward": 0.0, "tokens": 1, **fields} for parent in (-1, 0, -1, 2)]
    turns[1]["outcome"], turns[3]["outcome"] = 1.0, 0.0
    try:
        advantages = rule(Group("probe", turns, outcome_is_total=False)).advantage
    except GroupError as error:
        if error.field in CARRIED and error.field not in carried:
            raise UnsupportedRule(
                f"{rule.name} needs {CARRIED[error.field]} (`{error.field}`) of turns, which {trainer} does not hand to its advantages"
            ) from None
        raise
    if advantages[:2] == advantages[2:]:
        message = f"{rule.name} gives the same credit to two rollouts that differ in their outcome alone"
        warnings.warn(f"{message}: outcomes train nothing under {trainer}", stacklevel=3)


def credit_rows(rule: Rule, rows: "Sequence[Row]") -> "list[list[Value]]":
    """[rows][turns]: the advantage of each turn. Raises GroupError naming the group and the row, RuleError as the rule does."""
    members: "dict[Hashable, list[int]]" = {}
    for index, row in enumerate(rows):
        if len(row.tokens) > 0:
            members.setdefault(row.group, []).append(index)
    result: "list[list[Value]]" = [[] for _ in rows]
    for key, indices in members.items():
        turns: "list[dict[str, Any]]" = []
        starts = []
        for index in indices:
            starts.append(len(turns))
            turns.extend(_turns(rows[index], len(turns)))
        try:
            advantage = rule(Group(str(key), turns, outcome_is_total=False)).advantage
        except GroupError as error:
            raise _located(error, indices, starts) from None
        for index, start in zip(indices, starts):
            result[index] = advantage[start : start + len(rows[index].tokens)]
    return result


def _turns(row: Row, start: int) -> "list[dict[str, Any]]":
    last = len(row.tokens) - 1
    turns = []
    for k, tokens in enumerate(row.tokens):
        turn = {"parent": -1 if k == 0 else start + k - 1, "reward": row.rewards[k] if k < last else row.last, "tokens": tokens}
        turn.update(row.fields[k] if row.fields else {})
        turns.append(turn)
    turns[-1]["outcome"] = row.outcome
    return turns


def _located(error: GroupError, indices: "list[int]", starts: "list[int]") -> GroupError:
    if error.turn is None:
        return error
    place = max(place for place, start in enumerate(starts) if start <= error.turn)
    problem = f"{error.problem} (row {indices[place]} of the batch, its turn {error.turn - starts[place]})"
    return GroupError(problem, error.turn, error.field).at(group=error.group)
