"""Training with TRL on the CPU: a two-layer Llama with random weights, and rollouts with two turns and a tool output between them."""

import json
import os
import subprocess
import sys
import warnings

import pandas
import pytest
import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig

from turnwise_rl import GroupError, load_rule
from turnwise_rl.rows import UnsupportedRule
from turnwise_rl.trl import TurnwiseGRPOTrainer

os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
VOCABULARY = ["<pad>", "<eos>", "ask", "tool", "answer", *"abcdefgh"]
POLICY_TOKENS, TOOL_TOKENS = [3, 2, 4], [2, 1, 0]  # tokens per turn, and tool tokens minus 1, in three kinds of rollout


def tokenizer():
    vocabulary = Tokenizer(models.WordLevel({token: index for index, token in enumerate(VOCABULARY)}, unk_token="<pad>"))
    vocabulary.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=vocabulary, pad_token="<pad>", eos_token="<eos>")


def model():
    torch.manual_seed(0)
    shape = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    return LlamaForCausalLM(LlamaConfig(vocab_size=len(VOCABULARY), pad_token_id=0, eos_token_id=1, bos_token_id=1, **shape))


def rollout(prompts, trainer):
    """Samples rollouts of two turns with a tool output between them. The policy samples each token of a turn."""
    fields = {"prompt_ids": [], "completion_ids": [], "logprobs": [], "env_mask": [], "turn_rewards": []}
    for row, prompt in enumerate(prompts):
        ids = trainer.processing_class(prompt)["input_ids"]
        tokens, mask, kind = [], [], row % 3
        for turn in range(2):
            for _ in range(POLICY_TOKENS[kind]):
                with torch.no_grad():
                    logits = trainer.accelerator.unwrap_model(trainer.model)(torch.tensor([ids + tokens])).logits[0, -1]
                tokens.append(int(torch.multinomial(torch.softmax(logits, 0), 1)))
                mask.append(1)
            if turn == 0:
                tokens += [3] * (TOOL_TOKENS[kind] + 1)
                mask += [0] * (TOOL_TOKENS[kind] + 1)
        fields["prompt_ids"].append(ids)
        fields["completion_ids"].append(tokens)
        fields["logprobs"].append([0.0] * len(tokens))
        fields["env_mask"].append(mask)
        fields["turn_rewards"].append([float(tokens[0] % 2)])  # 1 if the first token is odd
    return fields


def outcome(completion_ids, **_):
    return [float(ids[-1] % 3) for ids in completion_ids]


def outcome_or_none(completion_ids, **_):
    return [None if row == 1 else float(ids[-1] % 3) for row, ids in enumerate(completion_ids)]


class Watched(TurnwiseGRPOTrainer):
    """Trainer that stores the inputs of the loss."""

    def _generate_and_score_completions(self, inputs):
        output = super()._generate_and_score_completions(inputs)
        inputs_of_loss = {"advantages": output["advantages"], "mask": output["completion_mask"] * output["tool_mask"]}
        self.watched = getattr(self, "watched", []) + [{**inputs_of_loss, "outcomes": self._outcomes, "turns": self._turn_rewards}]
        return output


