"""The built-in rules, compared with test vectors and hand calculations."""

import pytest
from conftest import assert_close, random_group, vectors

from turnwise_rl import Group, GroupError, Rule, RuleError, load_rule, normalize, rule_names
from turnwise_rl.rows import Row, credit_rows

CASES = vectors("credit.json")["cases"]


@pytest.mark.parametrize("name", sorted({case["rule"] for case in CASES}))
def test_rule_computes_the_numbers_of_the_vectors(name):
    for case in (case for case in CASES if case["rule"] == name):
        credit = load_rule(name, **case["parameters"])(case["group"])
        named = {"advantage": credit.advantage, "advantages": credit.advantage, **credit.intermediate}
        for key, expected in case["expected"].items():
            assert_close(named[key], expected, 1e-12)


def test_every_rule_of_the_vectors_exists():
    assert {case["rule"] for case in CASES} <= set(rule_names())


@pytest.mark.parametrize("name", rule_names())
def test_rule_accepts_every_group_of_trajectories(name):
    for seed in range(5):
        group = random_group(seed)
        assert len(load_rule(name)(group).advantage) == len(group["turns"])


def outcomes_only(*outcomes):
    return {"id": "g", "turns": [{"parent": -1, "reward": 0.0, "outcome": outcome} for outcome in outcomes]}


def test_rloo_subtracts_the_mean_of_the_remaining_rollouts():
    # 1 - (0 + 0.5) / 2 = 0.75; 0 - (1 + 0.5) / 2 = -0.75; 0.5 - (1 + 0) / 2 = 0
    assert load_rule("rloo")(outcomes_only(1, 0, 0.5)).advantage == [0.75, -0.75, 0.0]


def test_mt_grpo_with_two_turns_is_the_formula_of_the_paper():
    turns = [{"parent": -1, "reward": 1}, {"parent": 0, "reward": 0, "outcome": 1}]
    turns += [{"parent": -1, "reward": 0}, {"parent": 2, "reward": 0, "outcome": 0}]
    # Rewards 1 and 0 have mean 0.5 and sample deviation sqrt(0.5), so the credit is +-0.5 / (sqrt(0.5) + 1e-6).
    A = 0.5 / (0.5**0.5 + 1e-6)
    assert_close(load_rule("mt-grpo", alpha=0.5)({"id": "g", "turns": turns}).advantage, [1.5 * A, A, -1.5 * A, -A], 1e-15)


@pytest.mark.parametrize(
    "profile, first", [("turnwise", 1.499997), ("verl", 1.499997), ("trl", 1.4997), ("rllm", 1.732047), ("dr-grpo", 0.75)]
)
def test_profiles_differ_in_their_options(profile, first):
    assert normalize([1, 0, 0, 0], profile)[0] == pytest.approx(first, abs=1e-6)
    assert normalize([0.1] * 3, profile) == [0.0] * 3
    assert normalize([2.0], profile)[0] == (pytest.approx(2, abs=1e-5) if profile in ("verl", "rllm") else 0)


@pytest.mark.parametrize("profile, std", [("verl", (1 / 3) ** 0.5), ("rllm", 0.5)])
def test_raw_reward_of_a_lone_turn_requires_a_group_with_a_single_rollout(profile, std):
    # Outcomes 1, 0, 1, 0 have mean 1/2 and this deviation. Each second turn is alone in its response group.
    A, raw = 0.5 / (std + 1e-6), 1 / (1 + 1e-6)
    chains = [{"parent": -1, "reward": 0}, {"parent": 0, "reward": 0, "outcome": 1}]
    murphy = load_rule("murphy-mars", profile=profile)
    rollouts = []
    for k, outcome in enumerate((1, 0, 1, 0)):
        rollouts += [{"parent": -1, "reward": 0}, {"parent": 2 * k, "reward": 0, "outcome": outcome}]
    assert_close(murphy({"id": "g", "turns": rollouts}).advantage, [A, 0, -A, 0, A, 0, -A, 0], 1e-9)
    assert_close(murphy({"id": "g", "turns": chains}).advantage, [raw, raw], 1e-9)
    # Only the first rollout has an intermediate turn, with reward 0.5.
    chains[0]["reward"] = 0.5
    short = [{"parent": -1, "reward": 0, "outcome": outcome} for outcome in (0, 1, 0)]
    mt_grpo = load_rule("mt-grpo", profile=profile)
    assert_close(mt_grpo({"id": "g", "turns": [*chains, *short]}).advantage, [A, A, -A, A, -A], 1e-9)
    assert_close(mt_grpo({"id": "g", "turns": chains}).advantage, [1.5 * raw, raw], 1e-9)


def test_single_options_override_the_profile():
    group = outcomes_only(1, 0, 0, 0)
    assert load_rule("grpo-or", ddof=0)(group).advantage[0] == pytest.approx(1.7320468, abs=1e-6)
    assert load_rule("grpo-or", profile="verl", scale="none")(group).advantage[0] == 0.75
    assert load_rule("grpo-or", profile="trl", singleton="raw")(outcomes_only(3)).advantage[0] == pytest.approx(3 / 1.0001)


