"""Command line `python -m turnwise_rl`: computes credit, lists and exports rules, and compares trainers and rules."""

import argparse
import contextlib
import json
import os
import re
import shutil
import stat
import sys
import tempfile
from pathlib import Path
from typing import IO, Any, Callable, Iterator, Sequence

from . import __version__
from .core import PROFILES, GroupError
from .jsonl import write_credits
from .parameters import ParameterError
from .rows import UnsupportedRule, load_with_profile, parse_rule
from .rule import Rule, RuleError, load_rule, rule_names

# Exit codes: an invalid call, rule or file; standard output that cannot be written.
EXIT_INVALID = 2
EXIT_FAILED = 1


class StandardOutputError(Exception):
    """Error for standard output that cannot be written, for example on a full disk."""


class OutputError(ValueError):
    """Error for an output file that cannot be written, or that is also an input of the command."""


def main(arguments: "Sequence[str] | None" = None) -> int:
    """Runs a command line. Returns 0, EXIT_INVALID, EXIT_FAILED, or 130 after an interrupt.

    If the reader of standard output closes it, as `head` does, the command ends without an error.
    """
    given = _parser().parse_args(arguments)
    try:
        status = given.run(given)
        _write(sys.stdout.flush)
        return status
    except BrokenPipeError:
        _discard_output()
        return 0
    except StandardOutputError as error:
        _discard_output()
        print(f"turnwise: standard output: {error}", file=sys.stderr)
        return EXIT_FAILED
    except (ParameterError, UnsupportedRule, RuleError, GroupError, OutputError, OSError) as error:
        print(f"turnwise: {_message(error)}", file=sys.stderr)
        return EXIT_INVALID
    except KeyboardInterrupt:
        return 130