def trainer(folder, rule="mt-grpo?alpha=.9", reward=outcome, steps=2, settings=(), **more):
    given = dict(per_device_train_batch_size=4 // int(os.environ.get("WORLD_SIZE", "1")), num_generations=4, max_completion_length=16, max_steps=steps, learning_rate=0.01)
    given |= dict(report_to=[], use_cpu=True, save_strategy="no", logging_steps=1, bf16=False, beta=0.0, disable_tqdm=True)
    config = GRPOConfig(output_dir=str(folder), **{**given, **dict(settings)})
    data = Dataset.from_dict({"prompt": ["ask a", "ask b", "ask c", "ask d"] * 4})
    more = {"rollout_func": rollout, **more}
    return Watched(model(), reward, args=config, train_dataset=data, processing_class=tokenizer(), rule=rule, **more)


def expected(batch, start=0):
    """Computes the advantages of a batch with the rule, from outcomes and turn rewards."""
    turns = []
    for outcome, (reward, *_) in zip(batch["outcomes"], batch["turns"]):
        turns += [{"parent": -1, "reward": reward}, {"parent": len(turns), "reward": 0.0, "outcome": outcome}]
    credit = load_rule("mt-grpo", alpha=0.9, profile="trl")({"id": "g", "turns": turns}).advantage
    result = torch.zeros_like(batch["advantages"])
    for row in range(len(result)):
        tokens = batch["mask"][row].nonzero().flatten().tolist()
        breaks = [index for index in range(1, len(tokens)) if tokens[index] != tokens[index - 1] + 1]
        assert len(breaks) == 1
        result[row, tokens[: breaks[0]]] = credit[2 * (start + row)]
        result[row, tokens[breaks[0] :]] = credit[2 * (start + row) + 1]
    return result


def test_two_updates_with_an_advantage_a_turn(tmp_path):
    run = trainer(tmp_path)
    before = {name: value.clone() for name, value in run.model.named_parameters()}
    run.train()
    assert len(run.watched) == 2 and run.state.global_step == 2
    for batch in run.watched:
        assert batch["advantages"].shape == batch["mask"].shape
        torch.testing.assert_close(batch["advantages"], expected(batch), atol=1e-6, rtol=1e-6)
    both = [batch for batch in run.watched if batch["advantages"].abs().sum() > 0]
    assert both, "no batch with a difference: the test would show nothing"
    assert any(len(set(row[row != 0].tolist())) == 2 for batch in both for row in batch["advantages"]), "turns do not differ"
    moved = [name for name, value in run.model.named_parameters() if not torch.equal(value, before[name])]
    assert len(moved) > 10
    assert all(torch.isfinite(value).all() for value in run.model.parameters())


def test_turn_rewards_of_functions(tmp_path):
    called = lambda completion_ids, **fields: [[0.5 * row, 0.0, 0.0] for row, _ in enumerate(completion_ids)]  # noqa: E731
    run = trainer(tmp_path, steps=1, turn_reward_funcs=[lambda completion_ids, **_: [[1.0 * row] for row, _ in enumerate(completion_ids)]])
    run.train()
    firsts = [rewards[0] for rewards in run.watched[0]["turns"]]
    assert [b - a for a, b in zip(firsts, firsts[1:])] != [0, 0, 0]
    torch.testing.assert_close(run.watched[0]["advantages"], expected(run.watched[0]), atol=1e-6, rtol=1e-6)
    with pytest.raises(ValueError, match="completion 0: one source gives 1 turn rewards, another 3"):
        trainer(tmp_path, steps=1, turn_reward_funcs=[called]).train()


def test_a_completion_without_a_score_is_left_out_of_its_group(tmp_path):
    run = trainer(tmp_path, rule="grpo-or", reward=outcome_or_none, steps=1)
    run.train()
    batch = run.watched[0]
    scored = [value for value in batch["outcomes"] if value == value]
    assert len(scored) == 3 and (batch["advantages"][1] == 0).all()
    turns = [{"parent": -1, "reward": 0.0, "outcome": value} for value in scored]
    credit = load_rule("grpo-or", profile="trl")({"id": "g", "turns": turns}).advantage
    for row, value in zip((0, 2, 3), credit):
        used = batch["advantages"][row][batch["mask"][row] == 1]
        torch.testing.assert_close(used, torch.full_like(used, value), atol=1e-6, rtol=1e-6)


def test_keywords_of_turn_reward_functions(tmp_path):
    keywords = {}

    async def delayed(completion_ids, **fields):
        keywords.update(fields)
        fields["log_metric"]("custom/metric", 2.0)
        fields["log_extra"]("custom", ["x"] * len(completion_ids))
        return [None, *[[3.0]] * (len(completion_ids) - 1)]

    def empty(**_):
        return None

    run = trainer(tmp_path, steps=1, turn_reward_funcs=[delayed, empty])
    run.train()
    assert keywords["trainer_state"] is run.state and len(keywords["turn_rewards"]) == 4
    firsts = [rewards[0] for rewards in run.watched[0]["turns"]]
    assert firsts[0] in (0.0, 1.0) and all(value in (3.0, 4.0) for value in firsts[1:])
    assert run.state.log_history[0]["custom/metric"] == 2.0 and list(run._logs["extra"]["custom"]) == ["x"] * 4
    with pytest.raises(ValueError, match="the turn reward function 'short' returned 1 lists for 4 completions"):

        def short(**_):
            return [[1.0]]

        trainer(tmp_path, steps=1, turn_reward_funcs=[short]).train()
    with pytest.raises(ValueError, match="completion 0: `number` is 0.5, not a list of numbers, one a turn"):

        def number(completion_ids, **_):
            return [0.5] * len(completion_ids)

        trainer(tmp_path, steps=1, turn_reward_funcs=[number]).train()


def test_logged_advantages(tmp_path):
    run = trainer(tmp_path, steps=1, settings={"log_completions": True})
    run.train()
    batch = run.watched[0]
    table = pandas.read_parquet(tmp_path / "completions" / "completions_00001.parquet")
    mean_advantage = batch["advantages"].double().sum(1) / batch["mask"].sum(1)
    torch.testing.assert_close(torch.tensor(table["advantage"].tolist(), dtype=torch.float64), mean_advantage, atol=1e-6, rtol=1e-6)
    assert [list(row) for row in table["turn_rewards"]] == [[rewards[0], 0.0] for rewards in batch["turns"]]
    for row, values in enumerate(table["turn_advantages"]):
        used = batch["advantages"][row][batch["mask"][row] == 1].tolist()
        assert len(values) == 2 and (values[0], values[1]) == pytest.approx((used[0], used[-1]), abs=1e-6)
    metrics = run.state.log_history[0]
    flat = [value for values in table["turn_advantages"] for value in values]
    mean = sum(flat) / 8
    assert metrics["turnwise/turns"] == 2.0
    assert metrics["turnwise/groups_without_credit"] == float(not any(flat))
    assert metrics["turnwise/advantage_std"] == pytest.approx((sum((value - mean) ** 2 for value in flat) / 8) ** 0.5)
    with pytest.raises(ValueError, match="log_extra: the column 'turn_advantages' is written by the trainer"):
        run._log_completion_extra("turn_advantages", [1] * 4)


def test_a_group_without_credit_is_counted(tmp_path):
    run = trainer(tmp_path, rule="grpo-or", reward=lambda completion_ids, **_: [1.0] * len(completion_ids), steps=1)
    run.train()
    metrics = run.state.log_history[0]
    assert (metrics["turnwise/groups_without_credit"], metrics["turnwise/advantage_std"]) == (1.0, 0.0)


def without(*names, **renamed):
    """Returns the rollout function without some fields (`names`), or with renamed fields (`renamed`)."""

    def changed(prompts, trainer):
        fields = rollout(prompts, trainer)
        return {renamed.get(name, name): value for name, value in fields.items() if name not in names}

    return changed


def test_missing_turn_rewards_warn_once_or_raise(tmp_path):
    wrong = without(turn_rewards="turn_reward")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        trainer(tmp_path, rollout_func=wrong, steps=2).train()
    messages = [str(warning.message) for warning in caught if str(warning.message).startswith("turnwise")]
    assert len(messages) == 1 and "mt-grpo reads turn rewards, and no completion of a batch has `turn_rewards`" in messages[0]
    with pytest.raises(UnsupportedRule, match="no completion of a batch has `turn_rewards`"):
        trainer(tmp_path, rollout_func=wrong, steps=1, strict=True).train()
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="turnwise")
        trainer(tmp_path, rule="grpo-or", rollout_func=wrong, steps=1, strict=True).train()
        trainer(tmp_path, steps=1, strict=True).train()
    with pytest.raises(UnsupportedRule, match="turn rewards without `env_mask`: each completion counts as one turn"):
        trainer(tmp_path, rollout_func=without("env_mask"), steps=1, strict=True).train()


