"""Custom rule files: parameters, and errors with their positions."""

import pickle
from pathlib import Path

import pytest
from conftest import REPOSITORY, random_group

from turnwise_rl import RuleError, load_rule
from turnwise_rl.parameters import ParameterError

GROUP = {"id": "g", "turns": [{"parent": -1, "reward": 0.5}, {"parent": 0, "reward": 0, "outcome": 1, "tokens": 2}]}
HEAD = "from turnwise_rl import normalize, trajectories\n"


def fails(path, **values):
    with pytest.raises(RuleError) as caught:
        load_rule(path, **values)(GROUP)
    return caught.value


def test_messages_cut_and_escape_the_id_of_a_group(rule_file):
    with pytest.raises(RuleError) as caught:
        load_rule(rule_file(body("return []")))({**GROUP, "id": "\x1b[2J" + "a" * 5_000_000})
    assert r'group "\u001b[2J' in str(caught.value) and len(str(caught.value)) < 500


def body(text):
    return f"{HEAD}def credit(group):\n    {text}\n"


@pytest.mark.parametrize(
    "text, line, turn, problem",
    [
        ("def credit(group:\n    pass\n", 1, None, "does not parse"),
        ("x = 1\n\x00", None, None, "does not parse"),
        ("import numpyy\n", 1, None, "ModuleNotFoundError"),
        (f"{HEAD}value = 1\n", None, None, "no function `credit"),
        ("credit = 3\n", None, None, "no function `credit"),
        ("def credit():\n    return []\n", 1, None, "first argument"),
        ("def credit(group, alpha):\n    return []\n", 1, None, "parameter `alpha` of `credit` needs a default"),
        ("def credit(group, alpha=[]):\n    return []\n", 1, None, "parameter `alpha` of `credit` needs a default"),
        (body("return [0.0]"), 2, None, "returned 1 advantages for 2 turns"),
        (body("return [0.0] * 10**7"), 2, None, "returned 10000000 advantages"),
        (body("return None"), 2, None, "not None"),
        (body("return {}"), 2, None, "not a dict"),
        (body("return (0.0 for _ in group.turns)"), 2, None, "not a generator"),
        (body("return [0.0, 'x']"), 2, 1, "is a str, not a number"),
        (body("return [0.0, True]"), 2, 1, "is a bool, not a number"),
        (body("return [0.0, type('F', (float,), {})(1)]"), 2, 1, "is a F, not a number"),
        (body("return [0.0, type('O', (), {'__float__': lambda s: 1.0})()]"), 2, 1, "is a O, not a number"),
        (body("return [0.0, float('nan')]"), 2, 1, "is NaN"),
        (body("return [float('inf'), 0.0]"), 2, 0, "is infinite"),
        (body("return [0, 10**400]"), 2, 1, "is infinite"),
        (body("return [[0.0], [0.0]]"), 2, 1, "1 advantages for 2 tokens"),
        (body("return [[0.0], [0.0, float('nan')]]"), 2, 1, "of token 1 is NaN"),
        (body("return [0.0, [0.0, 0.0]]"), 2, 1, "some turns have one advantage and others a list"),
        (body("return [None, 1.0]"), 2, 1, "turn 0, which it continues, is pruned"),
        (body("return [0.0, 0.0], {1: []}"), 2, None, "names that are texts"),
        (body("return [0.0, 0.0], {'q': ['x', 1]}"), 2, None, "intermediate value 'q' holds a str"),
        (body("return [0.0, 0.0], {'id': [9]}"), 2, None, "an intermediate value cannot be named 'id'"),
        (body("return [0.0, 0.0], {'advantage': [9]}"), 2, None, "an intermediate value cannot be named 'advantage'"),
        (body("return [0.0, 0.0], {'advantages': [9]}"), 2, None, "an intermediate value cannot be named 'advantages'"),
        (body("return [1 / group.turns[0].parent.imag]"), 3, None, "ZeroDivisionError"),
        (body("return [group.turns[turn].reward / 0 for turn in range(9)]"), 3, None, "ZeroDivisionError"),
        (f"{HEAD}def credit(group):\n    for turn in (0, 1):\n        x = group.turns[turn].outcome + 1\n    return x\n", 4, 0, "TypeError"),
        (body("return credit(group)"), 3, None, "calls itself too deeply"),
        (body("raise MemoryError"), 3, None, "more memory"),
        (body("group.turns[0] = 3"), 3, None, "TypeError"),
        (f"{HEAD}calls = []\ndef credit(group):\n    calls.append(1)\n    return [0.0, float(len(calls))]\n", 3, 1, "another result"),
    ],
)
def test_errors_have_their_position(rule_file, text, line, turn, problem):
    path = rule_file(text)
    error = fails(path)
    assert problem in str(error)
    assert str(error).startswith(path)
    assert error.line == line
    assert error.turn == turn or (turn is None and "turn in range" in text)


