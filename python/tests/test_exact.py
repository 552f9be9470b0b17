"""Exact advantages of three small processes, and estimators compared with them."""

import json
import math

import pytest
from conftest import REPOSITORY, assert_close

from turnwise_rl.__main__ import main
from turnwise_rl.core import Group
from turnwise_rl.estimators import BatchCentered, Context, GiGPOStyle, GRPOStyle, Oracle, OutcomeBroadcast, RuleEstimator, TurnLOO, score, table
from turnwise_rl.exact import (
    PROCESSES,
    DelayedEffect,
    Recovery,
    UniformPolicy,
    VariableHorizon,
    batch_gradient,
    enumerate_trajectories,
    exact_gradient,
    exact_values,
    norm,
    sample_trajectories,
)
from turnwise_rl.rows import parse_rule


class Skewed:
    """A policy whose probabilities differ by action and timestep."""

    def action_probabilities(self, timestep, state, actions):
        weights = [1 + timestep + 2 * index for index, _ in enumerate(actions)]
        return {action: weight / sum(weights) for action, weight in zip(actions, weights)}


POLICIES = [UniformPolicy(), Skewed()]


@pytest.mark.parametrize("name", PROCESSES)
@pytest.mark.parametrize("policy", POLICIES)
def test_values_agree_with_the_enumeration_of_all_trajectories(name, policy):
    process = PROCESSES[name]()
    values = exact_values(process, policy)
    ahead_of, mass = {}, {}
    for probability, trajectory in enumerate_trajectories(process, policy):
        ahead = 0.0
        for step in reversed(trajectory.steps):
            ahead += step.reward
            for key in ((step.timestep, step.state), (step.timestep, step.state, step.action)):
                ahead_of[key] = ahead_of.get(key, 0.0) + probability * ahead
                mass[key] = mass.get(key, 0.0) + probability
    assert math.isclose(mass[0, process.initial_state], 1, abs_tol=1e-12)
    for key, value in {**values.state_values, **values.action_values}.items():
        assert abs(value - ahead_of[key] / mass[key]) < 1e-12
    for (t, state), visits in values.visits.items():
        assert abs(visits - mass[t, state]) < 1e-12


@pytest.mark.parametrize("name", PROCESSES)
@pytest.mark.parametrize("policy", POLICIES)
def test_the_exact_gradient_agrees_with_the_enumeration(name, policy):
    process = PROCESSES[name]()
    expected = {}
    for probability, trajectory in enumerate_trajectories(process, policy):
        returns = [[trajectory.total_return] * len(trajectory.steps)]
        for key, value in batch_gradient(process, policy, [trajectory], returns).items():
            expected[key] = expected.get(key, 0.0) + probability * value
    exact = exact_gradient(process, policy, exact_values(process, policy))
    assert_close([exact[key] for key in exact], [expected[key] for key in exact], 1e-12)


def test_advantages_of_the_uniform_policy():
    # Recovery under the uniform policy: Q(BAD) = 1/2, V = (1 + 1/2) / 2 = 3/4; Q(RECOVER) = 1, V = 1/2.
    A = exact_values(Recovery(), UniformPolicy()).advantages
    assert A == {
        **{(0, "s0", "GOOD"): 0.25, (0, "s0", "BAD"): -0.25},
        **{(1, "mistake", "RECOVER"): 0.5, (1, "mistake", "GIVE_UP"): -0.5},
    }
    # Delayed effect: Q = .8 and .2, V = .5; later actions have no effect.
    A = exact_values(DelayedEffect(4), UniformPolicy()).advantages
    assert_close([A[0, "start", "GOOD"], A[0, "start", "BAD"]], [0.3, -0.3], 1e-15)
    assert {value for key, value in A.items() if key[0] > 0} == {0.0}
    # Stopping, backwards: V_4 = 0, V_3 = (3 + 0) / 2, V_2 = (1 + 1.5) / 2, V_1 = (2 + 1.25) / 2, V_0 = (0 + 1.625) / 2.
    values = exact_values(VariableHorizon(), UniformPolicy())
    assert [values.state_values[t, "alive"] for t in range(5)] == [0.8125, 1.625, 1.25, 1.5, 0.0]
    assert [values.advantages[t, "alive", "CONTINUE"] for t in range(4)] == [0.8125, -0.375, 0.25, -1.5]


