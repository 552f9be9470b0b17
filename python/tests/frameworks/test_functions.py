"""Functions for trainers that are not installed, called with the arguments in the documentation of the trainers."""

import warnings
from types import SimpleNamespace as Record

import pytest
import torch
from conftest import assert_close

from turnwise_rl import load_rule
from turnwise_rl.functions import prime_rl, rllm, skyrl, slime, slime_advantages, tinker
from turnwise_rl.rows import UnsupportedRule

# Two rollouts of two turns and one rollout of one turn. The rewards of first turns are 1 and 0; the outcomes are 1, 0
# and 0.5.
TOKENS, FIRST, OUTCOMES = [[2, 1], [1, 2], [3]], [1.0, 0.0, None], [1.0, 0.0, 0.5]


def credit(name="mt-grpo", **values):
    turns = []
    for tokens, first, outcome in zip(TOKENS, FIRST, OUTCOMES):
        if len(tokens) == 2:
            turns.append({"parent": -1, "reward": first, "tokens": tokens[0]})
        turns.append({"parent": len(turns) - 1 if len(tokens) == 2 else -1, "reward": 0.0, "outcome": outcome, "tokens": tokens[-1]})
    flat = load_rule(name, **values)({"id": "g", "turns": turns}).advantage
    return [flat[:2], flat[2:4], flat[4:]]


def masks():
    """Returns the masks of the rollouts, with an observation of two tokens between turns, padded to seven tokens."""
    rows = [[1] * tokens[0] + ([0, 0] + [1] * tokens[1] if len(tokens) == 2 else []) for tokens in TOKENS]
    return [row + [0] * (7 - len(row)) for row in rows]


def by_token(values, mask):
    result, turn = [], -1
    for position, is_policy in enumerate(mask):
        turn += is_policy and (position == 0 or not mask[position - 1])
        result.append(values[turn] if is_policy else 0.0)
    return result


EXPECTED = [by_token(values, mask) for values, mask in zip(credit(), masks())]


def test_skyrl():
    mask, rewards = torch.tensor(masks()), torch.zeros(3, 7)
    rewards[0, 1], rewards[0, 4], rewards[2, 2] = 1.0, 1.0, 0.5
    result = skyrl("mt-grpo")(rewards, mask, ["a"] * 3, values=None, grpo_norm_by_std=True, gamma=1.0, lambd=1.0, config=None)
    assert_close(result[0].tolist(), EXPECTED, 1e-6)
    values = torch.rand(3, 7)
    advantages, returns = skyrl("mt-ppo")(token_level_rewards=rewards, response_mask=mask, index=["a"] * 3, values=values)
    # With gamma and lambda 1, the return of a token sums the rewards from it on: 1 + 1 in the first turn of row 0, then
    # 1.
    assert_close(returns.tolist(), [[2, 2, 0, 0, 1, 0, 0], [0] * 7, [0.5, 0.5, 0.5, 0, 0, 0, 0]], 1e-6)
    assert_close(advantages.tolist(), ((returns - values) * mask).tolist(), 1e-6)
    again = skyrl("mt-grpo")(rewards, mask, ["a"] * 3, values=values)
    assert_close(again[1].tolist(), EXPECTED, 1e-6)  # a critic has no effect on a rule that does not read values
    with pytest.raises(UnsupportedRule, match="mt-ppo needs the critic's values .*SkyRL"):
        skyrl("mt-ppo")(rewards, mask, ["a"] * 3)


def traces(**info):
    result = []
    for tokens, first, outcome in zip(TOKENS, FIRST, OUTCOMES):
        nodes = [Record(mask=[False] * 4)]
        for count in tokens:
            nodes += [Record(mask=[True] * count), Record(mask=[False, False])]
        result.append(Record(nodes=nodes, reward=outcome, info={"turn_rewards": [first] if len(tokens) == 2 else [], **info}))
    return result


