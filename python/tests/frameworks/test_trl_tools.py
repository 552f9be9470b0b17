"""Training with TRL's tool loop, an environment of tools, and a policy with random weights.

The policy calls `visit` when it writes one of the letters a to d. The tests compute MT-GRPO and RTMC independently,
from the messages and the formulas of the papers, in float64.
"""

import copy
import os

import pytest
import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig

from turnwise_rl.rows import UnsupportedRule
from turnwise_rl.trl import TurnwiseGRPOTrainer

os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
VOCABULARY = ["<pad>", "<eos>", "ask", "tool", "answer", *"abcdefgh"]
TEMPLATE = (
    "{% for m in messages %}{% if m.role == 'user' %}ask {{ m.content }} <eos> {% elif m.role == 'assistant' %}{{ m.content }} "
    "{% for c in m.tool_calls or [] %}{{ c.function.name }} {{ c.function.arguments }} {% endfor %}<eos> "
    "{% else %}tool {{ m.name }} {{ m.content }} <eos> {% endif %}{% endfor %}{% if add_generation_prompt %}answer {% endif %}"
)
CALLS = {
    "x-regex-iterator": r"\b(?P<function>[abcd])\b",
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "type": {"const": "function"},
            "function": {
                "x-regex": "(?P<arguments>.)",
                "type": "object",
                "properties": {
                    "name": {"const": "visit"},
                    "arguments": {"x-regex": "(?P<letter>.)", "type": "object", "properties": {"letter": {"type": "string"}}},
                },
            },
        },
    },
}
SCHEMA = {
    "x-regex": r"^(?P<content>(?P<tool_calls>(?=.*\b[abcd]\b).*)|.*)$",
    "type": "object",
    "properties": {"role": {"const": "assistant"}, "content": {"type": "string"}, "tool_calls": CALLS},
}


def tokenizer():
    vocabulary = Tokenizer(models.WordLevel({token: index for index, token in enumerate(VOCABULARY)}, unk_token="tool"))
    vocabulary.pre_tokenizer = pre_tokenizers.Whitespace()
    result = PreTrainedTokenizerFast(tokenizer_object=vocabulary, pad_token="<pad>", eos_token="<eos>")
    result.chat_template, result.response_schema = TEMPLATE, SCHEMA
    return result


def model():
    torch.manual_seed(0)
    shape = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    return LlamaForCausalLM(LlamaConfig(vocab_size=len(VOCABULARY), pad_token_id=0, eos_token_id=1, bos_token_id=1, **shape))


REWARDS = {"a": 1.0, "b": 0.5, "c": -0.25}


class House:
    """Environment with a reward for each visit, by letter. A visit to `d` fails; a visit to `a` solves the task."""

    def reset(self, **_):
        self.turn_rewards, self.letters = [], []

    def visit(self, letter: str) -> str:
        """
        Visits a letter.

        Args:
            letter: The letter to visit.
        """
        if letter == "d":
            raise ValueError("there is no such letter")
        self.turn_rewards.append(REWARDS[letter])
        self.letters.append(letter)
        return letter

    @property
    def solved(self):
        return "a" in self.letters


def assistants(messages):
    return [[call["function"]["arguments"]["letter"] for call in run.get("tool_calls") or []] for run in messages if run["role"] == "assistant"]


def answers(messages):
    """Returns the tool outputs after each turn [turns]; empty for calls beyond the limit of iterations."""
    result = []
    for run in messages:
        if run["role"] == "assistant":
            result.append([])
        else:
            result[-1].append(run["content"])
    return result


def outcome(completions, **_):
    return [1.0 * ("a" in letters) - 0.5 * len(turns) for turns in map(assistants, completions) for letters in [sum(turns, [])]]


class Watched(TurnwiseGRPOTrainer):
    def _calculate_rewards(self, inputs, prompts, completions, completion_ids_list):
        self.conversations = copy.deepcopy(completions)
        return super()._calculate_rewards(inputs, prompts, completions, completion_ids_list)

    def _generate_and_score_completions(self, inputs):
        output = super()._generate_and_score_completions(inputs)
        mask = output["completion_mask"] * output["tool_mask"]
        self.watched = getattr(self, "watched", []) + [{"messages": self.conversations, "mask": mask, "advantages": output["advantages"], "outcomes": self._outcomes}]
        return output


def trainer(folder, rule, environment=House, steps=3, **more):
    config = GRPOConfig(
        output_dir=str(folder), per_device_train_batch_size=8, num_generations=8, max_completion_length=64, max_steps=steps, learning_rate=0.01,
        report_to=[], use_cpu=True, save_strategy="no", logging_steps=1, bf16=False, disable_tqdm=True, log_completions=True,
        generation_kwargs={"max_new_tokens": 2}, max_tool_calling_iterations=3,
    )  # fmt: skip
    data = Dataset.from_dict({"prompt": [[{"role": "user", "content": "e"}], [{"role": "user", "content": "f"}]] * 8})
    return Watched(model(), outcome, args=config, train_dataset=data, processing_class=tokenizer(), rule=rule, environment_factory=environment, **more)


def deviation(values):
    mean = sum(values) / len(values)
    return (sum((value - mean) ** 2 for value in values) / (len(values) - 1)) ** 0.5


def normalized(values):
    """Normalizes values with TRL's constants; 0 for a single value and for equal values."""
    if len(values) == 1 or len(set(values)) == 1:
        return [0.0] * len(values)
    mean = sum(values) / len(values)
    return [(value - mean) / (deviation(values) + 1e-4) for value in values]