def test_trl_profile_and_settings_without_effect(tmp_path):
    assert trainer(tmp_path, rule="grpo-or").rule.values == {"profile": "trl"}
    assert trainer(tmp_path, rule="grpo-or?epsilon=0").rule.values == {"profile": "trl,epsilon=0"}
    with pytest.warns(UserWarning, match="scale_rewards='none' has no effect on grpo-or"):
        run = trainer(tmp_path, rule="grpo-or", settings={"scale_rewards": "none"}, steps=1)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="turnwise")
        trainer(tmp_path, rule="grpo-or?profile=dr-grpo", settings={"scale_rewards": "none"})
    run.train()
    batch, values = run.watched[0], run.watched[0]["outcomes"]
    # TRL's constants: (R - mean) / (std + 1e-4), ddof 1
    mean = sum(values) / 4
    deviation = (sum((value - mean) ** 2 for value in values) / 3) ** 0.5
    for row, value in enumerate(values):
        used = batch["advantages"][row][batch["mask"][row] == 1]
        torch.testing.assert_close(used, torch.full_like(used, (value - mean) / (deviation + 1e-4) if deviation else 0.0), atol=1e-6, rtol=1e-6)


def fields_rollout(**fields):
    """Returns the rollout function with additional fields, each a function of the row."""

    def with_fields(prompts, trainer):
        result = rollout(prompts, trainer)
        return {**result, **{name: [value(row) for row in range(len(prompts))] for name, value in fields.items()}}

    return with_fields


