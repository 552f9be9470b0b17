"""The plug-in in the installed verl: loaded by its entry point, called by verl's registry and the advantage step of its trainer."""

import shlex
import subprocess
import sys
import time
import warnings
from importlib.metadata import entry_points

import numpy as np
import pytest
import ray
import torch
from conftest import REPOSITORY, random_group
from tensordict import TensorDict
from verl import DataProto
from verl.trainer.ppo import core_algos
from verl.trainer.ppo.core_algos import get_adv_estimator_fn
from verl.trainer.ppo.ray_trainer import compute_advantage
from verl.trainer.ppo.v1.utils import compute_advantage_for_multi_trajectories

from turnwise_rl import load_rule
from turnwise_rl.rows import UnsupportedRule, parse_rule
from turnwise_rl.verl import token_scores


def padded(groups, observation=3, length=None):
    """Converts groups of trajectories to the form of verl.

    Returns (token_level_rewards, response_mask, uid, positions of turns as (row, tokens)).
    """
    rows, uids, positions = [], [], []
    for group in groups:
        row_of = {}
        for index, turn in enumerate(group["turns"]):
            if turn["parent"] < 0:
                rows.append([])
                uids.append(group["id"])
            row = len(rows) - 1 if turn["parent"] < 0 else row_of[turn["parent"]]
            row_of[index] = row
            rows[row] += [(0, 0.0)] * (observation if turn["parent"] >= 0 else 0)
            first = len(rows[row])
            reward = turn["reward"] if "outcome" not in turn else turn["outcome"]
            rows[row] += [(1, reward if token == turn["tokens"] - 1 else 0.0) for token in range(turn["tokens"])]
            positions.append((row, list(range(first, len(rows[row])))))
    width = length or max(map(len, rows)) + 2
    mask, rewards = torch.zeros(len(rows), width, dtype=torch.long), torch.zeros(len(rows), width)
    for row, tokens in enumerate(rows):
        for token, (is_policy, reward) in enumerate(tokens):
            mask[row, token], rewards[row, token] = is_policy, reward
    return rewards, mask, np.array(uids, dtype=object), positions


def data_proto(rewards, mask, uids):
    batch = TensorDict({"token_level_rewards": rewards, "response_mask": mask, "responses": mask}, batch_size=len(mask))
    return DataProto(batch=batch, non_tensor_batch={"uid": uids})


GROUPS = [random_group(seed, rollouts=size) for seed, size in ((1, 8), (2, 2), (3, 5), (4, 1))]
NAMES = ["mt-grpo", "mt-grpo?alpha=.9&profile=turnwise", "grpo-or", "grpo-mr", "dr-grpo", "rloo?scale=std", "grpo-mt", "murphy-mars"]


@pytest.mark.parametrize("name", NAMES)
def test_compute_advantage_returns_the_credit_of_turns_by_token(name):
    rewards, mask, uids, positions = padded(GROUPS)
    estimator = f"turnwise/{name}"
    data = compute_advantage(data_proto(rewards, mask, uids), adv_estimator=estimator, config=None)
    rule = parse_rule(name, "verl")
    expected = torch.zeros_like(rewards, dtype=torch.float64)
    credits = [value for group in GROUPS for value in rule(without_last_rewards(group)).advantage]
    for (row, tokens), value in zip(positions, credits):
        expected[row, tokens] = value
    assert data.batch["advantages"].dtype == torch.float32
    torch.testing.assert_close(data.batch["advantages"].double(), expected, atol=1e-6, rtol=1e-6)
    assert torch.equal(data.batch["returns"], data.batch["advantages"])
    # verl's newer trainer calls the same estimator
    keys = [f"{uid}_0_{row}" for row, uid in enumerate(uids)]
    newer = compute_advantage_for_multi_trajectories(data_proto(rewards, mask, uids), keys, estimator)
    assert torch.equal(newer.batch["advantages"], data.batch["advantages"])


@pytest.mark.parametrize("name", ["murphy-mars", "murphy-mers?gamma=1", "mt-grpo"])
def test_a_turn_without_comparison_has_credit_0(name):
    # Rows of two turns with outcomes 1, 0, 1, 0, and one row alone under its uid, whose reward verl keeps.
    mask = torch.tensor([[1, 0, 1]] * 5)
    rewards = torch.tensor([[0.0, 0, 1], [0, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 1]])
    if name == "mt-grpo":  # only the first row has an intermediate turn
        mask[1:4, 0], rewards[0, 0] = 0, 0.5
    uids = np.array(["a"] * 4 + ["b"], dtype=object)
    advantages = compute_advantage(data_proto(rewards, mask, uids), adv_estimator=f"turnwise/{name}", config=None).batch["advantages"]
    A = 0.5 / (1 / 3) ** 0.5
    first, last = ([A, 0, 0, 0], [A, -A, A, -A]) if name == "mt-grpo" else ([A, -A, A, -A], [0] * 4)
    assert advantages[:4, 0].tolist() == pytest.approx(first, abs=1e-5)
    assert advantages[:4, 2].tolist() == pytest.approx(last, abs=1e-5)
    single = 0.5 if name.startswith("murphy-mers") else 1  # MeRS divides by Z = 2
    assert advantages[4].tolist() == pytest.approx([single, 0, 1], abs=1e-5)


