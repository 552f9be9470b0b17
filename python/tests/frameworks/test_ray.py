"""Ray Data: two workers write the same bytes as the command."""

import io
import json

import pytest
import ray
from conftest import random_group

from turnwise_rl import RuleError
from turnwise_rl import ray as rollouts
from turnwise_rl.__main__ import main


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, ignore_reinit_error=True, log_to_driver=False)
    yield
    ray.shutdown()


def five_hundred():
    """Creates 500 groups. In every tenth group, all rollouts have the same outcome."""
    groups = [random_group(seed, rollouts=4, longest=3) for seed in range(500)]
    for group in groups[::10]:
        group["turns"] = [{**turn, "outcome": 0.5} if "outcome" in turn else turn for turn in group["turns"]]
    return groups


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """File of 10,000 groups."""
    path = tmp_path_factory.mktemp("rollouts") / "groups.jsonl"
    groups = five_hundred()
    with open(path, "w", encoding="utf-8") as out:
        for copy in range(20):
            out.writelines(f"{json.dumps({**group, 'id': f'{copy} {index}'})}\n" for index, group in enumerate(groups))
    return path


@pytest.mark.parametrize("rule, arguments", [("mt-grpo?alpha=.9", ["mt-grpo", "--set", "alpha=.9"]), ("rtmc", ["rtmc"])])
def test_two_workers_write_the_bytes_of_the_command(file, tmp_path, rule, arguments):
    out = io.StringIO()
    lines = rollouts.credit(rollouts.read(str(file), override_num_blocks=8), rule=rule, workers=2)
    assert rollouts.write(lines, out) == 10_000
    assert main(["credit", "--rule", *arguments, "--out", str(tmp_path / "credit.jsonl"), str(file)]) == 0
    assert out.getvalue() == (tmp_path / "credit.jsonl").read_text(encoding="utf-8")


def test_workers_receive_a_rule_file_as_text(file, rule_file):
    path = rule_file("def credit(group, a=1.0):\n    return [a * turn.reward for turn in group.turns]\n")
    lines = rollouts.credit(rollouts.read(str(file)).limit(3), rule=f"file:{path}?a=2", workers=1)
    first = json.loads(lines.take(1)[0]["text"])
    assert first["advantage"] == [2 * turn["reward"] for turn in json.loads(file.read_text().split("\n")[0])["turns"]]


def test_summary(file):
    result = rollouts.summary(rollouts.read(str(file)).limit(500), rule="grpo-or")
    groups = five_hundred()
    ends = [[turn["outcome"] for turn in group["turns"] if "outcome" in turn] for group in groups]
    assert result["groups"] == 500 and result["turns"] == sum(len(group["turns"]) for group in groups)
    assert result["silent"] == sum(len(set(outcomes)) == 1 for outcomes in ends) / 500 > 0
    assert 1 < result["largest"] < 2


def test_errors_of_rules_and_groups(tmp_path):
    with pytest.raises(RuleError, match="no such rule"):
        rollouts.credit(ray.data.from_items([{"text": "{}"}]), rule="nothing")
    broken = ray.data.from_items([{"text": '{"id": "a", "turns": [{"parent": -1, "reward": 0}]}'}])
    with pytest.raises(Exception, match='group "a", turn 0, field "outcome": missing'):
        rollouts.credit(broken, rule="grpo-or").take_all()


def test_reconcile_finds_the_profile_of_a_trainer(tmp_path):
    """Turns have the advantages of a trainer; the result names the matching profile and the first group that differs."""
    from turnwise_rl import load_rule

    rule, lines = load_rule("grpo-or", profile="trl"), []
    for seed in range(20):
        group = random_group(seed)
        for turn, advantage in zip(group["turns"], rule(group).advantage):
            turn["advantage"] = advantage
        lines.append({"text": json.dumps(group)})
    result = rollouts.reconcile(ray.data.from_items(lines), rule="grpo-or")
    assert result["trl"] == {"groups": 20, "equal": 20, "first": None}
    assert result["verl"]["equal"] < 20 and result["verl"]["first"] is not None