def test_fuel_stops_an_endless_rule(rule_file):
    path = rule_file(body("try:\n        while True:\n            pass\n    except Exception:\n        return [0.0, 0.0]"))
    assert "took more than 5,000 steps" in str(fails(path, fuel=5000))
    assert load_rule(rule_file(body("return [0.0, 0.0]")), fuel=5000)(GROUP).advantage == [0.0, 0.0]


def test_fuel_applies_to_a_batch(rule_file):
    rule = load_rule("mt-grpo", fuel=2000)
    group = random_group(1)
    assert len(rule(group).advantage) > 0
    with pytest.raises(RuleError, match="steps for a batch"):
        list(rule.credits([group] * 100))


def test_a_rule_cannot_change_its_group(rule_file):
    path = rule_file(body("group.turns[0].reward += 1\n    return [group.turns[0].reward, 0.0]"))
    rule = load_rule(path)
    assert [rule(GROUP).advantage[0] for _ in range(3)] == [1.5, 1.5, 1.5]


def test_keywords_are_parameters(rule_file):
    text = """
from typing import Annotated, Literal
from turnwise_rl import Range, normalize
def credit(group, alpha: Annotated[float, Range(0, 1, "Weight.")] = 1.0, count: int = 2, on=True, how: Literal["a", "b"] = "a", name="x"):
    return [alpha * count * on, float(how == "b")]
"""
    path = rule_file(text)
    rule = load_rule(path, alpha=".5", count="3", on="true", how="b")
    assert rule(GROUP).advantage == [1.5, 1.0]
    assert [(parameter.name, parameter.kind) for parameter in rule.parameters] == [
        ("alpha", "number"), ("count", "whole"), ("on", "boolean"), ("how", "choice"), ("name", "text"),
    ]  # fmt: skip
    assert rule.parameters[0].help == "Weight."
    for name, value, allowed in [
        ("alpha", 2, "a number from 0 to 1"), ("alpha", "nan", "a number from 0 to 1"), ("alpha", True, "a number"),
        ("count", 1.5, "a whole number"), ("on", "yes", "one of true, false"), ("how", "c", "one of a, b"),
    ]:  # fmt: skip
        with pytest.raises(ParameterError, match=f"{name}: .* is not {allowed}"):
            load_rule(path, **{name: value})
    with pytest.raises(ParameterError, match='has no parameter "beta"; known: alpha, count, on, how, name'):
        load_rule(path, beta=1)


def test_names_of_rules_and_their_parameters():
    with pytest.raises(RuleError, match="no such rule .the nearest name is mt-grpo.; known: dr-grpo"):
        load_rule("grpo")
    with pytest.raises(ParameterError, match='mt-grpo has no parameter "gamma"; known: alpha, absent, profile, ddof'):
        load_rule("mt-grpo", gamma=1)
    with pytest.raises(ParameterError, match='gigpo has no parameter "scale"'):
        load_rule("gigpo", scale="std")
    with pytest.raises(ParameterError, match="unknown profile 'none'"):
        load_rule("mt-grpo", profile="none")
    with pytest.raises(ParameterError, match="epsilon: -1 is not a number from 0 to 1"):
        load_rule("mt-grpo", epsilon=-1)
    with pytest.raises(RuleError, match="No such file"):
        load_rule("./nowhere.py")
    assert load_rule("mt-ppo", **{"lambda": 0.5}).values == {"lambda_": 0.5}


def test_a_pickled_rule_contains_its_text(rule_file):
    path = rule_file("def credit(group, lambda_=1.0):\n    return [lambda_ * turn.reward for turn in group.turns]\n")
    rule = load_rule(path, **{"lambda": 3})
    Path(path).unlink()
    assert pickle.loads(pickle.dumps(rule))(GROUP).advantage == rule(GROUP).advantage == [1.5, 0.0]


def test_derivation_lines(rule_file):
    path = rule_file(f"{body('return [0.5, 0.0]')}def worked(group, turn, advantage):\n    return [f'A = {{advantage}}']\n")
    rule = load_rule(path)
    assert rule.worked(GROUP, 0, rule(GROUP)) == ["A = 0.5"]
    assert load_rule("grpo-or").worked(GROUP, 0, rule(GROUP)) == []
    invalid = load_rule(rule_file(f"{body('return [0.5, 0.0]')}def worked(group, turn, advantage):\n    return 3\n"))
    with pytest.raises(RuleError, match=r"line 4, .*turn 1: worked\(\) must return"):
        invalid.worked(GROUP, 1, invalid(GROUP))


def test_readme_rule_computes_discounted_rewards(rule_file):
    text = (REPOSITORY / "python/README.md").read_text().split("```python\n")[1].split("```")[0]
    rule = load_rule(rule_file(text), gamma=0.5)
    # One rollout of two turns: 0.5 + 0.5 * 1 and 1.
    assert rule(GROUP).advantage == [1.0, 1.0]