def test_error_names_the_turn_of_a_branch():
    turns = [{"parent": -1, "reward": 0}, {"parent": 0, "reward": 0, "outcome": 1}, {"parent": 0, "reward": 0, "outcome": 1}]
    with pytest.raises(GroupError, match=r'group "tree", turn 0, field "parent": this rule needs trajectories, but turns 1, 2'):
        load_rule("mt-grpo")({"id": "tree", "turns": turns})
    assert len(load_rule("murphy-mars")({"id": "tree", "turns": turns}).advantage) == 3


def test_parents_must_precede_their_children():
    with pytest.raises(GroupError, match="1 is not -1"):
        Group("g", [{"parent": 1, "reward": 0}, {"parent": -1, "reward": 0}])


def test_mt_grpo_compares_a_turn_with_active_rollouts():
    # Outcomes 1, 0, 0 with mean 1/3: 2/3, -1/3, -1/3. First turns: 2/3 + 1/3, -1/3 - 1/6. Only the first rollout has a
    # second turn. It is compared with all other rollouts: 2/3 * 3/2.
    turns = [{"parent": -1, "reward": 0}, {"parent": 0, "reward": 0, "outcome": 1}]
    turns += [{"parent": -1, "reward": 0, "outcome": 0}] * 2
    rule = load_rule("mt-grpo", absent="leave-one-out", profile="dr-grpo")
    assert_close(rule({"id": "g", "turns": turns}).advantage, [1, 1, -0.5, -0.5], 1e-15)


def test_gdpo_sums_normalised_rewards():
    # First turns 1 and 0, outcomes 0 and 2, each centred: 0.5 - 1 and -0.5 + 1. Both turns have the same credit.
    turns = [{"parent": -1, "reward": 1}, {"parent": 0, "reward": 0, "outcome": 0}]
    turns += [{"parent": -1, "reward": 0}, {"parent": 2, "reward": 0, "outcome": 2}]
    assert load_rule("gdpo", profile="dr-grpo")({"id": "g", "turns": turns}).advantage == [-0.5, -0.5, 0.5, 0.5]


def test_maxrl_divides_by_the_success_rate():
    # Rate 1/4: (1 - 1/4) / (1/4) and (0 - 1/4) / (1/4); outcomes below 0 are failures.
    assert load_rule("maxrl", epsilon=0.0)(outcomes_only(1, 0, 0, -1)).advantage == [3, -1, -1, -1]
    assert load_rule("maxrl")(outcomes_only(0, -1)).advantage == [0, 0]


def test_reinforce_plus_plus_has_outcomes_and_a_batch():
    assert load_rule("reinforce-plus-plus")(outcomes_only(1, -2)).advantage == [1, -2]
    assert load_rule("reinforce-plus-plus", baseline="group")(outcomes_only(1, -2)).advantage == [1.5, -1.5]
    # Outcome 1 on three tokens, -2 on one: mean 1/4, sum of squares 3 * 9/16 + 81/16 = 27/4, deviation sqrt(27/4 / 3) =
    # 3/2.
    rows = [Row("a", [0.0, 0.0], 1.0, [1, 2]), Row("b", [], 0.0, []), Row("b", [0.0], -2.0, [1])]
    credits = credit_rows(load_rule("reinforce-plus-plus"), rows)
    assert credits[1] == []
    assert_close(credits[0] + credits[2], [0.75 / 1.5001, 0.75 / 1.5001, -2.25 / 1.5001], 1e-15)


def test_gdpo_is_normalised_over_the_rollouts_of_all_groups():
    # Outcomes 1, -1 | 3, -3, centred in their groups: sum of squares 20 over 3. Token counts have no effect.
    rows = [Row("a", [0.0, 0.0], 1.0, [5, 9]), Row("a", [0.0], -1.0, [1]), Row("b", [0.0], 3.0, [1]), Row("b", [0.0], -3.0, [2])]
    credits = credit_rows(load_rule("gdpo", profile="dr-grpo"), rows)
    divisor = (20 / 3) ** 0.5 + 1e-4
    assert_close([A for row in credits for A in row], [A / divisor for A in (1, 1, -1, 3, -3)], 1e-12)


def test_unknown_rewards_raise_an_error():
    with pytest.raises(RuleError, match='REWARDS is "turns", not "outcome" or "attempts"'):
        Rule("mine", "mine.py", 'REWARDS = "turns"\ndef credit(group):\n    return [0.0] * len(group.turns)\n')


def test_unknown_batch_members_raise_an_error():
    with pytest.raises(RuleError, match='BATCH is "turns", not "rollouts" or "tokens"'):
        Rule("mine", "mine.py", 'BATCH = "turns"\ndef credit(group):\n    return [0.0] * len(group.turns)\n')
