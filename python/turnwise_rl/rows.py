"""Conversion of the rows of a trainer to groups and back. A row is a rollout; its turns are the runs of ones in its mask."""

import math
import warnings
from typing import Any, Hashable, NamedTuple, Sequence
from urllib.parse import parse_qsl

from .core import Group, GroupError, total
from .parameters import ParameterError
from .result import Value
from .rule import Rule, load_rule, rule_names

# Fields of turns that rules need in addition to rewards, with their descriptions in messages.
CARRIED = {
    "state": "state hashes",
    "action": "actions as texts",
    "solved": "whether a rollout is solved",
    "passed": "results of unit tests",
    "logProb": "log-probabilities",
    "values": "the critic's values",
    "answerLogProb": "the policy's probability of the correct answer",
    "stateValue": "returns of episodes that continue from the state before them",
}

# Fields of turns that each trainer passes to a rule, in addition to rewards, outcomes and tokens.
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
    """Error for a rule that needs a field that the trainer does not pass to its advantage computation."""


class Row(NamedTuple):
    """One rollout. A row without turns (the loss masks all its tokens) is left out of its group."""

    group: Hashable
    rewards: "Sequence[float]"  # [turns]: R^I; the reward of the last turn may be part of the outcome
    outcome: float
    tokens: "Sequence[int]"  # [turns]
    fields: "Sequence[dict[str, Any]]" = ()  # [turns]: other fields that rules read; can be empty
    last: float = 0.0  # reward of the last turn in addition to the outcome; most rules do not read it


def last_reward(rewards: "Sequence[float]") -> float:
    """Returns the last turn reward, for trainers that pass turn rewards apart from the outcome; 0 without turns."""
    return rewards[-1] if rewards else 0.0


def parse_rule(name: str, profile: "str | None" = None) -> Rule:
    """Loads a rule by its name in a configuration: `mt-grpo`, `mt-grpo?alpha=.9&profile=trl`, `file:/path/my_rule.py?alpha=.5`.

    `profile`: profile of the trainer, used if the rule has the default profile and `name` has none. Constants in `name` remain.
    Raises ParameterError if `name` is not a text or its query is not NAME=VALUE; RuleError and ParameterError as load_rule does.
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
    """Loads a rule with the profile of a trainer, if the rule has the default profile and `values` has none. Raises as load_rule does."""
    rule = load_rule(path, **values)
    named = next((parameter for parameter in rule.parameters if parameter.kind == "profile"), None)
    if trainers is None or named is None or named.name in values or named.default != "turnwise":
        return rule
    return load_rule(path, **values, **{named.name: trainers})


def check_rule(rule: Rule, trainer: str, carried: "Sequence[str] | None" = None) -> None:
    """Runs a rule on two rollouts with the fields that a trainer passes: the fields in TRAINERS, or `carried`.

    Raises UnsupportedRule, with the name of the field, if the trainer lacks one. Warns if the rule ignores outcomes.
    """
    given = TRAINERS.get(trainer, ()) if carried is None else carried
    missing = missing_fields(rule, given)
    if missing:
        raise UnsupportedRule(
            f"{rule.name} needs {CARRIED[missing[0]]} (`{missing[0]}`) of turns, which {trainer} does not pass to its advantage computation"
        )
    ignores = _probe(rule, given) == _probe(rule, given, outcomes=(0.0, 1.0))
    if ignores and "passed" not in missing_fields(rule, ()):  # rules of test results can ignore outcomes
        message = f"{rule.name} gives the same credit to two rollouts that differ only in their outcome"
        warnings.warn(f"{message}: outcomes have no effect on training with {trainer}", stacklevel=3)


def missing_fields(rule: Rule, carried: "Sequence[str]") -> "list[str]":
    """Returns the fields that a rule needs in addition to rewards, outcomes and `carried`. Raises as the rule does."""
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
    """Returns True if turn rewards change the credit of a rule and the rule needs no other field of turns."""
    try:
        return _probe(rule, ()) != _probe(rule, (), reward=1.0)
    except GroupError:
        return False


def _probe(
    rule: Rule, carried: "Sequence[str]", reward: float = 0.0, outcomes: "tuple[float, float]" = (1.0, 0.0)
) -> "list[Value]":
    """Computes the credit of two rollouts of two turns, all with different states and actions.

    `reward`: reward of the first turn of the first rollout; the other turn rewards are 0.
    """
    known = {"solved": False, "passed": [1], "values": [0.0], "logProb": 0.0, "answerLogProb": 0.0, "stateValue": 0.0}
    turns: "list[dict[str, Any]]" = []
    for index, parent in enumerate((-1, 0, -1, 2)):
        fields = {**known, "state": f"s{index}", "action": f"a{index}"}
        turns.append({"parent": parent, "reward": 0.0, "tokens": 1, **{name: fields[name] for name in carried}})
    turns[0]["reward"], turns[1]["outcome"], turns[3]["outcome"] = reward, *outcomes
    return rule(Group("probe", turns, outcome_is_total=False)).advantage


def support_table() -> str:
    """Returns a Markdown table of rules and trainers. A cell is `yes`, or the fields that the trainer does not pass."""
    lines = [f"| rule | {' | '.join(TRAINERS)} |", f"| --- |{' --- |' * len(TRAINERS)}"]
    for name in rule_names():
        rule = load_rule(name)
        missing = [missing_fields(rule, carried) for carried in TRAINERS.values()]
        cells = [", ".join(f"no `{field}`" for field in fields) or "yes" for fields in missing]
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def credit_rows(rule: Rule, rows: "Sequence[Row]") -> "list[list[Value]]":
    """Computes the advantage of each turn [rows][turns], normalised over all rows for a rule with `BATCH`.

    Raises GroupError with the group and the row, and RuleError as the rule does.
    """
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
    """Normalizes advantages over a batch: (A - mean) / (std + 1e-4) [rows][turns].

    `members`: "tokens", or "rollouts" to count the advantage of the last turn of each rollout once. `tokens`:
    [rows][turns], number of tokens of each turn. Raises UnsupportedRule for turns with one advantage per token.
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
    member = max(index for index, start in enumerate(starts) if start <= error.turn)
    problem = f"{error.problem} (row {indices[member]} of the batch, its turn {error.turn - starts[member]})"
    return GroupError(problem, error.turn, error.field).at(group=error.group)
