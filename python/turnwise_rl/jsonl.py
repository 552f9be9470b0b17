"""Files of groups and of credit in JSON Lines, in the format of the terminal command `credit`."""

import json
import math
from decimal import Decimal
from typing import IO, Any, Callable, Iterable, Iterator

from .core import Group, GroupError
from .report import CreditReport
from .result import Credit

# Above this, squares of 64-bit floats and sums of them may overflow.
LARGEST = 1e150


def read_groups(lines: "Iterable[bytes]") -> "Iterator[tuple[int, Group]]":
    """Yields the groups of a file with their line numbers. Skips empty lines. Raises GroupError with the line."""
    for number, line in enumerate(lines, 1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            raise GroupError("not UTF-8", line=number) from None
        if text.strip():
            yield number, read_group(text, number)


def read_group(text: str, line: "int | None" = None) -> Group:
    """Parses the group in one line. Raises GroupError, with line, group, turn and field, for the first error."""
    try:
        record = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise GroupError(f"not JSON ({error})", line=line) from None
    if not isinstance(record, dict):
        raise GroupError(f"a group must be an object, not {_show(record)}", line=line)
    group = record.get("id")
    if not isinstance(group, str):
        problem = "is missing; a text is needed" if "id" not in record else f"{_show(group)} is not a text"
        raise GroupError(problem, None, "id", line=line)
    try:
        return Group(group, _turns(record), record.get("outcomeIsTotal"))
    except GroupError as error:
        raise error.at(line=line, group=group) from None


def _turns(record: "dict[str, Any]") -> "list[dict[str, Any]]":
    turns = record.get("turns")
    if not isinstance(turns, list):
        problem = "is missing; a list of turns is needed" if "turns" not in record else f"{_show(turns)} is not a list"
        raise GroupError(problem, None, "turns")
    return turns if _are_plain(turns) else [_turn(turn, index) for index, turn in enumerate(turns)]


def _are_plain(turns: "list[Any]") -> bool:
    """Returns True if all values have the types in `_PLAIN` and are in range. Converts the integers of float fields.

    The function checks each field for all turns together, which is several times faster than turn by turn. If it
    returns False, `_turn` reads the turns and reports the first error.
    """
    if set(map(type, turns)) != {dict}:
        return False
    names = set().union(*turns)
    if not names >= {"parent", "reward"}:
        return False
    for name in names:
        kind = _PLAIN.get(name)
        if kind is None:
            if name in _FIELDS:
                return False
            continue
        values = [turn[name] for turn in turns if name in turn]
        if name in ("parent", "reward") and len(values) < len(turns):
            return False
        kinds = set(map(type, values))
        if kind is float:
            if not kinds <= {int, float} or not (-LARGEST <= min(values) and max(values) <= LARGEST):
                return False
            if int in kinds:
                for turn in turns:
                    if name in turn:
                        turn[name] = float(turn[name])
        elif kinds != {kind} or (name == "tokens" and min(values) < 0):
            return False
    return True


def _turn(turn: Any, index: int) -> "dict[str, Any]":
    if not isinstance(turn, dict):
        raise GroupError(f"a turn must be an object, not {_show(turn)}", index)
    fields: "dict[str, Any]" = {name: value for name, value in turn.items() if name not in _FIELDS}
    for field, (noun, read) in _FIELDS.items():
        if field not in turn:
            if field in ("parent", "reward"):
                raise GroupError(f"is missing; {noun} is needed", index, field)
            continue
        fields[field] = read(turn[field])
        if fields[field] is None:
            raise GroupError(f"{_show(turn[field])} is not {noun}", index, field)
        _check_size(fields[field], index, field)
    tokens, values = fields.get("tokens"), fields.get("values")
    if tokens is not None and values is not None and len(values) != tokens:
        raise GroupError(f"{len(values)} values for {tokens} tokens", index, "values")
    return fields


def _check_size(value: Any, turn: int, field: str) -> None:
    for number in value if field == "values" else [value] if field in ("reward", "outcome") else []:
        if abs(number) > LARGEST:
            problem = f"{number_text(number)} is beyond 1e+150, too large for 64-bit floats"
            raise GroupError(problem, turn, field)


def _number(value: Any) -> "float | None":
    if type(value) not in (int, float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _integer(value: Any) -> "int | None":
    number = _number(value)
    return None if number is None or number != int(number) else int(number)


def _list(of: "Callable[[Any], Any]") -> "Callable[[Any], Any]":
    def read(value: Any) -> Any:
        items = [of(item) for item in value] if isinstance(value, list) else [None]
        return None if any(item is None for item in items) else items

    return read


def _only(kind: type) -> "Callable[[Any], Any]":
    return lambda value: value if type(value) is kind else None


def _count(value: Any) -> "int | None":
    number = _integer(value)
    return None if number is None or number < 0 else number


# Description of the values of each field, and a function that reads a value and returns None for an invalid value.
_FIELDS: "dict[str, tuple[str, Callable[[Any], Any]]]" = {
    "parent": ("a whole number", _integer),
    "reward": ("a finite number", _number),
    "outcome": ("a finite number", _number),
    "solved": ("true or false", _only(bool)),
    "passed": ("a list of 0 and 1", _list(lambda bit: _integer(bit) if _integer(bit) in (0, 1) else None)),
    "state": ("a text", _only(str)),
    "action": ("a text", _only(str)),
    "validates": ("true or false", _only(bool)),
    "tokens": ("a whole number from 0", _count),
    "logProb": ("a finite number", _number),
    "values": ("a list of finite numbers", _list(_number)),
    "answerLogProb": ("a finite number", _number),
    "stateValue": ("a finite number", _number),
}


# Types of the fields that have one value of one type.
_PLAIN: "dict[str, type]" = {
    **dict.fromkeys(("reward", "outcome", "logProb", "answerLogProb", "stateValue"), float),
    **dict.fromkeys(("parent", "tokens"), int),
    **dict.fromkeys(("solved", "validates"), bool),
    **dict.fromkeys(("state", "action"), str),
}


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _show(value: Any) -> str:
    """Formats a value for a message as the Turnwise terminal does: compact JSON, at most 40 characters."""
    if isinstance(value, float):
        return number_text(value) if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text if len(text) <= 40 else f"{text[:40]}…"


def write_credits(rule: Any, lines: "Iterable[bytes]", out: "IO[str]") -> CreditReport:
    """Writes the credit of each group of a file, one line per group, and returns the report.

    Raises as read_groups and the rule do, and GroupError for a file without groups.
    """
    report = CreditReport(rule)
    for number, group in read_groups(lines):
        try:
            credit = rule(group)
        except GroupError as error:
            raise error.at(line=number) from None
        out.write(credit_line(group, credit))
        report.see(group, credit)
    if report.groups == 0:
        raise GroupError("has no groups")
    return report


def credit_line(group: Group, credit: Credit) -> str:
    """Returns a line of JSON with `id`, `advantage` (or `advantages`, one list per turn), and intermediate values."""
    name = "advantages" if credit.tokens else "advantage"
    named = {name: credit.advantage, **credit.intermediate}
    fields = "".join(f",{json.dumps(key, ensure_ascii=False)}:{_text(value)}" for key, value in named.items())
    return f'{{"id":{json.dumps(group.id, ensure_ascii=False)}{fields}}}\n'


def _text(value: Any) -> str:
    if not isinstance(value, list):
        return number_text(value)
    try:
        # Turns of a rollout often have the same number.
        texts = {number: number_text(number) for number in set(value)}
    except TypeError:
        return f"[{','.join(map(_text, value))}]"  # a list of lists
    return f"[{','.join([texts[number] for number in value])}]"


def number_text(value: "float | None") -> str:
    """Formats a number as JavaScript does, so that both programs write the same bytes: 1, not 1.0; 1e-7, not 1e-07."""
    if value is None or not math.isfinite(value):
        return "null"
    if value == 0:
        return "0"
    if 1e-4 <= abs(value) < 1e16:
        text = repr(float(value))
        return text[:-2] if text.endswith(".0") else text
    sign, digits, exponent = Decimal(repr(float(value))).normalize().as_tuple()
    written = "".join(map(str, digits))
    point = len(written) + int(exponent)  # the value is 0.digits times 10 ** point
    if len(written) <= point <= 21:
        text = written + "0" * (point - len(written))
    elif -6 < point <= 0:
        text = f"0.{'0' * -point}{written}"
    else:
        rest = f".{written[1:]}" if len(written) > 1 else ""
        text = f"{written[0]}{rest}e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return f"-{text}" if sign else text