def test_prime_rl():
    given = traces()
    credits = []
    prime_rl("mt-grpo")(given, lambda trace, values: credits.append(values))
    assert_close(credits, [[v for v, is_policy in zip(row, mask) if is_policy] for row, mask in zip(EXPECTED, masks())], 1e-12)
    with pytest.raises(UnsupportedRule, match="gigpo needs state hashes"):
        prime_rl("gigpo")(given, lambda *_: None)
    prime_rl("gigpo")(traces(states=["s", "t"], actions=["a", "b"])[:2], lambda trace, values: credits.append(values))
    assert len(credits) == 5
    known = dict(states=["s", "t"], actions=["a", "b"], solved=True)
    with pytest.raises(UnsupportedRule, match="rtmc needs whether a rollout is solved .*without `states`, `actions` and `solved`"):
        prime_rl("rtmc")([trace for trace in traces(**{**known, "solved": None})[:2]], lambda *_: None)
    credits = []
    prime_rl("rtmc")(traces(**known)[:2], lambda trace, values: credits.append(values))
    # G of the first turns is 1 + .99 and 0, of the last turns 1 and 0; V = (sum + 2) / 4.
    assert_close(credits, [[0.995 - (1.99 + 2) / 4] * 2 + [0.5 - 0.75], [0.995 - (1.99 + 2) / 4] + [0.5 - 0.75] * 2], 1e-12)
    with pytest.raises(ValueError, match="trace 0: 2 `turn_states` for 1 turns"):
        prime_rl("rtmc")(traces(**known)[2:], lambda *_: None)


@pytest.mark.parametrize("rewards, message", [(0.5, "`turn_rewards` is 0.5, not a list of numbers"), ([1, 2, 3], "3 turn rewards for 1 turns")])
def test_error_names_the_rollout_of_invalid_turn_rewards(rewards, message):
    with pytest.raises(ValueError, match=f"trace 0: {message}"):
        prime_rl("mt-grpo")([Record(nodes=[Record(mask=[True])], reward=1.0, info={"turn_rewards": rewards})], lambda *_: None)
    with pytest.raises(ValueError, match=f"sample 0: {message}"):
        slime("mt-grpo")(Record(n_samples_per_prompt=1), [Record(loss_mask=[1], reward=1.0, metadata={"turn_rewards": rewards})])


def test_reward_of_the_last_turn_is_separate_from_the_outcome():
    given = [Record(nodes=[Record(mask=[True])] * 2, reward=1.0, info={"turn_rewards": [0.0, 1.0]})]
    given.append(Record(nodes=[Record(mask=[True])] * 2, reward=0.0, info={"turn_rewards": [0.5, 0.5]}))
    credits = []
    prime_rl("turn-credit?scores=reward&start=unscored&gamma=.5")(given, lambda trace, values: credits.append(values))
    # R = 1 + 1 and 0 + 0, so the levels are 1 and -1. c = 1/3 and 2/3, each 1/6 from their mean.
    assert_close(credits, [[5 / 6, 7 / 6], [-1.0, -1.0]], 1e-12)
    slime_input = [Record(loss_mask=[1, 0, 1], reward=t.reward, metadata=t.info) for t in given]
    slime("turn-credit?scores=reward&start=unscored&gamma=.5")(Record(n_samples_per_prompt=2), slime_input)
    assert_close([sample.train_metadata["turnwise"] for sample in slime_input], [[5 / 6, 0, 7 / 6], [-1.0, 0, -1.0]], 1e-12)


def samples():
    rows = zip(masks(), FIRST, OUTCOMES, TOKENS)
    return [Record(loss_mask=mask, reward=outcome, metadata={"turn_rewards": [first] if len(tokens) == 2 else []}) for mask, first, outcome, tokens in rows]


def test_slime():
    given = samples()
    raw, rewards = slime("mt-grpo")(Record(n_samples_per_prompt=3), given)
    assert raw == rewards == OUTCOMES
    assert_close([sample.train_metadata["turnwise"] for sample in given], EXPECTED, 1e-12)
    data = {"turnwise": [sample.train_metadata["turnwise"] for sample in given], "response_lengths": [7, 7, 7]}
    slime_advantages(Record(), data)
    assert_close([values.tolist() for values in data["advantages"]], EXPECTED, 1e-6)
    with pytest.raises(ValueError, match="sample 1: 7 advantages for a response of 6 tokens"):
        slime_advantages(Record(), {**data, "response_lengths": [7, 6, 7]})
    with pytest.raises(UnsupportedRule, match="`turnwise` is not in the rollout data"):
        slime_advantages(Record(), {})
    for sample in given:
        sample.rollout_id = 5
    with pytest.raises(UnsupportedRule, match="sample 1: rollout 5 has several samples"):
        slime("mt-grpo")(Record(n_samples_per_prompt=3), given)
    with pytest.raises(UnsupportedRule, match="rtmc needs state hashes .*slime"):
        slime("rtmc")