def selected(trajectories, credits, action):
    """Returns the mean credit of an action over all trajectories with the action, and over those that recovered."""
    pairs = [(trajectory, row) for trajectory, row in zip(trajectories, credits)]
    steps = [(step, A, trajectory) for trajectory, row in pairs for step, A in zip(trajectory.steps, row) if step.action == action]
    recovered = [A for _, A, trajectory in steps if trajectory.steps[-1].action == "RECOVER"]
    return math.fsum(A for _, A, _ in steps) / len(steps), math.fsum(recovered) / max(len(recovered), 1)


# AgentCreditBench, results/audit_fixes_2026-09-07/recovery_diagnostic.csv at 02afaf34, batch 2,000. PUBLISHED: by seed,
# the numbers of recoveries, GOOD and BAD. CREDITS: by seed and estimator, the mean credit of BAD and of RECOVER in
# recovered trajectories, and of BAD in all trajectories.
PUBLISHED = {
    0: (498, 990, 1010),
    1: (483, 988, 1012),
    5: (557, 946, 1054),
}
CREDITS = {
    (0, OutcomeBroadcast): (1, 1, 0.493069306931),
    (0, BatchCentered): (0.256128064032, 0.256128064032, -0.25105622118),
    (0, GRPOStyle): (0.586454082274, 0.586454082274, -0.57484113015),
    (0, GiGPOStyle): (1.17290816455, 1.60021011243, -1.1496822603),
    (1, BatchCentered): (0.264632316158, 0.264632316158, -0.258356450953),
    (1, GiGPOStyle): (1.19909348094, 1.64587349554, -1.17065648139),
    (5, GRPOStyle): (0.574907822443, 0.574907822443, -0.51599886151),
}


@pytest.mark.parametrize("seed", PUBLISHED)
def test_sampling_repeats_published_batches(seed):
    trajectories = sample_trajectories(Recovery(), UniformPolicy(), 2000, seed)
    last = [trajectory.steps[-1].action for trajectory in trajectories]
    assert (last.count("RECOVER"), last.count("GOOD"), 2000 - last.count("GOOD")) == PUBLISHED[seed]


@pytest.mark.parametrize("seed, estimator", CREDITS)
def test_estimators_repeat_published_credits(seed, estimator):
    trajectories = sample_trajectories(Recovery(), UniformPolicy(), 2000, seed)
    credits = estimator().estimate(Context(Recovery(), UniformPolicy(), trajectories))
    every, bad = selected(trajectories, credits, "BAD")
    _, repaired = selected(trajectories, credits, "RECOVER")
    assert_close([bad, repaired, every], CREDITS[seed, estimator], 1e-9)


@pytest.mark.parametrize("name", PROCESSES)
def test_rules_are_the_estimators_of_the_same_arithmetic(name):
    process = PROCESSES[name]()
    context = Context(process, UniformPolicy(), sample_trajectories(process, UniformPolicy(), 200, 3))
    pairs = [
        ("rloo", BatchCentered()),
        ("grpo-or?ddof=0&epsilon=0.0001", GRPOStyle()),
        ("mt-grpo?absent=leave-one-out&profile=dr-grpo", TurnLOO()),
    ]
    if name != "delayed":  # its last turn has a random outcome: VinePPO uses the outcome, the oracle the mean outcome
        pairs.append(("vineppo", Oracle()))
    for rule, estimator in pairs:
        rows = zip(RuleEstimator(rule).estimate(context), estimator.estimate(context))
        for actual, expected in rows:
            assert_close(list(actual), list(expected), 1e-12)


def test_a_rule_with_a_batch_is_normalised():
    context = Context(Recovery(), UniformPolicy(), sample_trajectories(Recovery(), UniformPolicy(), 100, 1))
    rows = RuleEstimator("reinforce-plus-plus").estimate(context)
    assert_close([math.fsum(A for row in rows for A in row)], [0], 1e-9)


def test_leakage_of_a_broadcast_is_the_share_of_idle_turns():
    # Only the first turn has an effect, and every turn has the same credit. AgentCreditBench reports the same leakage.
    for horizon in (2, 8, 32):
        leakage = score(DelayedEffect(horizon), UniformPolicy(), OutcomeBroadcast(), 50, [1]).leakage
        assert leakage == pytest.approx(1 - 1 / horizon)
    oracle = score(DelayedEffect(8), UniformPolicy(), Oracle(), 50, [1])
    assert (oracle.leakage, oracle.correlation) == (0.0, pytest.approx(1.0))
    assert score(Recovery(), UniformPolicy(), Oracle(), 50, [1]).leakage is None


