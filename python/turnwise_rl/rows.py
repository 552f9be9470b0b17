"""From a trainer's rows to groups and back: one row a rollout, its turns the runs of ones in its mask."""

import math
import warnings
from typing import Any, Hashable, NamedTuple, Sequence
from urllib.parse import parse_qsl

from .core import Group, GroupError, total
from .parameters import ParameterError
from .result import Value
from .rule import Rule, load_rule, rule_names

# What a group needs beyond rewards, and what a rule that needs it is refused with where a trainer does not carry it.
CARRIED = {
    "state": "state hashes",
    "action": "actions as texts",
    "solved": "whether a rollout is solved",
    "passed": "results of unit tests",
    "logProb": "log-probabilities",
    "values": "the critic's values",
    "belief": "the policy's probability of the right answer",
    "worth": "returns of episodes played on from before them",
}

# Fields of turns that each trainer hands to a rule, beyond rewards, outcomes and tokens.
TRAINERS: "dict[str, tuple[str, ...]]" = {
    "verl": (),
    "TRL": ("state", "action", "solved", "passed"),
    "Ray Data": tuple(CARRIED),
    "SkyRL": ("values",),
    "prime-rl": ("state", "action", "solved"),
    "slime": (),
    "rLLM": (),
    "tinker-cookbook": (),
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


def parse_rule(name: str, profile: "str | None" = None) -> Rule:
    """Loads a rule as configurations name it: `mt-grpo`, `mt-grpo?alpha=.9&profile=trl`, `file:/path/my_rule.py?alpha=.5`.

    `profile`: the trainer's, for a rule whose profile is the default and not given; constants that are given stay.
    Raises ParameterError for another type and for a query that is not NAME=VALUE; RuleError and ParameterError as load_rule does.
    """
    if not isinstance(name, str):
        raise ParameterError(f"a rule is named by a text such as mt-grpo?alpha=.9, not by a {type(name).__name__}")
    path, _, query = name.partition("?")
    try:
        values: "dict[str, Any]" = dict(parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query)))
    except ValueError:
        raise ParameterError(f'{name}: "{query}" is not NAME=VALUE; & separates several parameters') from None
    return load_with_profile(path[len("file:") :] if path.startswith("file:") else path, profile, **values)


def load_with_profile(path: str, trainers: "str | None", /, **values: Any) -> Rule:
    """Loads a rule with a trainer's profile, if the rule has the default profile and `values` give none. Raises as load_rule does."""
    rule = load_rule(path, **values)
    named = next((one for one in rule.parameters if one.kind == "profile"), None)
    if trainers is None or named is None or named.name in values or named.default != "turnwise":
        return rule
    return load_rule(path, **values, **{named.name: trainers})


def check_rule(rule: Rule, trainer: str, carried: "Sequence[str] | None" = None) -> None:
    """Tries a rule on two rollouts with the fields that a trainer carries: those of TRAINERS, or `carried`.

    Raises UnsupportedRule naming a field that the trainer lacks. Warns if the rule ignores outcomes.
    """
    given = TRAINERS.get(trainer, ()) if carried is None else carried
    missing = missing_fields(rule, given)
    if missing:
        raise UnsupportedRule(
            f"{rule.name} needs {CARRIED[missing[0]]} (`{missing[0]}`) of turns, which {trainer} does not hand to its advantages"
        )
    ignores = _probe(rule, given) == _probe(rule, given, outcomes=(0.0, 1.0))
    if ignores and "passed" not in missing_fields(rule, ()):  # a rule of test results has no need of outcomes
        message = f"{rule.name} gives the same credit to two rollouts that differ in their outcome alone"
        warnings.warn(f"{message}: outcomes train nothing under {trainer}", stacklevel=3)


def missing_fields(rule: Rule, carried: "Sequence[str]") -> "list[str]":
    """Returns the fields of turns that a rule needs beyond rewards, outcomes and those carried."""
    missing: "list[str]" = []
    while True:
        try:
            _probe(rule, (*carried, *missing))
        except GroupError as error:
            if error.field not in CARRIED or error.field in (*carried, *missing):
                raise
            missing.append(error.field)
        else:
            return missing


def reads_turn_rewards(rule: Rule) -> bool:
    """True for a rule whose only signal of turns is their rewards: these change its credit, and it needs no other field."""
    try:
        return _probe(rule, ()) != _probe(rule, (), reward=1.0)
    except GroupError:
        return False


def _probe(
    rule: Rule, carried: "Sequence[str]", reward: float = 0.0, outcomes: "tuple[float, float]" = (1.0, 0.0)
) -> "list[Value]":
    """Credit of two rollouts of two turns; the first turn of the first one has the reward. States and actions all differ."""
    known = {"solved": False, "passed": [1], "values": [0.0], "logProb": 0.0, "belief": 0.0, "worth": 0.0}
    turns: "list[dict[str, Any]]" = []
    for index, parent in enumerate((-1, 0, -1, 2)):
        fields = {**known, "state": f"s{index}", "action": f"a{index}"}
        turns.append({"parent": parent, "reward": 0.0, "tokens": 1, **{name: fields[name] for name in carried}})
    turns[0]["reward"], turns[1]["outcome"], turns[3]["outcome"] = reward, *outcomes
    return rule(Group("probe", turns, outcome_is_total=False)).advantage


def support_table() -> str:
    """Returns the table rule x trainer as Markdown: `yes`, or the fields of turns that the trainer does not carry."""
    lines = [f"| rule | {' | '.join(TRAINERS)} |", f"| --- |{' --- |' * len(TRAINERS)}"]
    for name in rule_names():
        rule = load_rule(name)
        missing = [missing_fields(rule, carried) for carried in TRAINERS.values()]
        cells = [", ".join(f"no `{field}`" for field in fields) or "yes" for fields in missing]
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def credit_rows(rule: Rule, rows: "Sequence[Row]") -> "list[list[Value]]":
    """[rows][turns]: the advantage of each turn, normalised over the rows for a rule with `BATCH`. Raises GroupError naming the group and the row, RuleError as the rule does."""
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
    return normalize_batch(rule.batch, [row.tokens for row in rows], result) if rule.batch else result


def normalize_batch(
    members: str, tokens: "Sequence[Sequence[int]]", credits: "Sequence[Sequence[Value]]"
) -> "list[list[Value]]":
    """[rows][turns]: (A - mean) / (std + 1e-4) over all rollouts of a batch, which have one advantage each, or over all tokens.

    Raises UnsupportedRule for turns with one number a token.
    """
    if any(isinstance(A, list) for advantages in credits for A in advantages):
        raise UnsupportedRule("a rule with BATCH has one number a turn, not one a token")
    counts = tokens if members == "tokens" else [[0] * (len(row) - 1) + [1] * bool(row) for row in tokens]
    counted = [(A, n) for advantages, numbers in zip(credits, counts) for A, n in zip(advantages, numbers) if A is not None]
    size = total(n for _, n in counted)
    center = total(n * A for A, n in counted) / max(size, 1)
    deviation = math.sqrt(total(n * (A - center) ** 2 for A, n in counted) / max(size - 1, 1))
    return [[None if A is None else (A - center) / (deviation + 1e-4) for A in advantages] for advantages in credits]

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