def test_rllm():
    # rLLM's own deviation has the divisor n: outcomes 1, 0, 0, 0 give 0.75 / sqrt(3 / 16).
    four = [Record(steps=[Record(response_ids=[7], reward=0.0, advantage=None)], reward=outcome) for outcome in (1.0, 0.0, 0.0, 0.0)]
    for name, A in (("grpo-or", 1.7320508), ("grpo-or?profile=verl", 1.5), ("grpo-or?ddof=1", 1.5)):
        rllm(name)([Record(trajectories=four)])
        assert [rollout.steps[0].advantage for rollout in four] == pytest.approx([A, -A / 3, -A / 3, -A / 3], abs=1e-5)
    rollouts = []
    for tokens, first, outcome in zip(TOKENS, FIRST, OUTCOMES):
        steps = [Record(response_ids=[7] * count, reward=first if k == 0 else 0.0, advantage=None) for k, count in enumerate(tokens)]
        rollouts.append(Record(steps=steps, reward=outcome))
    groups = [Record(trajectories=rollouts)]
    assert rllm("mt-grpo")(groups) is groups
    assert_close([[step.advantage for step in rollout.steps] for rollout in rollouts], credit("mt-grpo", profile="rllm"), 1e-12)
    with pytest.raises(UnsupportedRule, match="verpo needs results of unit tests .*rLLM"):
        rllm("verpo")


def test_tinker():
    rollouts = []
    for tokens, first in zip(TOKENS, FIRST):
        rewards = [first, 0.0] if len(tokens) == 2 else [0.0]
        rollouts.append(Record(transitions=[Record(reward=reward, ac=Record(tokens=[1] * count)) for reward, count in zip(rewards, tokens)]))
    totals = [(first or 0.0) + outcome for first, outcome in zip(FIRST, OUTCOMES)]
    group = Record(trajectories_G=rollouts, get_total_rewards=lambda: totals)
    assert_close(tinker("mt-grpo")([group, group]), [credit(), credit()], 1e-12)
    # REINFORCE++ is normalised over the 18 tokens of both groups: outcomes 1, 0, 0.5 and 0, 0, 0, with mean 0.25.
    zero = Record(trajectories_G=rollouts, get_total_rewards=lambda: [first or 0.0 for first in FIRST])
    first, second = tinker("reinforce-plus-plus")([group, zero])
    std = (3 * sum((outcome - 0.25) ** 2 for outcome in (1, 0, 0.5, 0, 0, 0)) / 17) ** 0.5 + 1e-4
    assert_close([first[0][1], second[2][0]], [0.75 / std, -0.25 / std], 1e-9)


def call_with_zero_rewards(name, rule):
    """Calls the function of a trainer with two rollouts of two turns, none of which has a turn reward."""
    outcomes, mask = (1.0, 0.0), [1, 0, 1]
    if name == "skyrl":
        skyrl(rule)(torch.tensor([[0.0, 0, outcome] for outcome in outcomes]), torch.tensor([mask] * 2), ["a"] * 2)
    if name == "prime_rl":
        prime_rl(rule)([Record(nodes=[Record(mask=[True])] * 2, reward=outcome, info={}) for outcome in outcomes], lambda *_: None)
    if name == "slime":
        slime(rule)(Record(n_samples_per_prompt=2), [Record(loss_mask=mask, reward=outcome, metadata=None) for outcome in outcomes])
    if name == "rllm":
        steps = [Record(response_ids=[7], reward=0.0)] * 2
        rllm(rule)([Record(trajectories=[Record(steps=steps, reward=outcome) for outcome in outcomes])])
    if name == "tinker":
        transitions = [Record(reward=0.0, ac=Record(tokens=[1]))] * 2
        tinker(rule)([Record(trajectories_G=[Record(transitions=transitions)] * 2, get_total_rewards=lambda: outcomes)])


@pytest.mark.parametrize("name", ["skyrl", "prime_rl", "slime", "rllm", "tinker"])
def test_a_batch_without_turn_rewards_warns(name):
    with pytest.warns(UserWarning, match="turnwise: mt-grpo reads turn rewards, and .*reward"):
        call_with_zero_rewards(name, "mt-grpo")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call_with_zero_rewards(name, "grpo-or")


def test_turn_rewards_of_0_are_no_missing_turn_rewards():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        traces = [Record(nodes=[Record(mask=[True])] * 2, reward=outcome, info={"turn_rewards": [0, 0]}) for outcome in (1.0, 0.0)]
        prime_rl("mt-grpo")(traces, lambda *_: None)
