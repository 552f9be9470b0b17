"""The result of a rule for a group, checked."""

import math
from typing import Any, NamedTuple, Sequence, Union

from .core import Group

# A number, None for a turn without a value, or a list with a number for each token.
Value = Union[float, None, "list[float]"]

# Fields of a credit line, which cannot be names of intermediate values. src/customRules/results.ts has the same list.
_LINE_FIELDS = ("id", "advantage", "advantages")


class ResultError(ValueError):
    """Error for a result of a rule that is not a credit. `turn`: index of the invalid turn, or None."""

    def __init__(self, problem: str, turn: "int | None" = None):
        super().__init__(problem)
        self.turn = turn


class Credit(NamedTuple):
    """The credit of a group.

    `advantage`: [turns], each a number, a list with one number per token, or None for a pruned turn. `intermediate`:
    named
    values of the rule.
    """

    advantage: "list[Value]"
    intermediate: "dict[str, Any]"

    @property
    def tokens(self) -> bool:
        """True if the rule assigns one advantage per token instead of one per turn."""
        return any(isinstance(value, list) for value in self.advantage)


def read_result(returned: Any, group: Group) -> Credit:
    """Converts the return value of `credit` to a Credit. Raises ResultError, with the turn, if the value is invalid.

    `returned`: a list of advantages, or a pair of this list and a dict of intermediate values.
    """
    intermediate: Any = {}
    if type(returned) is tuple and len(returned) == 2 and type(returned[1]) is dict:
        returned, intermediate = returned
    if type(returned) not in (list, tuple):
        raise ResultError(f"must return a list with an advantage for each turn, not {_kind(returned)}")
    if len(returned) != len(group.turns):
        raise ResultError(f"returned {len(returned)} advantages for {len(group.turns)} turns")
    # A finite sum has finite terms.
    if set(map(type, returned)) == {float} and math.isfinite(sum(returned)):
        return Credit(list(returned), _named(intermediate))
    advantage = [_advantage(value, turn, group) for turn, value in enumerate(returned)]
    kinds = {type(value) for value in advantage if value is not None}
    if len(kinds) > 1:
        turn = next(t for t, value in enumerate(advantage) if isinstance(value, list))
        raise ResultError("some turns have one advantage and others a list", turn)
    for turn, value in enumerate(advantage):
        parent = group.turns[turn].parent
        if value is not None and parent >= 0 and advantage[parent] is None:
            raise ResultError(f"has an advantage although turn {parent}, which it continues, is pruned (None)", turn)
    return Credit(advantage, _named(intermediate))


def _named(intermediate: "dict[Any, Any]") -> "dict[str, Any]":
    return {_name(name): _intermediate(name, value) for name, value in intermediate.items()}


def _advantage(value: Any, turn: int, group: Group) -> Value:
    if value is None:
        return None
    if type(value) not in (list, tuple):
        return _finite(value, turn, "")
    tokens = group.turns[turn].tokens
    if tokens is not None and len(value) != tokens:
        raise ResultError(f"{len(value)} advantages for {tokens} tokens", turn)
    return [_finite(item, turn, f" of token {token}") for token, item in enumerate(value)]


def _finite(value: Any, turn: int, position: str) -> float:
    # Exact types: objects that only behave like numbers do not reach a training run.
    if type(value) not in (int, float):
        raise ResultError(f"the advantage{position} is {_kind(value)}, not a number", turn)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ResultError(f"the advantage{position} is {'NaN' if math.isnan(number) else 'infinite'}", turn)
    return number


def _intermediate(name: str, value: Any) -> Any:
    if value is None or type(value) in (int, float):
        return None if value is None or math.isnan(value) else value
    if type(value) in (list, tuple):
        return [_intermediate(name, item) for item in value]
    raise ResultError(f"intermediate value {name!r} holds {_kind(value)}, not numbers")


def _name(name: Any) -> str:
    if type(name) is not str:
        raise ResultError(f"intermediate values need names that are texts, not {_kind(name)}")
    if name in _LINE_FIELDS:
        raise ResultError(f"an intermediate value cannot be named {name!r}")
    return name


def _kind(value: Any) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def mean_of(value: Value) -> "float | None":
    """Returns one number for a turn: the value, or the mean over the tokens of a list; None without a number."""
    if not isinstance(value, (list, Sequence)):
        return value
    total = 0.0
    for number in value:
        total += number
    return total / len(value) if value else None
