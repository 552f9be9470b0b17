"""Rule files: their location, loading, execution, and errors."""

import builtins
import copy
import difflib
import importlib
import os
import sys
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator

from .core import Group, GroupError, Turn, _quoted, with_totals
from .parameters import Parameter, ParameterError, read_parameters, read_values
from .result import Credit, ResultError, read_result

RULES = Path(__file__).parent / "rules"

# Number of first groups of a batch that a rule computes twice, to detect random results.
CHECKED = 8


class RuleError(Exception):
    """Error of a rule file. The message has the file, line, group and turn, if they are known."""

    def __init__(
        self, problem: str, file: str, line: "int | None" = None, group: "str | None" = None, turn: "int | None" = None
    ):
        self.problem, self.file, self.line, self.group, self.turn = problem, file, line, group, turn
        parts = [file, *([f"line {line}"] if line else []), *([f"group {_quoted(group)}"] if group is not None else [])]
        parts += [f"turn {turn}"] if turn is not None else []
        super().__init__(f"{', '.join(parts)}: {problem}")


class _OutOfFuel(BaseException):
    """Signal that a batch used all its fuel. It is not an Exception, because a rule can catch exceptions."""


class Rule:
    """Credit rule with values of its parameters. A call with a group returns its `Credit`."""

    def __init__(
        self, name: str, file: str, source: str, values: "dict[str, Any] | None" = None, fuel: "int | None" = None
    ):
        """Loads the text of a rule.

        `fuel`: maximum number of lines that a batch executes, like the limit on steps in the sandbox of the page. None
        disables counting, which makes a rule about ten times slower. Raises RuleError for an invalid rule file, and
        ParameterError for a value that the rule does not allow.
        """
        self.name, self.file, self.source, self.fuel = name, file, source, fuel
        self._namespace = _load(source, file)
        self._function: "Callable[..., Any]" = self._namespace["credit"]
        self.line = self._function.__code__.co_firstlineno
        try:
            self.parameters: "list[Parameter]" = read_parameters(self._function)
        except ParameterError as error:
            raise RuleError(str(error), file, self.line) from None
        self.values = read_values(self.name, self.parameters, values or {})
        self.batch: "str | None" = self._namespace.get("BATCH")  # members of the normalisation over a batch in a trainer
        if self.batch not in (None, "rollouts", "tokens"):
            raise RuleError(f'BATCH is "{self.batch}", not "rollouts" or "tokens"', file)
        self.rewards: "str | None" = self._namespace.get("REWARDS")  # form of the rewards that the rule reads (with_totals)
        if self.rewards not in (None, "outcome", "attempts"):
            raise RuleError(f'REWARDS is "{self.rewards}", not "outcome" or "attempts"', file)
        self._unchecked = CHECKED
        self._is_builtin = Path(file).parent == RULES

    def __reduce__(self) -> "tuple[Any, ...]":
        """Pickles the rule as text with its values, so that another process needs no file."""
        values = {key.rstrip("_"): value for key, value in self.values.items()}
        return Rule, (self.name, self.file, self.source, values, self.fuel)

    @property
    def doc(self) -> str:
        """The docstring of the rule file."""
        return (self._namespace.get("__doc__") or "").strip()

    def __call__(self, group: Any) -> Credit:
        """Computes the credit of one group: a `Group`, or its record as in a file of groups.

        Raises GroupError for a group that the rule cannot read, and RuleError for an error of the rule.
        """
        return next(self.credits([group]))

    def credits(self, groups: "Iterable[Any]") -> "Iterator[Credit]":
        """Yields the credit of each group of a batch. A limit on fuel applies to the batch. Raises as a call does."""
        left = [self.fuel]
        for group in groups:
            yield self._credit(_group(group), left)

    def worked(self, group: Any, turn: int, credit: Credit) -> "list[str]":
        """Returns the derivation of one turn, line by line; no lines if the rule has no function `worked`.

        Raises RuleError if `worked` does not return a list of texts.
        """
        function = self._namespace.get("worked")
        if function is None:
            return []
        group = _group(group)
        lines = self._guarded(lambda: function(group, turn, credit.advantage[turn]), group, [self.fuel])
        if not isinstance(lines, (list, tuple)) or not all(isinstance(line, str) for line in lines):
            line = function.__code__.co_firstlineno
            raise RuleError("worked() must return a list of texts", self.file, line, group.id, turn)
        return list(lines)

    def _credit(self, group: Group, left: "list[int | None]") -> Credit:
        group = with_totals(self.rewards, group)
        credit = self._once(group, left)
        if self._unchecked > 0:
            self._unchecked -= 1
            repeated = self._once(group, left)
            if repr(repeated) != repr(credit):
                pairs = enumerate(zip(credit.advantage, repeated.advantage))
                turn = next((t for t, (first, second) in pairs if repr(first) != repr(second)), None)
                values = "" if turn is None else f" ({credit.advantage[turn]}, then {repeated.advantage[turn]})"
                problem = f"the same group got another result in a second computation{values}"
                raise RuleError(problem, self.file, self.line, group.id, turn)
        return credit

    def _once(self, group: Group, left: "list[int | None]") -> Credit:
        # A custom rule gets a copy, so that its changes do not reach the group. Built-in rules do not change their group.
        given = group if self._is_builtin else Group(group.id, [_copied(turn) for turn in group.turns], group.outcome_is_total)
        returned = self._guarded(lambda: self._function(given, **self.values), group, left)
        try:
            return read_result(returned, group)
        except ResultError as error:
            raise RuleError(str(error), self.file, self.line, group.id, error.turn) from None

    def _guarded(self, work: "Callable[[], Any]", group: Group, left: "list[int | None]") -> Any:
        try:
            return _counted(work, left) if left[0] is not None else work()
        except GroupError as error:
            raise error.at(group=group.id) from None
        except _OutOfFuel:
            raise RuleError(f"took more than {self.fuel:,} steps for a batch", self.file, self.line, group.id) from None
        except RecursionError as error:
            raise self._failed(error, "calls itself too deeply", group) from None
        except MemoryError as error:
            raise self._failed(error, "needs more memory than there is", group) from None
        except Exception as error:
            raise self._failed(error, f"{type(error).__name__}: {error}", group) from error

    def _failed(self, error: BaseException, problem: str, group: Group) -> RuleError:
        line, turn, trace = self.line, None, error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self.file:
                line = trace.tb_lineno
                at = trace.tb_frame.f_locals.get("turn")
                turn = at if type(at) is int and 0 <= at < len(group.turns) else turn
            trace = trace.tb_next
        return RuleError(problem, self.file, line, group.id, turn)


