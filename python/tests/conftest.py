"""Shared code of the tests: path of the repository, test vectors, comparison of nested lists, and fixtures."""

import functools
import json
import random
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def vectors(name: str) -> dict:
    """Returns the content of a file of test vectors."""
    return json.loads((REPOSITORY / "test/fixtures/vectors" / name).read_text())


@functools.cache
def built_terminal() -> str:
    """Builds the terminal program of the repository to JavaScript once and returns its path."""
    command = ["node", "--import", "tsx", "scripts/terminal.ts"]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, encoding="utf-8", check=True).stdout.strip()


def flat(value):
    return [item for inner in value for item in flat(inner)] if isinstance(value, (list, tuple)) else [value]


def assert_close(actual, expected, tolerance):
    """Asserts that nested lists of numbers and None are close. The tolerance is relative above 1; NaN is close to no number."""
    actual, expected = flat(actual), flat(expected)
    assert len(actual) == len(expected)
    for index, (a, e) in enumerate(zip(actual, expected)):
        assert (a is None) == (e is None), f"[{index}] is {a}, expected {e}"
        assert a is None or abs(a - e) <= tolerance * max(1, abs(e)), f"[{index}] is {a}, expected {e}"


def random_group(seed: int, rollouts: int = 8, longest: int = 4) -> dict:
    """Creates a group of trajectories with all fields that rules read. Rewards are on a grid, so many are equal."""
    draw = random.Random(seed)
    turns = []
    for _ in range(rollouts):
        length = draw.randint(1, longest)
        for k in range(length):
            tokens = draw.randint(1, 4)
            turn = {"parent": -1 if k == 0 else len(turns) - 1, "reward": draw.randint(-10, 10) / 10, "tokens": tokens}
            turn |= {"state": f"s{draw.randint(0, 4)}", "action": f"a{draw.randint(0, 2)}", "validates": draw.random() < 0.25}
            turn |= {"passed": [draw.randint(0, 1) for _ in range(5)], "values": [draw.randint(-20, 20) / 10 for _ in range(tokens)]}
            turn["answerLogProb"] = -(len(turns) * 7 % 31) / 10
            turn["logProb"] = -(len(turns) * 13 % 81) / 10
            turn["stateValue"] = (len(turns) * 11 % 23) / 10 - 1
            if k == length - 1:
                turn |= {"outcome": draw.randint(-10, 10) / 10, "solved": draw.random() < 0.5}
            turns.append(turn)
    return {"id": f"group {seed}", "turns": turns}


@pytest.fixture
def rule_file(tmp_path):
    """Function that writes a rule file and returns its path."""

    def write(text: str, name: str = "my_rule.py") -> str:
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return write