def _discard_output() -> None:
    """Redirects standard output to the null device, because Python flushes it again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write(action: "Callable[[], None]") -> None:
    """Calls a function that writes to standard output. Raises BrokenPipeError and StandardOutputError."""
    try:
        action()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise StandardOutputError(error.strerror or str(error)) from None


def _message(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="turnwise-rl", description="Turn-level credit assignment for rollouts.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    credit = commands.add_parser("credit", help="compute the credit of a file of groups with a rule or a rule file")
    _rule_flags(credit)
    credit.add_argument("--fuel", type=int, metavar="N", help="maximum number of lines of Python that a group executes; counting is slow")
    credit.add_argument("--out", metavar="FILE", help="output file; default: standard output")
    credit.add_argument("file", metavar="FILE", help="groups of rollouts as JSON Lines; - for standard input")
    credit.set_defaults(run=_credit)

    rules = commands.add_parser("rules", help="list the rules, or print a rule with its parameters")
    rules.add_argument("rule", nargs="?", metavar="RULE")
    rules.set_defaults(run=_rules)

    exported = commands.add_parser("export", help="write a rule as one self-contained file for a trainer")
    _rule_flags(exported)
    exported.add_argument("--to", required=True, metavar="TRAINER", help="verl, trl or skyrl")
    exported.add_argument("--out", metavar="FILE", help="output file; default: standard output")
    exported.set_defaults(run=_export)

    trainers = commands.add_parser("trainers", help="print a table of the rules that run in each trainer")
    trainers.set_defaults(run=_trainers)

    conformance = commands.add_parser("conformance", help="print a table of edge cases in the estimators of trainers")
    conformance.add_argument("--trainer", default="verl,trl", metavar="NAMES", help="verl, trl; default: both")
    conformance.set_defaults(run=_conformance)

    benchmark = commands.add_parser("benchmark", help="print a table that compares rules and estimators with exact advantages")
    benchmark.add_argument("--process", default="delayed,recovery,stopping", metavar="NAMES", help="delayed, recovery, stopping; default: all")
    benchmark.add_argument("--rules", default="", metavar="NAMES", help="rules with parameters, as in mt-grpo?absent=zero; default: all")
    benchmark.add_argument("--batch", type=int, default=64, metavar="N", help="number of trajectories in a batch, which is one group")
    benchmark.add_argument("--seeds", type=int, default=20, metavar="N", help="number of batches")
    benchmark.add_argument("--groups", action="store_true", help="print the batches as JSON Lines, one group a line, instead of the table")
    benchmark.add_argument("--json", action="store_true", help="print exact values, scores and batches as JSON Lines, one process a line")
    benchmark.set_defaults(run=_benchmark)
    return parser


def _export(given: argparse.Namespace) -> int:
    from .export import export

    _check_output(given)
    name = Path(given.out).stem if given.out else "turnwise_rule"
    profile = given.to if given.to in PROFILES else None
    with _output(given.out) as output:
        output.write(export(_loaded(given, profile), given.to, name))
    return 0


def _trainers(_: argparse.Namespace) -> int:
    from .rows import support_table

    _write(lambda: print(support_table()))
    return 0


def _benchmark(given: argparse.Namespace) -> int:
    from .estimators import exact_report, sampled_groups, table

    for name, value, low in (("--batch", given.batch, 2), ("--seeds", given.seeds, 1)):
        if value < low:
            raise ParameterError(f"{name} is {value}, less than {low}")
    rules = [name for name in given.rules.split(",") if name]
    for name in given.process.split(","):
        try:
            if given.groups:
                text = "\n".join(json.dumps(group) for group in sampled_groups(name, given.batch, given.seeds))
            elif given.json:
                text = json.dumps(exact_report(name, given.batch, given.seeds, rules))
            else:
                text = f"{name}\n\n{table(name, given.batch, given.seeds, rules)}\n"
        except ValueError as error:
            raise ParameterError(f"--process: {error}") from None
        _write(lambda: print(text))
    return 0


def _conformance(given: argparse.Namespace) -> int:
    from .conformance import TrainerError, table

    try:
        text = table(given.trainer.split(","))
    except TrainerError as error:
        print(f"turnwise: {error}", file=sys.stderr)
        return EXIT_INVALID
    _write(lambda: print(text))
    return 0


def _rule_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rule", required=True, metavar="RULE", help=f"{', '.join(rule_names())}, or a path: ./my_rule.py")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="parameters of the rule, separated by commas")
    parser.add_argument("--profile", metavar="NAME", help="trainer whose constants normalise a group; the same as --set profile=NAME")


def _loaded(given: argparse.Namespace, profile: "str | None" = None) -> Rule:
    """Loads the rule of the flags; `profile` applies if the flags have none. Raises ParameterError and RuleError."""
    # A comma before another NAME= ends a value; other commas are part of the value.
    parts = [part for text in given.set for part in re.split(r",(?=\s*\w+\s*=)", text)]
    values: "dict[str, Any]" = {}
    for part in [*parts, *([f"profile={given.profile}"] if given.profile else [])]:
        match = re.fullmatch(r"\s*(\w+)\s*=\s*(.*?)\s*", part, re.S)
        if not match:
            raise ParameterError(f'--set: "{part}" is not NAME=VALUE')
        if match[1] in values:
            raise ParameterError(f"--set: {match[1]} is given twice")
        values[match[1]] = match[2]
    return load_with_profile(given.rule, profile, fuel=getattr(given, "fuel", None), **values)


def _check_output(given: argparse.Namespace) -> None:
    """Raises OutputError if the output is the rule file, the file of groups or standard input."""
    if not given.out or not os.path.exists(given.out):
        return
    for flag, name in (("--rule", given.rule), ("FILE", getattr(given, "file", None))):
        source: "Any" = sys.stdin.fileno() if name == "-" else name
        if source is not None and os.path.exists(source) and os.path.samestat(os.stat(source), os.stat(given.out)):
            raise OutputError(f"--out: {given.out} is an input of this command too ({flag})")


@contextlib.contextmanager
def _output(path: "str | None") -> "Iterator[IO[str]]":
    """Yields a temporary file, which becomes the output at the end of the block. A failed block has no output.

    `path`: output file, which is replaced as a whole; a device, which is written; None for standard output. Raises
    OutputError, before the block runs, for a file that cannot be written, and StandardOutputError.
    """
    if path is None or _is_device(path):
        with tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n") as temporary:
            yield temporary
            temporary.seek(0)
            if path is not None:
                with open(path, "w", encoding="utf-8", newline="\n") as device:
                    shutil.copyfileobj(temporary, device)
                return
            sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
            _write(lambda: shutil.copyfileobj(temporary, sys.stdout))
            _write(sys.stdout.flush)
        return
    target = os.path.realpath(path)
    try:
        if os.path.exists(target):
            open(target, "r+b").close()
        descriptor, unfinished = tempfile.mkstemp(".turnwise-part", f"{os.path.basename(target)[:100]}.", os.path.dirname(target))
    except OSError as error:
        raise OutputError(f"--out: {path} cannot be written ({error.strerror})") from None
    try:
        with open(descriptor, "w", encoding="utf-8", newline="\n") as temporary:
            yield temporary
        os.chmod(unfinished, stat.S_IMODE(os.stat(target).st_mode) if os.path.exists(target) else 0o666 & ~_umask())
        os.replace(unfinished, target)
    except BaseException:
        os.unlink(unfinished)
        raise


def _is_device(path: str) -> bool:
    """Returns True for a device, a pipe, and an open file of this process, such as /dev/stdout."""
    opened = os.path.abspath(path).startswith(("/dev/", "/proc/"))
    return os.path.exists(path) and not os.path.isdir(path) and (opened or not os.path.isfile(path))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _credit(given: argparse.Namespace) -> int:
    _check_output(given)
    rule = _loaded(given)
    with _output(given.out) as output:
        name = "standard input" if given.file == "-" else given.file
        stream = sys.stdin.buffer if given.file == "-" else open(given.file, "rb")
        try:
            report = write_credits(rule, stream, output)
        except GroupError as error:
            raise error.at(file=name) from None
        finally:
            stream.close()
    for line in report.lines():
        print(line, file=sys.stderr)
    return 0


def _rules(given: argparse.Namespace) -> int:
    if given.rule is None:
        lines = [f"{name:12} {load_rule(name).doc.splitlines()[0]}" for name in rule_names()]
    else:
        rule = parse_rule(given.rule)
        entries = [f"{item.name} = {item.default!r}: {item.allowed}\n    {item.help}".rstrip() for item in rule.parameters]
        lines = [rule.doc, *(f"\n  {entry}" for entry in entries)]
    _write(lambda: print("\n".join(lines)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
