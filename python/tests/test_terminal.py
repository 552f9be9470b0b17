"""`python -m turnwise_rl credit` and the `credit` command of the terminal write the same lines and the same errors."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import assert_close, built_terminal, random_group, vectors

from turnwise_rl import rule_names
from turnwise_rl.jsonl import number_text


def python(*arguments, text=None):
    command = [sys.executable, "-m", "turnwise_rl", *arguments]
    return subprocess.run(command, input=text, capture_output=True, encoding="utf-8", check=False)


def typescript(*arguments):
    command = ["node", built_terminal(), "credit", "--device", "cpu", *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


def written(path, groups):
    path.write_text("".join(f"{json.dumps(group)}\n" for group in groups))
    return str(path)


@pytest.mark.parametrize("rule", rule_names())
def test_same_lines(tmp_path, rule):
    groups = [random_group(seed) for seed in range(20)]
    if rule.startswith("murphy"):
        groups += [case["group"] for case in vectors("credit.json")["cases"] if case["rule"] == rule]
    file = written(tmp_path / "groups.jsonl", groups)
    expected, completed = typescript("--rule", rule, file), python("credit", "--rule", rule, file)
    assert (completed.returncode, completed.stderr) == (0, expected.stderr)
    assert len(expected.stdout.splitlines()) == len(groups)
    if rule in ("verpo", "igpo", "tree-grpo"):  # the last bit of exp can differ between the languages
        for a, e in zip(completed.stdout.splitlines(), expected.stdout.splitlines()):
            assert json.loads(a).keys() == json.loads(e).keys()
            assert json.loads(a)["id"] == json.loads(e)["id"]
            assert_close(list(json.loads(a).values())[1:], list(json.loads(e).values())[1:], 1e-12)
    else:
        assert completed.stdout == expected.stdout


def chains(*rollouts, **fields):
    """Creates a group of rollouts. Each rollout is a list of (reward, fields), one per turn."""
    turns = []
    for rollout in rollouts:
        for index, (reward, more) in enumerate(rollout):
            turns.append({"parent": -1 if index == 0 else len(turns) - 1, "reward": reward, **more})
    return {"id": "g", "turns": turns, **fields}


ENDS = [
    [{"outcome": 1}, {"outcome": 0}],
    [{"outcome": 1}],
    [{"outcome": 1}, {"outcome": 1}],
    [{"outcome": 1, "solved": False}, {"outcome": 1}],
    [{"outcome": 0}, {"outcome": 0}],
    [{"outcome": -1, "solved": True}, {"outcome": -1}],
    [{"outcome": 0.5}, {"outcome": 0.5}],
    [{"outcome": 1, "truncated": True}, {"outcome": 1, "truncated": True}],
]


@pytest.mark.parametrize("rule", ["grpo-or", "grpo-mr", "mt-grpo", "murphy-mars", "ppo-mr", "verpo"])
@pytest.mark.parametrize("count", [1, len(ENDS)])
def test_same_report(tmp_path, rule, count):
    groups = [chains(*([(0, {"values": [0.0], "tokens": 1, "passed": [1], **end})] for end in ends)) for ends in ENDS[:count]]
    groups += [chains([(0.5, {}), (0, end)], [(0.5, {}), (0, end)], outcomeIsTotal=True) for end in ENDS[0]] if rule == "grpo-mr" else []
    file = written(tmp_path / "groups.jsonl", groups)
    expected, completed = typescript("--rule", rule, file), python("credit", "--rule", rule, file)
    assert (completed.returncode, completed.stderr) == (expected.returncode, expected.stderr)
    assert completed.returncode == 0 and " group" in completed.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    "line",
    [
        "{", "[1]", "{}", '{"id": 3}', '{"id": "a"}', '{"id": "a", "turns": 3}', '{"id": "a", "turns": [3]}',
        '{"id": "a", "turns": [{"parent": -1}]}', '{"id": "a", "turns": [{"reward": 0}]}',
        '{"id": "a", "turns": [{"parent": 0, "reward": 0, "outcome": 1}]}',
        '{"id": "a", "turns": [{"parent": -1, "reward": "x"}]}',
        '{"id": "a", "turns": [{"parent": -1, "reward": 1e999}]}',
        '{"id": "a", "turns": [{"parent": -1, "reward": 1e200, "outcome": 1}]}',
        '{"id": "a", "turns": [{"parent": -1, "reward": 0, "passed": [0, 2]}]}',
        '{"id": "a", "turns": [{"parent": -1, "reward": 0, "tokens": 2, "values": [1]}]}',
        '{"id": "a", "turns": [{"parent": -1, "reward": 0}]}',
    ],
)  # fmt: skip
def test_same_errors(tmp_path, line):
    file = str(tmp_path / "groups.jsonl")
    good = '{"id": "first", "turns": [{"parent": -1, "reward": 0, "outcome": 1}]}'
    (tmp_path / "groups.jsonl").write_text(f"{good}\n\n{line}\n")
    expected, completed = typescript("--rule", "grpo-or", file), python("credit", "--rule", "grpo-or", file)
    assert (completed.returncode, completed.stdout) == (expected.returncode, expected.stdout) == (2, "")
    message, python_message = expected.stderr.splitlines()[0], completed.stderr.strip()
    if "not JSON" in message:  # the parsers have different messages
        message, python_message = message.split("(")[0], python_message.split("(")[0]
    assert python_message == message


def test_custom_rule_with_standard_input_and_output_file(tmp_path, rule_file):
    path = rule_file("def credit(group, a=1.0):\n    return [a * turn.reward for turn in group.turns], {'r': [1, None]}\n")
    text = '{"id": "é", "turns": [{"parent": -1, "reward": 0.5}, {"parent": 0, "reward": 2}]}\n'
    completed = python("credit", "--rule", path, "--set", "a=.5", "-", text=text)
    assert completed.stdout == '{"id":"é","advantage":[0.25,1],"r":[1,null]}\n', completed.stderr
    out = tmp_path / "credit.jsonl"
    assert python("credit", "--rule", path, "--out", str(out), "-", text=text).returncode == 0
    assert out.read_text(encoding="utf-8").count("\n") == 1


@pytest.mark.parametrize(
    "arguments, status, message",
    [
        (["--rule", "mt-grpo", "--set", "alpha=2"], 2, "alpha: '2' is not a number from 0 to 1"),
        (["--rule", "mt-grpo", "--set", "alpha"], 2, '"alpha" is not NAME=VALUE'),
        (["--rule", "mt-grpo", "--set", "alpha=1", "--set", "alpha=0"], 2, "alpha is given twice"),
        (["--rule", "nothing"], 2, "no such rule"),
    ],
)
def test_invalid_calls(arguments, status, message):
    completed = python("credit", *arguments, "-", text="")
    assert (completed.returncode, completed.stdout) == (status, "")
    assert message in completed.stderr


@pytest.mark.parametrize(
    "line",
    [
        "credit --rule RULE --out RULE GROUPS",
        "credit --rule RULE --out GROUPS GROUPS",
        "credit --rule grpo-or --out GROUPS GROUPS",
        "credit --rule grpo-or --out LINK GROUPS",
        "credit --rule grpo-or --out GROUPS -",
        "export --rule RULE --to verl --out RULE",
        "export --rule RULE --to trl --out LINK_TO_RULE",
    ],
)
def test_an_output_cannot_be_an_input(tmp_path, rule_file, line):
    rule = rule_file("def credit(group):\n    return [0.0] * len(group.turns)\n")
    groups = tmp_path / "groups.jsonl"
    groups.write_text('{"id": "a", "turns": [{"parent": -1, "reward": 0, "outcome": 1}]}\n')
    for name, file in (("LINK", groups), ("LINK_TO_RULE", rule)):
        (tmp_path / name).symlink_to(file)
    names = {"RULE": rule, "GROUPS": str(groups), "LINK": str(tmp_path / "LINK"), "LINK_TO_RULE": str(tmp_path / "LINK_TO_RULE")}
    before = [Path(rule).read_bytes(), groups.read_bytes()]
    command = [sys.executable, "-m", "turnwise_rl", *(names.get(argument, argument) for argument in line.split())]
    with groups.open("rb") as stdin:
        completed = subprocess.run(command, stdin=stdin, capture_output=True, encoding="utf-8", check=False)
    assert completed.returncode == 2 and "is an input of this command too" in completed.stderr
    assert [Path(rule).read_bytes(), groups.read_bytes()] == before


@pytest.mark.parametrize("out", ["missing/credit.jsonl", "folder"])
def test_a_folder_or_a_missing_folder_as_output_is_an_error_before_the_work(tmp_path, out):
    (tmp_path / "folder").mkdir()
    completed = python("credit", "--rule", "grpo-or", "--out", str(tmp_path / out), "-", text="not read")
    assert completed.returncode == 2
    assert completed.stderr.startswith(f"turnwise: --out: {tmp_path / out} cannot be written (")
    assert [path.name for path in tmp_path.rglob("*")] == ["folder"]


def test_an_output_replaces_the_target_of_a_link_and_a_failed_command_leaves_it(tmp_path):
    text = '{"id": "a", "turns": [{"parent": -1, "reward": 0, "outcome": 1}]}\n'
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    assert python("credit", "--rule", "grpo-or", "--out", str(link), "-", text=f"{text}broken").returncode == 2
    assert target.read_text() == "old"
    assert python("credit", "--rule", "grpo-or", "--out", str(link), "-", text=text).returncode == 0
    assert target.read_text() == '{"id":"a","advantage":[0]}\n' and link.is_symlink() and target.stat().st_mode & 0o777 == 0o640
    assert python("credit", "--rule", "grpo-or", "--out", "/dev/stdout", "-", text=text).stdout == target.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "target"]


def test_a_file_with_an_invalid_line_has_no_output(tmp_path):
    out = tmp_path / "credit.jsonl"
    text = '{"id": "a", "turns": [{"parent": -1, "reward": 0, "outcome": 1}]}\n{"id": "b"}\n'
    completed = python("credit", "--rule", "grpo-or", "--out", str(out), "-", text=text)
    assert completed.returncode == 2 and not out.exists()
    assert completed.stderr == 'turnwise: standard input, line 2, group "b", field "turns": is missing; a list of turns is needed\n'
    assert "has no groups" in python("credit", "--rule", "grpo-or", "-", text="\n").stderr


@pytest.mark.parametrize(
    "value, text",
    [
        (1.0, "1"), (-0.0, "0"), (0.1, "0.1"), (1e-7, "1e-7"), (1.5e-7, "1.5e-7"), (1e-6, "0.000001"), (1.25e-5, "0.0000125"),
        (1e16, "10000000000000000"), (1e20, "100000000000000000000"), (1e21, "1e+21"), (1.5e22, "1.5e+22"),
        (123456789012345680000.0, "123456789012345680000"), (-1e-9, "-1e-9"), (None, "null"), (5e-324, "5e-324"),
    ],
)  # fmt: skip
def test_numbers_have_the_format_of_javascript(value, text):
    assert number_text(value) == text
