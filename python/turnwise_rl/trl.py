"""TRL: `TurnwiseGRPOTrainer`, a GRPOTrainer whose advantages are those of a rule, one a turn.

    trainer = TurnwiseGRPOTrainer(model, reward_funcs, args=config, train_dataset=data, rollout_func=rollout, rule="mt-grpo?alpha=.9")

Turns are the runs of ones in the mask of a completion (`env_mask` of a `rollout_func`, or TRL's own tool mask). The outcome is
the weighted sum of the reward functions. Turn rewards are a list a completion, one number a turn or one for each turn but the
last: the field `turn_rewards` that a `rollout_func` returns, or what the functions of `turn_reward_funcs` return, summed.
A completion that no function could score, or without a token that is trained on, takes no part in its group.
"""

import math
from typing import Any, Callable, Sequence

import torch
from accelerate.utils import gather_object
from trl import GRPOTrainer

from .rows import Row, check_rule, credit_rows, own_of_last, parse_rule
from .rule import Rule
from .tensors import Turns, find_turns, to_tokens


class TurnwiseGRPOTrainer(GRPOTrainer):
    """As its parent, with `rule` (a name with parameters, `file:` and a path, or a Rule) and `turn_reward_funcs` besides."""

    def __init__(self, *args: Any, rule: "str | Rule" = "mt-grpo", turn_reward_funcs: "Sequence[Callable[..., Any]]" = (), **kwargs: Any):
        """Raises RuleError, ParameterError, UnsupportedRule for a rule that cannot run here, before anything is loaded."""
        self.rule = rule if isinstance(rule, Rule) else parse_rule(rule)
        check_rule(self.rule, "TRL")
        self.turn_reward_funcs = list(turn_reward_funcs)
        super().__init__(*args, **kwargs)

    def _calculate_rewards(self, inputs: Any, prompts: Any, completions: Any, completion_ids_list: Any) -> torch.Tensor:
        rewards = super()._calculate_rewards(inputs, prompts, completions, completion_ids_list)
        self._outcomes = self._weighted(rewards)  # of the completions of all processes
        fields = {key: [example.get(key) for example in inputs] for key in inputs[0] if key not in ("prompt", "completion", "completion_ids")}
        given = [example.get("turn_rewards") for example in inputs]
        self._turn_rewards = [list(one) if one is not None else [] for one in given]
        for function in self.turn_reward_funcs:
            made = function(prompts=prompts, completions=completions, completion_ids=completion_ids_list, **fields)
            self._turn_rewards = [_summed(a, b, row) for row, (a, b) in enumerate(zip(self._turn_rewards, made))]
        return rewards

    def _generate_and_score_completions(self, inputs: Any) -> "dict[str, Any]":
        output = super()._generate_and_score_completions(inputs)
        mask = output["completion_mask"]
        if "tool_mask" in output:
            mask = mask * output["tool_mask"]
        turns = find_turns(mask)
        local = self._local_rows(turns, mask.shape[0])
        everywhere: "list[tuple[list[float], list[int]]]" = gather_object(local)
        generations = self.num_generations if self.model.training else self.num_generations_eval
        rows = [
            # Without a turn, or without a score, a row takes no part in its group.
            Row(index // generations, rewards, outcome, tokens if not math.isnan(outcome) else [], last=own_of_last(rewards))
            for index, ((rewards, tokens), outcome) in enumerate(zip(everywhere, self._outcomes))
        ]
        credited = credit_rows(self.rule, rows)
        start = self.accelerator.process_index * len(local)
        own = [value or [0.0] * len(tokens) for value, (_, tokens) in zip(credited[start : start + len(local)], local)]
        output["advantages"] = to_tokens(own, turns, output["advantages"])
        return output

    def _local_rows(self, turns: Turns, count: int) -> "list[tuple[list[float], list[int]]]":
        """(turn rewards, tokens a turn) of the completions of this process."""
        tokens: "list[list[int]]" = [[] for _ in range(count)]
        for row, length in zip(turns.row.tolist(), turns.length.tolist()):
            tokens[row].append(length)
        return [(_padded(self._turn_rewards[row], len(own), row), own) for row, own in enumerate(tokens)]

    def _weighted(self, rewards: torch.Tensor) -> "list[float]":
        """[completions]: the outcome; NaN where no function could score it."""
        total = (rewards.double() * self.reward_weights.to(rewards.device).double().unsqueeze(0)).nansum(dim=1)
        total[torch.isnan(rewards).all(dim=1)] = math.nan
        return total.tolist()


def _summed(a: "Sequence[float]", b: "Sequence[float]", row: int) -> "list[float]":
    if a and len(a) != len(b):
        raise ValueError(f"completion {row}: one source gives {len(a)} turn rewards, another {len(b)}")
    return [x + y for x, y in zip(a, b)] if a else list(b)


def _padded(rewards: "list[float]", turns: int, row: int) -> "list[float]":
    if turns == 0 or not rewards:
        return [0.0] * turns
    if len(rewards) not in (turns, turns - 1):
        raise ValueError(f"completion {row}: {len(rewards)} turn rewards for {turns} turns; one a turn is needed, or one for each but the last")
    return [*map(float, rewards), 0.0][:turns]