STATES = {"turn_states": lambda row: ["start", f"after {row % 2}"], "turn_actions": lambda row: [f"a{row % 2}", "answer"]}
SOLVED = {"solved": lambda row: row == 0}
PASSED = {"turn_passed": lambda row: [[row % 2, 0], [1, row // 2]]}


@pytest.mark.parametrize("rule, fields", [("rtmc", {**STATES, **SOLVED}), ("gigpo", STATES), ("tempo", STATES), ("verpo", PASSED)])
def test_fields_of_rollout_func_reach_the_rules(tmp_path, rule, fields):
    run = trainer(tmp_path, rule=rule, rollout_func=fields_rollout(**fields), steps=1)
    run.train()
    batch, turns = run.watched[0], []
    for row, (outcome, (reward, *_)) in enumerate(zip(batch["outcomes"], batch["turns"])):
        more = {"turn_states": "state", "turn_actions": "action", "turn_passed": "passed"}
        signals = [{more[name]: value(row)[k] for name, value in fields.items() if name in more} for k in range(2)]
        turns += [{"parent": -1, "reward": reward, "tokens": POLICY_TOKENS[row % 3], **signals[0]}]
        turns += [{"parent": len(turns) - 1, "reward": 0.0, "outcome": outcome, "tokens": POLICY_TOKENS[row % 3], **signals[1]}]
        turns[-1] |= {"solved": row == 0} if "solved" in fields else {}
    credit = load_rule(rule, **run.rule.values)({"id": "g", "turns": turns, "outcomeIsTotal": False}).advantage
    assert any(credit)
    for row in range(4):
        used = batch["advantages"][row][batch["mask"][row] == 1].tolist()
        assert (used[0], used[-1]) == pytest.approx((credit[2 * row], credit[2 * row + 1]), abs=1e-6)


def test_missing_fields(tmp_path):
    with pytest.raises(UnsupportedRule, match="rtmc needs state hashes .*: return `turn_states` from rollout_func, or make it an attribute"):
        trainer(tmp_path, rule="rtmc", steps=1).train()
    with pytest.raises(ValueError, match="completion 0: 1 `turn_states` for 2 turns"):
        trainer(tmp_path, rule="tempo", rollout_func=fields_rollout(turn_states=lambda row: ["s"]), steps=1).train()


def test_unsupported_rules_raise_before_the_model_is_loaded(tmp_path):
    with pytest.raises(UnsupportedRule, match="mt-ppo needs the critic's values .*TRL"):
        trainer(tmp_path, rule="mt-ppo")


def test_error_names_an_invalid_group(tmp_path, rule_file):
    path = rule_file("from turnwise_rl import GroupError\ndef credit(group):\n    if group.id == '0' and group.turns[0].tokens != 1:\n        raise GroupError('odd', 2, 'tokens')\n    return [0.0] * len(group.turns)\n")
    with pytest.raises(GroupError, match=r'group "0", turn 2, field "tokens": odd \(row 1 of the batch, its turn 0\)'):
        trainer(tmp_path, rule=f"file:{path}", steps=1).train()


def test_two_processes_share_their_groups(tmp_path):
    """Each of two processes has two rows of a group of four, and receives the advantages of its rows."""
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node=2", "--master_port=29517", __file__, str(tmp_path)]
    completed = subprocess.run(command, capture_output=True, text=True, check=False, timeout=500)
    assert completed.returncode == 0, completed.stderr[-3000:]
    parts = [torch.load(tmp_path / f"{rank}.pt") for rank in range(2)]
    outcomes = json.loads((tmp_path / "0.json").read_text())
    assert outcomes == json.loads((tmp_path / "1.json").read_text()) and len(outcomes) == 4
    together = parts[0]["turns"] + parts[1]["turns"]
    for rank, part in enumerate(parts):
        batch = {**part, "outcomes": outcomes, "turns": together}
        torch.testing.assert_close(part["advantages"], expected(batch, start=2 * rank), atol=1e-6, rtol=1e-6)
    assert sum(part["advantages"].abs().sum() for part in parts) > 0


def _train_process(folder):
    run = trainer(f"{folder}/run", steps=1)
    run.train()
    rank = run.accelerator.process_index
    torch.save({key: run.watched[0][key] for key in ("advantages", "mask", "turns")}, f"{folder}/{rank}.pt")
    with open(f"{folder}/{rank}.json", "w") as out:
        json.dump(run.watched[0]["outcomes"], out)


if __name__ == "__main__":
    _train_process(sys.argv[1])
