"""A table of edge cases in which the estimators of trainers differ.

Each estimator is called as its trainer calls it, and is compared with a rule of the same formula in 64-bit floats, rollout by rollout.
"""

import contextlib
import io
import math
import os
import tempfile
from importlib.metadata import PackageNotFoundError, version
from datetime import date
from typing import Any, Callable, NamedTuple, Sequence

from .installation import install_command
from .rows import Row, credit_rows, parse_rule

NAN = math.nan
TOLERANCE = 1e-5


class Case(NamedTuple):
    """Rows of one group.

    `rewards`: [rows]. `mask`: [rows][tokens], 1 at tokens of the policy; default: three tokens per row.
    `rollout`: [rows], index of the rollout; default: one row per rollout.
    """

    name: str
    rewards: "Sequence[float]"
    mask: "Sequence[Sequence[int]] | None" = None
    rollout: "Sequence[int] | None" = None

    @property
    def masks(self) -> "Sequence[Sequence[int]]":
        return self.mask or [[1, 1, 1]] * len(self.rewards)

    def expected(self, rule: str) -> "list[float | None]":
        """Returns the advantage of each row [rows], or None for an excluded row. The rule counts each rollout once."""
        owner = self.rollout or range(len(self.rewards))
        first = {rollout: row for row, rollout in reversed(list(enumerate(owner)))}
        rows = []
        for row in first.values():
            is_excluded = math.isnan(self.rewards[row]) or not any(self.masks[row])
            rows.append(Row("group", [0.0], self.rewards[row], [] if is_excluded else [1]))
        credits = dict(zip(first, credit_rows(parse_rule(rule), rows)))
        return [credits[rollout][0] if credits[rollout] else None for rollout in owner]  # type: ignore[misc]


CASES = [
    Case("four rollouts, one solved (ddof, epsilon)", [1, 0, 0, 0]),
    Case("a group of one", [1]),
    Case("all equal", [0.1, 0.1, 0.1]),
    Case("tiny variance", [0.505, 0.495, 0.505, 0.495]),
    Case("two rollouts (leave one out)", [1, 0]),
    Case("a rollout that comes as three rows", [1, 0, 0, 0], rollout=[0, 1, 1, 1]),
    Case("a sibling without action tokens", [1, 0, -50], mask=[[1, 1, 1], [1, 1, 1], [0, 0, 0]]),
    Case("a turn cut off by truncation", [1, 0], mask=[[1, 1, 0, 1], [1, 1, 0, 0]]),
    Case("observations inside a response", [1, 0, 0], mask=[[1, 0, 0, 1, 0, 1], [1, 0, 1, 0, 0, 1], [1, 1, 1, 1, 1, 1]]),
    Case("a reward that is NaN", [1, 0, NAN]),
    Case("long rollouts against short ones", [1, 0, 0.5], mask=[[1] + [0] * 39, [1] * 40, [1] * 20 + [0] * 20]),
    Case("32-bit floats: rewards far from 0", [10000.001, 10000.002, 10000.003]),
]

# Estimators of each trainer, with the rule of the same formula.
ESTIMATORS = {
    "verl": {
        "grpo": "grpo-or?profile=verl",
        "grpo_vectorized": "grpo-or?profile=verl",
        "rloo": "rloo?singleton=raw",
        "rloo_vectorized": "rloo?singleton=raw",
        "turnwise/grpo-or": "grpo-or?profile=verl",
    },
    "trl": {"grpo": "grpo-or?profile=trl", "turnwise/grpo-or": "grpo-or?profile=trl"},
}


class TrainerError(ValueError):
    """Error for a trainer that is unknown or not installed."""