def visit_rewards(rollout):
    return [sum(REWARDS.get(answer, 0.0) for answer in turn) for turn in answers(rollout)]


def mt_grpo(rollouts, outcomes):
    """Computes MT-GRPO (Wei, Zeng et al. 2025) with alpha .5: A_k = sum_{l=k}^{K-1} .5^(l-k) A^I_l + .5^(K-k) A^O."""
    outcome_credit = normalized(outcomes)
    rewards = [visit_rewards(rollout) for rollout in rollouts]
    longest = max(map(len, rewards))
    levels = []
    for level in range(longest - 1):
        members = [row for row, turns in enumerate(rewards) if level < len(turns) - 1]
        levels.append(dict(zip(members, normalized([rewards[row][level] for row in members]))))
    result = []
    for row, turns in enumerate(rewards):
        last = len(turns) - 1
        result.append([sum(0.5 ** (at - k) * levels[at][row] for at in range(k, last)) + 0.5 ** (last - k) * outcome_credit[row] for k in range(last + 1)])
    return result


def rtmc(rollouts, outcomes):
    """Computes RTMC with gamma .9 and kappa 2 (Wang, Zheng, Xu 2026): Q(s, a) - V(s) over first visits."""
    visits, edges = {}, []
    for rollout, outcome in zip(rollouts, outcomes):
        rewards = visit_rewards(rollout)
        rewards[-1] += outcome
        value, returns = 0.0, []
        for reward in reversed(rewards):
            value = reward + 0.9 * value
            returns.insert(0, value)
        before, expected_credit = (), []
        for letters, value in zip(assistants(rollout), returns):
            edge = before, tuple(letters)
            if edge not in expected_credit:
                visits.setdefault(before, {}).setdefault(tuple(letters), []).append(value)
            expected_credit.append(edge)
            before += tuple(letters) or ("answer",)
        edges.append(expected_credit)
    share = sum("a" in sum(answers(rollout), []) for rollout in rollouts) / len(rollouts)
    result = []
    for expected_credit in edges:
        result.append([])
        for state, action in expected_credit:
            every = [value for values in visits[state].values() for value in values]
            here = visits[state][action]
            result[-1].append(sum(here) / len(here) - (sum(every) + 2 * share) / (len(every) + 2))
    return result


def by_token(mask, turns):
    result, turn = [], -1
    for letter, expected_credit in enumerate(mask):
        turn += bool(expected_credit) and (letter == 0 or not mask[letter - 1])
        result.append(turns[turn] if expected_credit else 0.0)
    assert turn == len(turns) - 1
    return result


@pytest.mark.parametrize("rule, expected_credit", [("mt-grpo?alpha=.5", mt_grpo), ("rtmc?gamma=.9", rtmc)])
def test_rules_train_with_an_environment_of_tools(tmp_path, rule, expected_credit):
    run = trainer(tmp_path, rule, strict=True)
    before = {name: value.clone() for name, value in run.model.named_parameters()}
    run.train()
    assert len(run.watched) == 3
    for batch in run.watched:
        result = expected_credit(batch["messages"], batch["outcomes"])
        rows = [by_token(mask, turns) for mask, turns in zip(batch["mask"].tolist(), result)]
        torch.testing.assert_close(batch["advantages"].double(), torch.tensor(rows, dtype=torch.float64), atol=1e-6, rtol=1e-6)
    rollouts = [turns for batch in run.watched for turns in map(assistants, batch["messages"])]
    assert len({len(turns) for turns in rollouts}) > 1, "all rollouts have run number of turns: the test would show little"
    assert any(len(letters) > 1 for turns in rollouts for letters in turns), "no turn has two calls"
    assert any("d" in letters for turns in rollouts for letters in turns), "no call failed"
    assert any(len(set(values)) > 1 for values in run._logs["extra"]["turn_advantages"])
    assert sum(not torch.equal(value, before[name]) for name, value in run.model.named_parameters()) > 10
    assert run.state.log_history[0]["turnwise/turns"] > 1


def test_environment_interfaces(tmp_path):
    """turn_reward_funcs receive the environments; missing turn rewards and a method `turn_rewards` raise errors."""
    conversations = []

    class Plain(House):
        def reset(self, **_):
            super().reset()
            self.turn_rewards = None

        def visit(self, letter: str) -> str:
            """
            Visits a letter.

            Args:
                letter: The letter to visit.
            """
            self.letters.append(letter)
            return letter

    def by_turn(environments, completions, **_):
        conversations.extend(environments)
        return [[float(len(letters)) for letters in assistants(messages)] for messages in completions]

    run = trainer(tmp_path, "mt-grpo", Plain, steps=1, turn_reward_funcs=[by_turn], strict=True)
    run.train()
    assert len(conversations) == 8 and all(isinstance(environment, Plain) for environment in conversations)
    assert list(run._logs["extra"]["turn_rewards"]) == [[float(len(letters)) for letters in assistants(m)] for m in run.watched[0]["messages"]]
    with pytest.raises(UnsupportedRule, match="no completion of a batch has `turn_rewards`"):
        trainer(tmp_path, "mt-grpo", Plain, steps=1, strict=True).train()

    class Method(House):
        def reset(self, **_):
            self.letters = []

        def turn_rewards(self) -> list:
            """Rewards."""
            return []

    with pytest.raises(TypeError, match="environment.turn_rewards is a method"):
        trainer(tmp_path, "mt-grpo", Method, steps=1).train()