@pytest.mark.parametrize("rule, low, high", [("rloo", 0, 1e-12), ("mt-grpo?absent=leave-one-out&profile=dr-grpo", 0, 1e-12), ("grpo-or", 0.02, 1)])
def test_the_expected_gradient_of_pairs(rule, low, high):
    # The mean gradient over all pairs of trajectories is exact for rules without division.
    process, policy = VariableHorizon(), UniformPolicy()
    exact = exact_gradient(process, policy, exact_values(process, policy))
    gap = {key: -value for key, value in exact.items()}
    estimator = RuleEstimator(rule)
    every = list(enumerate_trajectories(process, policy))
    for p, first in every:
        for q, second in every:
            pair = (first, second)
            gradient = batch_gradient(process, policy, pair, estimator.estimate(Context(process, policy, pair)))
            for key, value in gradient.items():
                gap[key] += p * q * value
    assert low <= norm(gap) / norm(exact) < high


def test_the_table_names_missing_fields(capsys):
    text = table("recovery", batch=8, seeds=2, rules=["grpo-or", "verpo"])
    assert "| `verpo` | needs `passed` |" in text and "| `grpo-or` | – | 0." in text
    assert main(["benchmark", "--process", "delayed", "--rules", "grpo-or", "--batch", "8", "--seeds", "1"]) == 0
    assert capsys.readouterr().out.startswith("delayed\n\n| estimator | leakage |")
    assert main(["benchmark", "--process", "chess"]) == 2
    assert 'unknown process "chess"; known: delayed, recovery, stopping' in capsys.readouterr().err
    assert main(["benchmark", "--batch", "1"]) == 2


def test_the_document_has_the_table_of_the_command():
    assert table("recovery") in (REPOSITORY / "docs/reference/exact-credit.md").read_text(encoding="utf-8")


def test_benchmark_prints_groups_for_a_rule(capsys):
    assert main(["benchmark", "--process", "recovery,stopping", "--batch", "4", "--seeds", "2", "--groups"]) == 0
    groups = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [group["id"] for group in groups] == ["recovery-seed-0", "recovery-seed-1", "stopping-seed-0", "stopping-seed-1"]
    context = Context(Recovery(), UniformPolicy(), sample_trajectories(Recovery(), UniformPolicy(), 4, 1))
    rows = RuleEstimator("rtmc").estimate(context)
    advantage = parse_rule("rtmc")(Group("batch", groups[1]["turns"], outcome_is_total=True)).advantage
    assert advantage == [credit for row in rows for credit in row]


def test_the_fixture_of_the_page_has_the_numbers_of_the_command(capsys):
    rules = "grpo-or,rtmc,mt-grpo?absent=leave-one-out"
    assert main(["benchmark", "--json", "--rules", rules, "--batch", "8", "--seeds", "3"]) == 0
    expected = (REPOSITORY / "test/fixtures/exact/processes.jsonl").read_text(encoding="utf-8").splitlines()
    for line, saved in zip(capsys.readouterr().out.splitlines(), expected, strict=True):
        report, fixture = json.loads(line), json.loads(saved)
        assert report["groups"] == fixture["groups"] and report["states"] == fixture["states"]
        assert report["actions"] == fixture["actions"] and list(report["scores"]) == list(fixture["scores"])
        for name, score_of in report["scores"].items():
            assert score_of == pytest.approx(fixture["scores"][name], abs=1e-12)


def test_a_report_names_a_missing_field(capsys):
    assert main(["benchmark", "--json", "--process", "recovery", "--rules", "verpo", "--batch", "4", "--seeds", "1"]) == 0
    assert json.loads(capsys.readouterr().out)["scores"]["verpo"] == {"needs": "passed"}


def test_benchmark_names_an_unknown_process_for_groups_too(capsys):
    assert main(["benchmark", "--process", "mazes", "--groups"]) != 0
    assert 'unknown process "mazes"; known: delayed, recovery, stopping' in capsys.readouterr().err