def table(trainers: "Sequence[str]", cases: "Sequence[Case]" = CASES) -> str:
    """Returns the table as Markdown, with versions and date. Raises TrainerError for an unknown or missing trainer."""
    for name in trainers:
        if name not in ESTIMATORS:
            raise TrainerError(f"--trainer: no {name!r}; known: {', '.join(ESTIMATORS)}")
    for name in (*trainers, "torch"):
        try:
            version(name)
        except PackageNotFoundError:
            raise TrainerError(f"conformance needs {name}, which is not installed: {install_command(','.join(trainers))}") from None
    columns = [(trainer, name) for trainer in trainers for name in ESTIMATORS[trainer]]
    versions = ", ".join(f"{name} {version(name)}" for name in (*trainers, "torch"))
    lines = [f"{versions}; {date.today().isoformat()}", "", f"| case | {' | '.join(' '.join(column) for column in columns)} |"]
    lines.append(f"| --- |{' --- |' * len(columns)}")
    for case in cases:
        cells = [compare(case, _RUN[trainer], name, ESTIMATORS[trainer][name]) for trainer, name in columns]
        lines.append(f"| {case.name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def compare(case: Case, run: "Callable[[Case, str], list[list[float]]]", name: str, rule: str) -> str:
    """Returns a cell of the table: equal, the largest difference, NaN, or the exception that the estimator raised."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            advantages = run(case, name)
    except Exception as error:
        return f"{type(error).__name__}"
    largest = 0.0
    for values, mask, expected in zip(advantages, case.masks, case.expected(rule)):
        for value, is_policy in zip(values, mask):
            if math.isnan(value):
                return "NaN"
            largest = max(largest, abs(value - (expected or 0.0)) if is_policy else abs(value))
    return "equal" if largest <= TOLERANCE else f"differs by {largest:.3g}"


def _verl(case: Case, name: str) -> "list[list[float]]":
    import numpy as np
    import torch
    from verl.trainer.config import AlgoConfig
    from verl.trainer.ppo.core_algos import get_adv_estimator_fn

    mask = torch.tensor(case.masks)
    rewards = torch.zeros(mask.shape)
    for row, row_mask in enumerate(case.masks):
        # Like verl's agent loop, puts the reward on the last policy token, or on the last token of a row without any.
        rewards[row, max((token for token, is_policy in enumerate(row_mask) if is_policy), default=-1)] = case.rewards[row]
    uids = np.array(["group"] * len(rewards), dtype=object)
    advantages, _ = get_adv_estimator_fn(name)(token_level_rewards=rewards, response_mask=mask, index=uids, config=AlgoConfig())
    return advantages.tolist()


def _trl(case: Case, name: str) -> "list[list[float]]":
    os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
    import torch
    from datasets import Dataset
    from tokenizers import Tokenizer, models
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
    from trl import GRPOConfig, GRPOTrainer

    from .trl import TurnwiseGRPOTrainer

    def rollout(prompts: Any, _: Any) -> "dict[str, Any]":
        rows = [list(row) for row in case.masks]
        ids = [[2] * len(row) for row in rows]
        return {"prompt_ids": [[1]] * len(rows), "completion_ids": ids, "logprobs": [[0.0] * len(row) for row in rows], "env_mask": rows}

    def reward(**_: Any) -> "list[Any]":
        return [None if math.isnan(value) else float(value) for value in case.rewards]

    vocabulary = Tokenizer(models.WordLevel({"<pad>": 0, "<eos>": 1, "a": 2}, unk_token="a"))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=vocabulary, pad_token="<pad>", eos_token="<eos>")
    shape = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=3, pad_token_id=0, eos_token_id=1, bos_token_id=1, **shape))
    count = len(case.rewards)
    with tempfile.TemporaryDirectory() as folder:
        config = GRPOConfig(
            output_dir=folder, per_device_train_batch_size=count, num_generations=count, max_completion_length=64,
            report_to=[], use_cpu=True, bf16=False, save_strategy="no", disable_tqdm=True,
        )  # fmt: skip
        more = {} if name == "grpo" else {"rule": name.removeprefix("turnwise/")}
        kind = GRPOTrainer if name == "grpo" else TurnwiseGRPOTrainer
        data = Dataset.from_dict({"prompt": ["a"] * count})
        trainer = kind(model, reward, args=config, train_dataset=data, processing_class=tokenizer, rollout_func=rollout, **more)
        trainer.model.train()
        advantages = trainer._generate_and_score_completions([{"prompt": "a"} for _ in range(count)])["advantages"]
    if advantages.dim() == 1:  # one advantage per completion; the loss applies the mask
        advantages = advantages.unsqueeze(1) * torch.tensor(case.masks)
    return advantages.tolist()


_RUN = {"verl": _verl, "trl": _trl}