def without_last_rewards(group):
    """Removes the rewards of last turns: in verl, the sum over the tokens of a last turn is the outcome."""
    return {**group, "outcomeIsTotal": False, "turns": [{**turn, "reward": 0.0} if "outcome" in turn else turn for turn in group["turns"]]}


def test_custom_rule_file_with_parameters(rule_file):
    path = rule_file("def credit(group, a=1.0):\n    return [a * (turn.outcome or turn.reward) for turn in group.turns]\n")
    rewards, mask, uids, _ = padded(GROUPS[:1])
    data = compute_advantage(data_proto(rewards, mask, uids), adv_estimator=f"turnwise/file:{path}?a=2", config=None)
    assert data.batch["advantages"].abs().sum() > 0
    assert torch.equal(data.batch["advantages"] != 0, (data.batch["advantages"] != 0) & (mask == 1))


def test_entry_point_registers_the_estimators():
    assert [entry.value for entry in entry_points(group="verl.plugins") if entry.name == "turnwise"] == ["turnwise_rl.verl"]
    code = "import verl\nfrom verl.trainer.ppo.core_algos import get_adv_estimator_fn as f\nprint(f('turnwise/mt-grpo?alpha=.9').rule.values)"
    completed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd="/")
    assert completed.stdout.strip().endswith("{'alpha': 0.9, 'profile': 'verl'}"), completed.stderr[-2000:]


def test_hydra_parses_the_command_line_of_the_readme():
    from hydra.core.override_parser.overrides_parser import OverridesParser

    text = (REPOSITORY / "python/README.md").read_text()
    command = text.split("```bash")[1].split("```")[0].split("python3", 1)[1].split("...")[0].replace("\\\n", " ")
    given = {override.key_or_group: override.value() for override in OverridesParser.create().parse_overrides([part for part in shlex.split(command) if "=" in part])}
    assert given["reward.reward_manager.name"] == "turnwise"
    assert get_adv_estimator_fn(given["algorithm.adv_estimator"]).rule.values == {"alpha": 0.9, "profile": "verl"}


def test_estimators_of_verl_remain():
    assert get_adv_estimator_fn("rloo") is core_algos.ADV_ESTIMATOR_REGISTRY["rloo"]
    with pytest.raises(ValueError, match="Unknown advantage estimator"):
        get_adv_estimator_fn("nothing")


def test_missing_turn_rewards_warn_once_or_raise():
    mask = torch.tensor([[1, 0, 1], [1, 0, 1]])
    given = dict(token_level_rewards=torch.tensor([[0.0, 0, 1], [0, 0, 0]]), response_mask=mask, index=["a", "a"], config=None)
    estimator = get_adv_estimator_fn("turnwise/mt-grpo?alpha=.8")
    with pytest.warns(UserWarning, match="mt-grpo reads turn rewards, and `token_level_rewards` has none before the last turn .*reward_manager"):
        estimator(**given)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimator(**given)
        get_adv_estimator_fn("turnwise/grpo-or?strict=true")(**given)
        with pytest.raises(UnsupportedRule, match="`token_level_rewards` has none before the last turn"):
            get_adv_estimator_fn("turnwise/mt-grpo?strict=true")(**given)
        get_adv_estimator_fn("turnwise/mt-grpo?strict=true")(**{**given, "token_level_rewards": torch.tensor([[0.5, 0, 1], [0, 0, 0]])})


def test_verl_constants_and_settings_without_effect():
    from verl.trainer.config import AlgoConfig

    mask, rewards = torch.ones(3, 2, dtype=torch.long), torch.tensor([[0.0, 1], [0, 0], [0, 0.25]])
    data = compute_advantage(data_proto(rewards, mask, np.array(["a", "a", "b"], dtype=object)), adv_estimator="turnwise/grpo-or", config=AlgoConfig())
    expected = core_algos.compute_grpo_outcome_advantage(rewards, mask.float(), np.array(["a", "a", "b"], dtype=object))[0]
    torch.testing.assert_close(data.batch["advantages"], expected, atol=1e-6, rtol=1e-6)
    assert data.batch["advantages"][2].tolist() == pytest.approx([0.25, 0.25], abs=1e-6)  # a single rollout keeps its reward
    given = dict(token_level_rewards=rewards, response_mask=mask, index=["a"] * 3)
    with pytest.warns(UserWarning, match="algorithm.norm_adv_by_std_in_grpo=False has no effect on grpo-or"):
        get_adv_estimator_fn("turnwise/grpo-or?epsilon=1e-6")(**given, config=AlgoConfig())  # no warning
        get_adv_estimator_fn("turnwise/grpo-or")(**given, config=AlgoConfig(norm_adv_by_std_in_grpo=False))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        get_adv_estimator_fn("turnwise/grpo-or")(**given, config=AlgoConfig(norm_adv_by_std_in_grpo=False))  # once
        get_adv_estimator_fn("turnwise/grpo-or?profile=dr-grpo")(**given, config=AlgoConfig(norm_adv_by_std_in_grpo=False))


