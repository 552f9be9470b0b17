"""Signals of turns that users of a trainer provide, and support of rules by trainers. The tests need no trainer."""

import subprocess
import sys
import warnings

import pytest
from conftest import REPOSITORY

from turnwise_rl import GroupError, load_rule
from turnwise_rl.parameters import ParameterError
from turnwise_rl.rows import TRAINERS, UnsupportedRule, check_rule, missing_fields, parse_rule, reads_turn_rewards
from turnwise_rl.signals import (
    Notices,
    call_fields,
    ignored_settings,
    name_missing,
    padded_rewards,
    reward_list,
    rewards_by_call,
    summed,
    turn_fields,
)


def test_lists_of_rewards():
    assert reward_list(None, "row 3", "turn_rewards") is None
    assert reward_list((1, None, True), "row 3", "turn_rewards") == [1.0, 0.0, 1.0]
    with pytest.raises(ValueError, match="row 3: `turn_rewards` is 0.5, not a list of numbers, one a turn"):
        reward_list(0.5, "row 3", "turn_rewards")
    with pytest.raises(ValueError, match=r"row 3: `paid`\[1\] is 'x', not a number"):
        reward_list([1, "x"], "row 3", "paid")
    assert summed(None, [1.0], "row 3") == summed([1.0], None, "row 3") == [1.0]
    assert summed([1.0], [0.5, 2.0], "row 3") == [1.5, 2.0]  # a source can omit the last turn
    with pytest.raises(ValueError, match="row 3: one source gives 1 turn rewards, another 3"):
        summed([1.0], [1.0, 2.0, 3.0], "row 3")
    assert padded_rewards([1.0], 2, "row 3") == [1.0, 0.0] and padded_rewards(None, 2, "row 3") == [0.0, 0.0]
    assert padded_rewards([1.0, 2.0], 0, "row 3") == []
    with pytest.raises(ValueError, match="row 3: 3 turn rewards for 2 turns"):
        padded_rewards([1.0, 2.0, 3.0], 2, "row 3")


def test_rewards_by_call():
    # Two calls in turn 0, none in turn 1, one in turn 2. The last reward was appended after the last call.
    assert rewards_by_call([1.0, 0.5, 0.25, 4.0], [0, 0, 2], 4) == [1.5, 0.0, 0.25, 4.0]


def test_fields_of_turns():
    given = {"turn_states": ["s", "t"], "turn_actions": None, "turn_passed": [[True, 0], (0, 1)], "solved": 1}
    assert turn_fields(given, 2, "row 0") == [{"state": "s", "passed": [1, 0]}, {"state": "t", "passed": [0, 1], "solved": True}]
    assert turn_fields(given, 0, "row 0") == []
    with pytest.raises(ValueError, match="row 0: 2 `turn_states` for 3 turns; one a turn is needed"):
        turn_fields(given, 3, "row 0")
    with pytest.raises(ValueError, match="row 0: `turn_states` is 's', not a list"):
        turn_fields({"turn_states": "s"}, 1, "row 0")
    with pytest.raises(ValueError, match="row 0: `solved` is 'yes', not True or False"):
        turn_fields({"solved": "yes"}, 1, "row 0")


