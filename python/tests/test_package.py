"""The installed wheel: names, metadata, types, version."""

import subprocess
import sys
from importlib.metadata import distribution, entry_points
from pathlib import Path

import turnwise_rl
from conftest import REPOSITORY
from turnwise_rl import load_rule


def test_metadata():
    package = distribution("turnwise-rl")
    files = {str(file) for file in package.files or []}
    assert package.version == turnwise_rl.__version__
    assert package.metadata["Author"] == "The Turnwise developers" and package.metadata["Keywords"]
    assert "turnwise_rl/py.typed" in files and any(name.endswith("LICENSE") for name in files)
    extras = [line for line in package.requires or [] if "extra" in line]
    assert len(extras) == 3 and all("<" in line for line in extras)
    scripts = [entry.name for entry in entry_points(group="console_scripts") if entry.value == "turnwise_rl.__main__:main"]
    assert scripts == ["turnwise-rl"]
    assert (REPOSITORY / "python/LICENSE").read_text() == (REPOSITORY / "LICENSE").read_text()


def test_version():
    command = [sys.executable, "-m", "turnwise_rl", "--version"]
    completed = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    assert completed.stdout == f"turnwise-rl {turnwise_rl.__version__}\n"


def test_rule_with_components_and_former_names(tmp_path):
    rule = load_rule(REPOSITORY / "test/fixtures/field/14-own-rule-reads-components/per_component.py")
    assert "from turnwise import" in Path(rule.file).read_text()
    parts = [(1, 1, 1.5), (1, 0, 1.0), (0, 1, 0.5), (0, 1, 0.5)]
    turns = [
        {"parent": -1, "reward": 0, "outcome": outcome, "components": {"correct": correct, "format": layout}}
        for correct, layout, outcome in parts
    ]
    expected = [1.1160234037880368, 0.1160254037840368, -0.6160244037860367, -0.6160244037860367]
    advantages = rule({"id": "g", "turns": turns}).advantage
    assert all(abs(a - b) < 1e-9 for a, b in zip(advantages, expected))


def test_outcomes_with_turn_rewards_in_them():
    turns = []
    for first, last in ((0.8, 0.2), (0.2, 0.0), (0.5, 0.5), (0.0, 0.1)):
        turns += [{"parent": -1, "reward": first}, {"parent": len(turns), "reward": last, "outcome": first + last}]
    rule = load_rule("grpo-mr", profile="dr-grpo")
    advantages = rule({"id": "g", "turns": turns, "outcomeIsTotal": True}).advantage
    assert all(abs(a - b) < 1e-12 for a, b in zip(advantages[::2], [0.425, -0.375, 0.425, -0.475]))


def test_user_rule_reads_outcomes_without_turn_rewards(tmp_path):
    # test/sandbox/customRules.test.ts has the same rule and numbers.
    path = tmp_path / "own.py"
    path.write_text(
        "def credit(group):\n"
        "    known = {None: 0.0, False: 10.0, True: 20.0}[group.outcome_is_total]\n"
        "    return [known + turn.reward + (turn.outcome or 0.0) for turn in group.turns]\n"
    )
    turns = [{"parent": -1, "reward": 0.5}, {"parent": 0, "reward": 0.25, "outcome": 1.0}]
    for total, expected in ((True, [10.5, 10.5]), (False, [10.5, 11.25]), (None, [0.5, 1.25])):
        group = {"id": "a", "turns": turns, **({} if total is None else {"outcomeIsTotal": total})}
        assert load_rule(path)(group).advantage == expected


def test_murphy_credits_outcomes():
    turns = [{"parent": -1, "reward": 0, "outcome": outcome} for outcome in (1.0, -1.0, 1.0)]
    advantages = load_rule("murphy-mars")({"id": "g", "turns": turns}).advantage
    assert [round(value, 5) for value in advantages] == [0.57735, -1.1547, 0.57735]