@pytest.mark.parametrize("name, description", [("rtmc", "state hashes"), ("gigpo", "state hashes"), ("verpo", "results of unit tests"), ("mt-ppo", "critic's values")])
def test_error_names_the_missing_field_of_a_rule(name, description):
    with pytest.raises(UnsupportedRule, match=f"{name} needs .*{description}.*which verl does not pass"):
        get_adv_estimator_fn(f"turnwise/{name}")


def test_rows_without_policy_tokens_are_left_out_of_their_group():
    rewards, mask, uids, _ = padded(GROUPS[:1])
    expected = compute_advantage(data_proto(rewards, mask, uids), adv_estimator="turnwise/grpo-or", config=None).batch["advantages"]
    more_rewards, more_mask = torch.cat([rewards, torch.full_like(rewards[:1], -50)]), torch.cat([mask, torch.zeros_like(mask[:1])])
    more = compute_advantage(data_proto(more_rewards, more_mask, np.append(uids, uids[0])), adv_estimator="turnwise/grpo-or", config=None)
    assert torch.equal(more.batch["advantages"][:-1], expected)
    assert torch.equal(more.batch["advantages"][-1], torch.zeros_like(rewards[0]))


def test_error_names_the_position_of_an_invalid_reward():
    rewards, mask, uids, positions = padded(GROUPS[:1])
    row, tokens = positions[0]
    rewards[row, tokens[-1]] = float("nan")
    with pytest.raises(ValueError, match=r'group "group 1", turn 0, field "\w+": .*\(row 0 of the batch, its turn 0\)'):
        compute_advantage(data_proto(rewards, mask, uids), adv_estimator="turnwise/mt-grpo", config=None)


def test_reward_manager_assigns_rewards_to_turns():
    from verl.experimental.reward_loop.reward_manager.registry import get_reward_manager_cls

    mask = torch.tensor([[1, 1, 0, 1, 0, 0], [1, 1, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0]])
    tools = np.empty(3, dtype=object)
    tools[:] = [[0.25], [], None]
    batch = TensorDict({"response_mask": mask, "responses": mask, "prompts": mask, "attention_mask": torch.cat([mask, mask], 1)}, batch_size=3)
    data = DataProto(batch=batch, non_tensor_batch={"tool_rewards": tools})
    scores = get_reward_manager_cls("turnwise").assemble_rm_scores(data, [1.0, 0.5, 9.0])
    assert scores.tolist() == [[0, 0.25, 0, 1, 0, 0], [0, 0, 0.5, 0, 0, 0], [0] * 6]
    with pytest.raises(ValueError, match="row 1: 3 tool_rewards for 1 turns"):
        token_scores([0.0, 0.0], mask[:2], None, [[], [1, 2, 3]])


def test_the_advantage_step_in_a_worker_of_ray():
    """A PPO run of verl needs a GPU for its rollout engines (vLLM, SGLang), so only its advantage step runs in Ray."""

    @ray.remote
    def step(data):
        return compute_advantage(data, adv_estimator="turnwise/mt-grpo?alpha=.9", config=None)

    rewards, mask, uids, _ = padded(GROUPS)
    ray.init(num_cpus=2, include_dashboard=False, ignore_reinit_error=True, log_to_driver=False)
    try:
        result = ray.get(step.remote(data_proto(rewards, mask, uids)))
    finally:
        ray.shutdown()
    expected = compute_advantage(data_proto(rewards, mask, uids), adv_estimator="turnwise/mt-grpo?alpha=.9", config=None)
    assert torch.equal(result.batch["advantages"], expected.batch["advantages"])


def test_time_of_a_large_batch():
    """1,024 rows of 4,096 tokens and ten turns, on one core. The bound is wide, because other processes share the machine."""
    mask, rewards = torch.zeros(1024, 4096, dtype=torch.long), torch.zeros(1024, 4096)
    draw = torch.Generator().manual_seed(0)
    for turn in range(10):
        mask[:, turn * 409 : turn * 409 + 300] = 1
        rewards[:, turn * 409 + 299] = torch.rand(1024, generator=draw)
    uids = np.array([f"u{row // 8}" for row in range(1024)], dtype=object)
    estimator, threads = get_adv_estimator_fn("turnwise/mt-grpo"), torch.get_num_threads()
    torch.set_num_threads(1)
    times = []
    for _ in range(5):
        start = time.process_time()
        advantages, _ = estimator(token_level_rewards=rewards, response_mask=mask, index=uids, config=None)
        times.append(time.process_time() - start)
    torch.set_num_threads(threads)
    print(f"estimator at 1024 x 4096 tokens, 10 turns: {min(times):.2f} s of one core")
    assert advantages.shape == (1024, 4096) and (advantages[mask == 0] == 0).all()
    assert min(times) < 2