def test_states_and_actions_of_tool_calls():
    messages = [
        {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": {"name": "find", "arguments": {"n": 2, "at": "ä"}}}]},
        {"role": "tool", "content": "x"},
        {"role": "assistant", "tool_calls": [{"function": {"name": "run", "arguments": "{\"b\": [1, 2]}"}}, {"name": "stop", "arguments": None}]},
        {"role": "assistant", "content": "done"},
    ]
    calls = ['find(at="ä", n=2)', "run(b=[1,2])", "stop()"]
    assert call_fields(messages) == {
        "turn_states": ["start", calls[0], " > ".join(calls)],
        "turn_actions": [calls[0], "; ".join(calls[1:]), "answer"],
    }
    assert call_fields("a text") == {}


def test_notices_warn_once_or_raise():
    notices = Notices()
    with pytest.warns(UserWarning, match="turnwise: lacks"):
        notices.report("a", "lacks")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        notices.report("a", "lacks")
    with pytest.raises(UnsupportedRule, match="lacks"):
        Notices(strict=True).report("a", "lacks")


def test_settings_without_effect():
    settings = {"scale_rewards": ("none", "group"), "other": (1, 1), "absent": (None, 1)}
    assert [text.split(",")[0] for text in ignored_settings(parse_rule("grpo-or", "trl"), "trl", settings)] == [
        "scale_rewards='none' has no effect on grpo-or"
    ]
    assert ignored_settings(parse_rule("grpo-or?profile=dr-grpo", "trl"), "trl", settings) == []
    assert len(ignored_settings(parse_rule("dr-grpo", "trl"), "trl", settings)) == 1


def test_the_profile_of_a_trainer_is_the_default(rule_file):
    assert parse_rule("mt-grpo?alpha=.5", "verl").values == {"alpha": 0.5, "profile": "verl"}
    assert parse_rule("grpo-or?ddof=0", "trl").values == {"profile": "trl,ddof=0"}
    assert parse_rule("grpo-or?profile=rllm", "trl").values == {"profile": "rllm"}
    assert parse_rule("rloo", "verl").values == {} and parse_rule("grpo-or").values == {}
    text = 'from turnwise_rl import Profile\ndef credit(group, profile: Profile = "dr-grpo"):\n    return [0.0] * len(group.turns)\n'
    assert parse_rule(f"file:{rule_file(text)}", "trl").values == {}  # the file has another profile


@pytest.mark.parametrize(
    "name, message",
    [({"rule": 1}, "not by a dict"), ("mt-grpo?alpha", 'mt-grpo.alpha: "alpha" is not NAME=VALUE'), ("mt-grpo?nothing=1", 'no parameter "nothing"')],
)
def test_invalid_names(name, message):
    with pytest.raises(ParameterError, match=message):
        parse_rule(name)


def test_reads_turn_rewards(rule_file):
    reading = [name for name in ("mt-grpo", "grpo-mr", "grpo-step", "grpo-or", "rtmc", "tempo", "verpo") if reads_turn_rewards(load_rule(name))]
    assert reading == ["mt-grpo", "grpo-mr", "grpo-step"]
    assert reads_turn_rewards(load_rule(rule_file("def credit(group):\n    return [turn.reward for turn in group.turns]\n")))


def test_missing_fields():
    assert missing_fields(load_rule("rtmc"), ()) == ["state", "action", "solved"]
    assert missing_fields(load_rule("rtmc"), ("state", "solved")) == ["action"]
    with pytest.raises(UnsupportedRule, match=r"verpo needs results of unit tests \(`passed`\) of turns, which verl does not pass"):
        check_rule(load_rule("verpo"), "verl")
    for name in ("rtmc", "verpo", "gigpo", "tempo"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_rule(load_rule(name), "TRL")
    error = GroupError("missing", 0, "state")
    assert "return `turn_states` from rollout_func" in str(name_missing(load_rule("rtmc"), error, [{}, {"action": "a"}]))
    assert name_missing(load_rule("rtmc"), error, [{"state": "s"}, {}]) is error


def test_a_rule_without_outcomes_is_reported(rule_file):
    path = rule_file("def credit(group):\n    return [turn.reward for turn in group.turns]\n")
    with pytest.warns(UserWarning, match="outcomes have no effect on training with verl"):
        check_rule(load_rule(path), "verl")


def test_the_readme_has_the_table_of_the_command():
    command = [sys.executable, "-m", "turnwise_rl", "trainers"]
    table = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout
    header, _, *rows = table.splitlines()
    assert header == f"| rule | {' | '.join(TRAINERS)} |" and len(rows) > 20
    cells = {row.split("|")[1].strip(): row.split("|")[2:] for row in rows}
    assert cells["`rtmc`"][0].strip() == "no `state`, no `action`, no `solved`" and cells["`rtmc`"][1].strip() == "yes"
    assert table in (REPOSITORY / "python/README.md").read_text()
