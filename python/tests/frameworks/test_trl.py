"""Real training with TRL on the CPU: a two-layer Llama made on the spot, rollouts with two turns and a tool's answer between."""

import json
import os
import subprocess
import sys

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
WORDS = ["<pad>", "<eos>", "ask", "tool", "answer", *"abcdefgh"]
OWN, OBSERVED = [3, 2, 4], [2, 1, 0]  # tokens of the policy in turns 1 and 2 of three kinds of rollout; of the tool between


def tokenizer():
    words = Tokenizer(models.WordLevel({word: index for index, word in enumerate(WORDS)}, unk_token="<pad>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="<eos>")


def model():
    torch.manual_seed(0)
    shape = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    return LlamaForCausalLM(LlamaConfig(vocab_size=len(WORDS), pad_token_id=0, eos_token_id=1, bos_token_id=1, **shape))


def rollout(prompts, trainer):
    """Two turns with a tool's answer between; the policy samples its tokens, one after the other."""
    made = {"prompt_ids": [], "completion_ids": [], "logprobs": [], "env_mask": [], "turn_rewards": []}
    for row, prompt in enumerate(prompts):
        ids = trainer.processing_class(prompt)["input_ids"]
        tokens, mask, kind = [], [], row % 3
        for turn in range(2):
            for _ in range(OWN[kind]):
                with torch.no_grad():
                    logits = trainer.accelerator.unwrap_model(trainer.model)(torch.tensor([ids + tokens])).logits[0, -1]
                tokens.append(int(torch.multinomial(torch.softmax(logits, 0), 1)))
                mask.append(1)
            if turn == 0:
                tokens += [3] * (OBSERVED[kind] + 1)
                mask += [0] * (OBSERVED[kind] + 1)
        made["prompt_ids"].append(ids)
        made["completion_ids"].append(tokens)
        made["logprobs"].append([0.0] * len(tokens))
        made["env_mask"].append(mask)
        made["turn_rewards"].append([float(tokens[0] % 2)])  # the first turn called the tool
    return made


def outcome(completion_ids, **_):
    return [float(ids[-1] % 3) for ids in completion_ids]


def outcome_or_none(completion_ids, **_):
    return [None if row == 1 else float(ids[-1] % 3) for row, ids in enumerate(completion_ids)]


class Watched(TurnwiseGRPOTrainer):
    """Keeps what went into the loss."""

    def _generate_and_score_completions(self, inputs):
        output = super()._generate_and_score_completions(inputs)
        kept = {"advantages": output["advantages"], "mask": output["completion_mask"] * output["tool_mask"]}
        self.watched = getattr(self, "watched", []) + [{**kept, "outcomes": self._outcomes, "turns": self._turn_rewards}]
        return output


def trainer(folder, rule="mt-grpo?alpha=.9", reward=outcome, steps=2, **more):
    settings = dict(per_device_train_batch_size=4 // int(os.environ.get("WORLD_SIZE", "1")), num_generations=4, max_completion_length=16, max_steps=steps, learning_rate=0.01)
    settings |= dict(report_to=[], use_cpu=True, save_strategy="no", logging_steps=1, bf16=False, beta=0.0, disable_tqdm=True)
    config = GRPOConfig(output_dir=str(folder), **settings)
    data = Dataset.from_dict({"prompt": ["ask a", "ask b", "ask c", "ask d"] * 4})
    return Watched(model(), reward, args=config, train_dataset=data, processing_class=tokenizer(), rollout_func=rollout, rule=rule, **more)


def expected(one, start=0):
    """The advantages of one batch, worked out anew from outcomes and turn rewards by the rule itself."""
    turns = []
    for outcome, (reward, *_) in zip(one["outcomes"], one["turns"]):
        turns += [{"parent": -1, "reward": reward}, {"parent": len(turns), "reward": 0.0, "outcome": outcome}]
    credit = load_rule("mt-grpo", alpha=0.9)({"id": "g", "turns": turns}).advantage
    result = torch.zeros_like(one["advantages"])
    for row in range(len(result)):
        own = one["mask"][row].nonzero().flatten().tolist()
        breaks = [place for place in range(1, len(own)) if own[place] != own[place - 1] + 1]
        assert len(breaks) == 1
        result[row, own[: breaks[0]]] = credit[2 * (start + row)]
        result[row, own[breaks[0] :]] = credit[2 * (start + row) + 1]
    return result


def test_two_updates_with_an_advantage_a_turn(tmp_path):
    one = trainer(tmp_path)
    before = {name: value.clone() for name, value in one.model.named_parameters()}
    one.train()
    assert len(one.watched) == 2 and one.state.global_step == 2
    for batch in one.watched:
        assert batch["advantages"].shape == batch["mask"].shape
        torch.testing.assert_close(batch["advantages"], expected(batch), atol=1e-6, rtol=1e-6)
    both = [batch for batch in one.watched if batch["advantages"].abs().sum() > 0]
    assert both, "no batch with a difference: the test would show nothing"
    assert any(len(set(row[row != 0].tolist())) == 2 for batch in both for row in batch["advantages"]), "turns do not differ"
    moved = [name for name, value in one.model.named_parameters() if not torch.equal(value, before[name])]
    assert len(moved) > 10
    assert all(torch.isfinite(value).all() for value in one.model.parameters())


def test_turn_rewards_of_functions(tmp_path):
    called = lambda completion_ids, **fields: [[0.5 * row, 0.0] for row, _ in enumerate(completion_ids)]  # noqa: E731
    one = trainer(tmp_path, steps=1, turn_reward_funcs=[lambda completion_ids, **_: [[1.0 * row] for row, _ in enumerate(completion_ids)]])
    one.train()
    firsts = [rewards[0] for rewards in one.watched[0]["turns"]]
    assert [b - a for a, b in zip(firsts, firsts[1:])] != [0, 0, 0]
    torch.testing.assert_close(one.watched[0]["advantages"], expected(one.watched[0]), atol=1e-6, rtol=1e-6)
    with pytest.raises(ValueError, match="completion 0: one source gives 1 turn rewards, another 2"):
        trainer(tmp_path, steps=1, turn_reward_funcs=[called]).train()


def test_a_completion_that_nobody_could_score_takes_no_part(tmp_path):
    one = trainer(tmp_path, rule="grpo-or", reward=outcome_or_none, steps=1)
    one.train()
    batch = one.watched[0]
    scored = [value for value in batch["outcomes"] if value == value]
    assert len(scored) == 3 and (batch["advantages"][1] == 0).all()
    turns = [{"parent": -1, "reward": 0.0, "outcome": value} for value in scored]
    credit = load_rule("grpo-or")({"id": "g", "turns": turns}).advantage
    for row, value in zip((0, 2, 3), credit):
        own = batch["advantages"][row][batch["mask"][row] == 1]
        torch.testing.assert_close(own, torch.full_like(own, value), atol=1e-6, rtol=1e-6)


def test_rules_that_trl_cannot_carry_are_refused_before_anything_is_loaded(tmp_path):
    with pytest.raises(UnsupportedRule, match="rtmc needs state hashes .*TRL"):
        trainer(tmp_path, rule="rtmc")


def test_a_group_that_the_rule_cannot_read_is_named(tmp_path, rule_file):
    path = rule_file("from turnwise_rl import GroupError\ndef credit(group):\n    if group.id == '0' and group.turns[0].tokens != 1:\n        raise GroupError('odd', 2, 'tokens')\n    return [0.0] * len(group.turns)\n")
    with pytest.raises(GroupError, match=r'group "0", turn 2, field "tokens": odd \(row 1 of the batch, its turn 0\)'):
        trainer(tmp_path, rule=f"file:{path}", steps=1).train()


def test_two_processes_share_their_groups(tmp_path):
    """Two processes with two rows each: groups of four are spread over both, and each gets its slice."""
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node=2", "--master_port=29517", __file__, str(tmp_path)]
    made = subprocess.run(command, capture_output=True, text=True, check=False, timeout=500)
    assert made.returncode == 0, made.stderr[-3000:]
    parts = [torch.load(tmp_path / f"{rank}.pt") for rank in range(2)]
    outcomes = json.loads((tmp_path / "0.json").read_text())
    assert outcomes == json.loads((tmp_path / "1.json").read_text()) and len(outcomes) == 4
    together = parts[0]["turns"] + parts[1]["turns"]
    for rank, part in enumerate(parts):
        one = {**part, "outcomes": outcomes, "turns": together}
        torch.testing.assert_close(part["advantages"], expected(one, start=2 * rank), atol=1e-6, rtol=1e-6)
    assert sum(part["advantages"].abs().sum() for part in parts) > 0


def _one_process(folder):
    one = trainer(f"{folder}/run", steps=1)
    one.train()
    rank = one.accelerator.process_index
    torch.save({key: one.watched[0][key] for key in ("advantages", "mask", "turns")}, f"{folder}/{rank}.pt")
    with open(f"{folder}/{rank}.json", "w") as out:
        json.dump(one.watched[0]["outcomes"], out)


if __name__ == "__main__":
    _one_process(sys.argv[1])
