"""The parameters of a rule, which are the keywords of its function `credit`, and their values."""

import inspect
import math
from typing import Annotated, Any, Callable, Literal, NamedTuple, Sequence, get_args, get_origin, get_type_hints

from .core import NORMALIZATION_OPTIONS, PROFILES, ListOf, NormalizationOptions, Range, normalization, parse_integers


class ParameterError(ValueError):
    """Error for a value that a rule does not allow, or for a parameter that the rule does not have."""


class Parameter(NamedTuple):
    """Parameter of a rule: a keyword of its function `credit`."""

    name: str  # as users write it; `lambda` for the keyword `lambda_`
    keyword: str
    default: Any
    kind: str  # number, whole, boolean, choice, list, profile or text
    low: float = -math.inf
    high: float = math.inf
    options: "Sequence[str]" = ()
    help: str = ""

    @property
    def allowed(self) -> str:
        """Description of the allowed values."""
        if self.kind in ("number", "whole"):
            noun = "a whole number" if self.kind == "whole" else "a number"
            return noun if self.low == -math.inf else f"{noun} from {self.low:g} to {self.high:g}"
        if self.kind in ("boolean", "choice"):
            return f"one of {', '.join(self.options)}"
        if self.kind == "list":
            return f"up to {int(self.low)} whole numbers from 1 to {int(self.high)}, as in 4,8, or nothing"
        if self.kind == "profile":
            constants = f"; its constants can be given alone: {', '.join(self.options)}" if self.options else ""
            return f"one of {', '.join(PROFILES)}{constants}"
        return "a text"

    def read(self, value: Any) -> Any:
        """Converts a Python value or a text to the value that the rule receives. Raises ParameterError if invalid."""
        try:
            return _READERS[self.kind](self, value)
        except (TypeError, ValueError) as error:
            problem = str(error) if self.kind == "profile" else f"{value!r} is not {self.allowed}"
            raise ParameterError(f"{self.name}: {problem}") from None


def _number(parameter: Parameter, value: Any) -> float:
    if isinstance(value, bool):
        raise ValueError
    number = int(value) if parameter.kind == "whole" and float(value) == int(float(value)) else float(value)
    if not parameter.low <= number <= parameter.high or not math.isfinite(number):
        raise ValueError
    if parameter.kind == "whole" and not isinstance(number, int):
        raise ValueError
    return number


def _boolean(_: Parameter, value: Any) -> bool:
    known = {True: True, False: False, "true": True, "false": False, "True": True, "False": False}
    if value not in known:
        raise ValueError
    return known[value]


def _choice(parameter: Parameter, value: Any) -> str:
    if value not in parameter.options:
        raise ValueError
    return value


def _list(parameter: Parameter, value: Any) -> str:
    numbers = parse_integers(value) if isinstance(value, str) else [int(number) for number in value]
    if len(numbers) > parameter.low or any(not 1 <= number <= parameter.high for number in numbers):
        raise ValueError
    return ",".join(map(str, numbers))


def _profile(parameter: Parameter, value: Any) -> str:
    normalization(value)
    return str(value)


def _text(_: Parameter, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


_READERS: "dict[str, Callable[[Parameter, Any], Any]]" = {
    "number": _number,
    "whole": _number,
    "boolean": _boolean,
    "choice": _choice,
    "list": _list,
    "profile": _profile,
    "text": _text,
}


def read_parameters(function: "Callable[..., Any]") -> "list[Parameter]":
    """Returns the parameters of a rule: its keywords, each with a default.

    Raises ParameterError for a keyword that cannot be a parameter.
    """
    signature = list(inspect.signature(function).parameters.values())
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if not signature or signature[0].kind not in positional:
        raise ParameterError("`credit` must take the group as its first argument")
    try:
        hints = get_type_hints(function, include_extras=True)
    except Exception as error:
        raise ParameterError(f"the annotations of `credit` cannot be read: {error}") from None
    return [_parameter(keyword, hints.get(keyword.name)) for keyword in signature[1:]]


def _parameter(keyword: inspect.Parameter, hint: Any) -> Parameter:
    name, default = keyword.name.rstrip("_"), keyword.default
    if type(default) not in (bool, int, float, str):
        raise ParameterError(f"parameter `{keyword.name}` of `credit` needs a default that is a number, True, False or a text")
    marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    for mark in marks:
        if isinstance(mark, Range):
            kind = "whole" if type(default) is int and get_args(hint)[0] is int else "number"
            return Parameter(name, keyword.name, default, kind, mark.low, mark.high, help=mark.help)
        if isinstance(mark, ListOf):
            return Parameter(name, keyword.name, default, "list", mark.longest, mark.largest)
        if isinstance(mark, NormalizationOptions):
            return Parameter(name, keyword.name, default, "profile", options=tuple(mark.names))
    note = next((mark for mark in marks if isinstance(mark, str)), "")
    hint = get_args(hint)[0] if marks else hint
    if get_origin(hint) is Literal:
        return Parameter(name, keyword.name, default, "choice", options=get_args(hint), help=note)
    if type(default) is bool:
        return Parameter(name, keyword.name, default, "boolean", options=("true", "false"), help=note)
    if type(default) is str:
        return Parameter(name, keyword.name, default, "text", help=note)
    return Parameter(name, keyword.name, default, "whole" if hint is int else "number", help=note)


def read_values(rule: str, parameters: "list[Parameter]", given: "dict[str, Any]") -> "dict[str, Any]":
    """Returns the keywords for `credit`: the given values, parsed and checked.

    Options of normalisation (`ddof`, `epsilon`, `scale`, `singleton`) become part of the text of a profile that accepts
    them. Raises ParameterError for an unknown name or an invalid value.
    """
    by_name = {parameter.name: parameter for parameter in parameters}
    profile = next((parameter for parameter in parameters if parameter.kind == "profile"), None)
    options = {name: value for name, value in given.items() if name not in by_name and profile and name in profile.options}
    for name in given:
        if name not in by_name and name not in options:
            known = [*by_name, *(profile.options if profile else ())]
            raise ParameterError(f'{rule} has no parameter "{name}"; known: {", ".join(known) or "none"}')
    values = {by_name[name].keyword: by_name[name].read(value) for name, value in given.items() if name in by_name}
    if options and profile:
        for name, value in options.items():
            if not NORMALIZATION_OPTIONS[name][0](value):
                raise ParameterError(f"{name}: {value!r} is not {NORMALIZATION_OPTIONS[name][1]}")
        named = [str(values.get(profile.keyword, profile.default)), *(f"{name}={value}" for name, value in options.items())]
        values[profile.keyword] = profile.read(",".join(named))
    return values
