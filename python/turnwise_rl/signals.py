"""Signals of turns that users of a trainer provide: rewards, states, actions, test results and `solved`, checked row by row.

A row is a completion of a batch. Lists have one value per turn; lists of rewards can omit the last turn.
"""

import json
import warnings
from itertools import zip_longest
from typing import Any, Mapping, Sequence

from .core import GroupError
from .rows import CARRIED, Row, UnsupportedRule, reads_turn_rewards
from .rule import Rule

# Fields of turns and the names under which users report them, one value per turn.
TURN_LISTS = {"state": "turn_states", "action": "turn_actions", "passed": "turn_passed"}
NAMES = {**TURN_LISTS, "solved": "solved"}


class Notices:
    """Messages about missing signals: each key warns once, or raises UnsupportedRule if strict."""

    def __init__(self, strict: bool = False):
        self.strict = strict
        self._reported: "set[str]" = set()

    def report(self, key: str, message: str) -> None:
        """Reports a missing signal: raises UnsupportedRule if strict, else warns once per key."""
        if self.strict:
            raise UnsupportedRule(message)
        self.warn(key, message)

    def warn(self, key: str, message: str) -> None:
        """Warns once per key, in strict mode too."""
        if key not in self._reported:
            self._reported.add(key)
            warnings.warn(f"turnwise: {message}", stacklevel=3)


class TurnRewardNotice:
    """Message for a rule that reads turn rewards, if the first batch with several turns has none.

    `where`: place without turn rewards. `hint`: how to provide them. `strict`: True to raise UnsupportedRule at each such batch.
    """

    def __init__(self, rule: Rule, where: str, hint: str, strict: bool = False):
        self._message = f"{rule.name} reads turn rewards, and {where}: {hint}"
        self._notices = Notices(strict)
        self._awaits = reads_turn_rewards(rule)  # until a batch has turn rewards, or the message was reported

    def see(self, rows: "Sequence[Row]", given: "bool | None" = None) -> None:
        """Checks a batch. `given`: True if it has turn rewards; default: a reward before a last turn is not 0."""
        if not self._awaits or not any(len(row.tokens) > 1 for row in rows):
            return
        self._awaits = False
        if not (any(any(row.rewards[:-1]) for row in rows) if given is None else given):
            self._awaits = self._notices.strict
            self._notices.report("turn_rewards", self._message)


def ignored_settings(rule: Rule, profile: str, settings: "Mapping[str, tuple[Any, Any]]") -> "list[str]":
    """Returns a message for each changed setting of a trainer that has no effect, because rules have their own profile.

    `settings`: name to (value, default). Returns no messages if the user selected a profile other than the trainer's.
    """
    chosen = next((rule.values.get(item.keyword) for item in rule.parameters if item.kind == "profile"), None)
    if chosen not in (None, profile):
        return []
    hint = " (rule parameter `profile`: turnwise, trl, verl, rllm, dr-grpo)" if chosen else ""
    return [
        f"{name}={value!r} has no effect on {rule.name}, whose own parameters decide{hint}"
        for name, (value, default) in settings.items()
        if value is not None and value != default
    ]


def reward_list(value: Any, where: str, name: str) -> "list[float] | None":
    """Converts a value to a list of numbers in which 0 replaces None; returns None if `value` is None.

    Raises ValueError, with position and field, for other values.
    """
    value = value.tolist() if hasattr(value, "tolist") else value
    if value is None:
        return None
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"{where}: `{name}` is {value!r}, not a list of numbers, one a turn")
    for position, item in enumerate(value):
        if item is not None and not isinstance(item, (int, float)) and not hasattr(item, "item"):
            raise ValueError(f"{where}: `{name}`[{position}] is {item!r}, not a number")
    return [0.0 if item is None else float(item) for item in value]


def summed(first: "list[float] | None", second: "list[float] | None", where: str) -> "list[float] | None":
    """Returns the sums by turn of two sources; one of them can omit the last turn. Raises ValueError for other lengths."""
    if first is None or second is None:
        return second if first is None else first
    if abs(len(first) - len(second)) > 1:
        raise ValueError(f"{where}: one source gives {len(first)} turn rewards, another {len(second)}")
    return [a + b for a, b in zip_longest(first, second, fillvalue=0.0)]