def load_rule(rule: "str | os.PathLike[str]", fuel: "int | None" = None, **values: Any) -> Rule:
    """Loads a rule by its name (`mt-grpo`) or by the path of its file (`./my_rule.py`), with values of its parameters.

    `fuel`: as in `Rule`. Raises RuleError for an unknown name or an invalid rule file. Raises ParameterError for a
    value that the rule does not allow, and for a `rule` that is neither a text nor a path.
    """
    if not isinstance(rule, (str, os.PathLike)):
        raise ParameterError(f"a rule is named by a text such as mt-grpo, or by a path, not by a {type(rule).__name__}")
    text = os.fspath(rule)
    if text in rule_names():
        path = RULES / f"{text.replace('-', '_')}.py"
    elif text.endswith(".py") or os.sep in text:
        path = Path(text)
    else:
        near = {name.replace("-", ""): name for name in rule_names()}
        close = difflib.get_close_matches(text.lower().replace("-", "").replace("_", ""), near, 1, 0.75)
        hint = f" (the nearest name is {near[close[0]]})" if close else ""
        raise RuleError(f"no such rule{hint}; known: {', '.join(rule_names())}, or the path of a file that ends in .py", text)
    try:
        source = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise RuleError(error.strerror or str(error), text) from None
    except UnicodeDecodeError as error:
        raise RuleError(f"not UTF-8 ({error.reason} at byte {error.start})", text) from None
    name = path.stem.replace("_", "-") if text in rule_names() else text
    return Rule(name, str(path), source, {key.rstrip("_"): value for key, value in values.items()}, fuel)


def rule_names() -> "list[str]":
    """Returns the names of all built-in rules, in alphabetical order."""
    return sorted(path.stem.replace("_", "-") for path in RULES.glob("*.py") if not path.stem.startswith("_"))


def _import(name: str, *arguments: Any, **keywords: Any) -> Any:
    """Imports a module for a rule file. `turnwise` is the former name of this package."""
    return importlib.import_module(__package__) if name == "turnwise" else builtins.__import__(name, *arguments, **keywords)


def _load(source: str, file: str) -> "dict[str, Any]":
    scope = {**vars(builtins), "__import__": _import}
    namespace: "dict[str, Any]" = {"__name__": "turnwise_rule", "__file__": file, "__builtins__": scope}
    try:
        exec(compile(source, file, "exec"), namespace)
    except SyntaxError as error:
        raise RuleError(f"does not parse: {error.msg}", file, error.lineno) from None
    except ValueError as error:  # a NUL in the text, before Python 3.12
        raise RuleError(f"does not parse: {error}", file) from None
    except Exception as error:
        line, trace = None, error.__traceback__
        while trace is not None:
            line = trace.tb_lineno if trace.tb_frame.f_code.co_filename == file else line
            trace = trace.tb_next
        raise RuleError(f"{type(error).__name__}: {error}", file, line) from error
    if not hasattr(namespace.get("credit"), "__code__"):
        raise RuleError("there is no function `credit(group, ...)`", file)
    return namespace


def _group(group: Any) -> Group:
    return group if isinstance(group, Group) else Group(group["id"], group["turns"], group.get("outcomeIsTotal"))


def _copied(turn: Turn) -> Turn:
    result = Turn(
        turn.parent, turn.reward, turn.outcome, turn.solved, turn.passed, turn.state, turn.action, turn.validates,
        turn.tokens, turn.logProb, turn.values, copy.deepcopy(turn.fields) if turn.fields else None,
    )  # fmt: skip
    result.answerLogProb, result.stateValue = turn.answerLogProb, turn.stateValue
    return result


def _counted(work: "Callable[[], Any]", left: "list[int | None]") -> Any:
    """Calls a function. Each line of Python uses one step of `left`. Raises _OutOfFuel if no step is left."""

    def step(frame: Any, event: str, _: Any) -> Any:
        if event == "line":
            left[0] -= 1  # type: ignore[operator]
            if left[0] < 0:  # type: ignore[operator]
                raise _OutOfFuel
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        return work()
    finally:
        sys.settrace(before)