def padded_rewards(rewards: "list[float] | None", turns: int, where: str) -> "list[float]":
    """Returns the reward of each turn [turns]; 0 for a missing last reward and without rewards.

    Raises ValueError unless the list has one number per turn, or one for each turn except the last.
    """
    if turns == 0 or not rewards:
        return [0.0] * turns
    if len(rewards) not in (turns, turns - 1):
        raise ValueError(f"{where}: {len(rewards)} turn rewards for {turns} turns; one a turn is needed, or one for each turn except the last")
    return [*rewards, 0.0][:turns]


def turn_fields(signals: "Mapping[str, Any]", turns: int, where: str) -> "list[dict[str, Any]]":
    """Returns the fields of each turn [turns]: state, action and passed, and solved on the last turn.

    `signals` has the names of NAMES; None means absent. Raises ValueError for a list without one value per turn.
    """
    fields: "list[dict[str, Any]]" = [{} for _ in range(turns)]
    for field, name in TURN_LISTS.items():
        values = signals.get(name)
        values = values.tolist() if hasattr(values, "tolist") else values
        if values is None or turns == 0:
            continue
        if not isinstance(values, (list, tuple)):
            raise ValueError(f"{where}: `{name}` is {values!r}, not a list with one value a turn")
        if len(values) != turns:
            raise ValueError(f"{where}: {len(values)} `{name}` for {turns} turns; one a turn is needed")
        for turn, value in zip(fields, values):
            value = value.tolist() if hasattr(value, "tolist") else value
            turn[field] = [int(item) for item in value] if field == "passed" else value
    solved = signals.get("solved")
    if solved is not None and turns:
        if solved not in (True, False):
            raise ValueError(f"{where}: `solved` is {solved!r}, not True or False")
        fields[-1]["solved"] = bool(solved)
    return fields


def call_fields(messages: Any) -> "dict[str, list[str]]":
    """Derives turn_states and turn_actions of a conversation from its tool calls, as `turnwise import` does.

    Returns {} for a text.

    An action has the calls of the turn, as `name(arguments)`, or "answer". A state has the actions before the turn.
    """
    if not isinstance(messages, (list, tuple)):
        return {}
    turns = [[_call(call) for call in item.get("tool_calls") or []] for item in messages if item.get("role") == "assistant"]
    before: "list[str]" = []
    states, actions = [], []
    for calls in turns:
        states.append(" > ".join(before) or "start")
        actions.append("; ".join(calls) or "answer")
        before += calls or ["answer"]
    return {"turn_states": states, "turn_actions": actions}


def _call(call: "Mapping[str, Any]") -> str:
    function = call.get("function", call)
    signals = function.get("arguments")
    if isinstance(signals, str):
        try:
            signals = json.loads(signals)
        except ValueError:
            pass
    if not isinstance(signals, dict):
        arguments = _json(signals) if signals is not None else ""
        return f"{function.get('name', 'tool')}({arguments})"
    return f"{function.get('name', 'tool')}({', '.join(f'{key}={_json(signals[key])}' for key in sorted(signals))})"


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def rewards_by_call(rewards: "Sequence[float]", turn_of: "Sequence[int]", turns: int) -> "list[float]":
    """Sums the rewards that the calls of each turn appended [turns].

    Rewards after the last call belong to the last turn.

    `turn_of`: [rewards], the turn that was running when each reward was appended.
    """
    result = [0.0] * turns
    for reward, turn in zip_longest(rewards, turn_of, fillvalue=turns - 1):
        result[turn] += reward
    return result


def name_missing(rule: Rule, error: GroupError, signals: "Sequence[Mapping[str, Any]]") -> "Exception":
    """Returns an UnsupportedRule that names the missing signal if no turn of the batch has the field; else the error.

    `signals`: [turns], the fields of the turns of the batch.
    """
    if error.field not in NAMES or any(error.field in turn for turn in signals):
        return error
    hint = f"return `{NAMES[error.field]}` from rollout_func, or make it an attribute of the environment"
    return UnsupportedRule(f"{rule.name} needs {CARRIED[error.field]} (`{error.field}`): {hint}")
