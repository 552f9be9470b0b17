"""TRL: `TurnwiseGRPOTrainer`, a GRPOTrainer with the advantages of a rule, one per turn.

    trainer = TurnwiseGRPOTrainer(model, reward_funcs, args=config, train_dataset=data, rollout_func=rollout, rule="mt-grpo?alpha=.9")

Turns are the runs of ones in the mask of a completion (`env_mask` of a `rollout_func`, or TRL's own tool mask). The outcome is
the weighted sum of the reward functions. A completion without a score, or without a token that is trained on, is
excluded from its group.

Signals of turns come from the fields of a `rollout_func`, or from attributes of the environments of `environment_factory`:
`turn_rewards` (one number per turn, or one for each turn except the last), `turn_states`, `turn_actions` (one text per
turn), `turn_passed` (one list per turn with the test results, 0 or 1) and `solved` (True or False). `turn_reward_funcs`
add rewards. In a conversation with tool calls, the default state has the calls before a turn, and the default action
the calls of the turn.
"""

import asyncio
import atexit
import inspect
import math
from typing import Any, Callable, Sequence

from .installation import check_version, install_command

check_version("trl")
try:
    import torch
    from accelerate.utils import gather_object
    from trl import GRPOTrainer
    from trl.trainer.utils import shutdown_event_loop_in_daemon, start_event_loop_in_daemon
except ImportError as error:
    raise ImportError(f"turnwise_rl.trl needs TRL: {install_command('trl')} ({error})") from error

from .core import GroupError
from .result import Value, mean_of
from .rows import Row, check_rule, credit_rows, last_reward, parse_rule, reads_turn_rewards
from .rule import Rule
from .signals import NAMES, Notices, call_fields, ignored_settings, name_missing, padded_rewards, reward_list, rewards_by_call, summed, turn_fields
from .tensors import Turns, find_turns, to_tokens

# Columns that this trainer writes to the completions table.
COLUMNS = ("turn_rewards", "turn_advantages")


class TurnwiseGRPOTrainer(GRPOTrainer):
    """GRPOTrainer with a credit rule. All other arguments are passed to GRPOTrainer.

    rule: a name with parameters, `file:` and a path, or a Rule. A text without a profile has TRL's profile.
    turn_reward_funcs: functions with the signature of TRL's reward functions, also async. Each returns one list per
    completion, or None. strict: True to raise UnsupportedRule for missing turn rewards; False to warn once.
    """

    def __init__(
        self,
        *args: Any,
        rule: "str | Rule" = "mt-grpo",
        turn_reward_funcs: "Sequence[Callable[..., Any]]" = (),
        strict: bool = False,
        **kwargs: Any,
    ):
        """Checks the rule before the model is loaded: raises RuleError, ParameterError or UnsupportedRule."""
        self.rule = rule if isinstance(rule, Rule) else parse_rule(rule, "trl")
        check_rule(self.rule, "TRL")
        self._reads_rewards = reads_turn_rewards(self.rule)
        self.turn_reward_funcs = list(turn_reward_funcs)
        self._notices = Notices(strict)
        self._marks: "dict[int, list[int]]" = {}
        super().__init__(*args, **kwargs)
        names = {"scale_rewards": "group", "multi_objective_aggregation": "sum_then_normalize"}
        settings = {name: (getattr(self.args, name, None), default) for name, default in names.items()}
        for message in ignored_settings(self.rule, "trl", settings):
            self._notices.warn(message, message)

    def _tool_call_loop(self, prompts: Any, prompt_ids: Any, completion_ids: Any, completions: Any, *rest: Any) -> Any:
        """Runs the tool loop. Records the turn of each reward that a tool of an environment appends."""
        self._marks = {}
        for row, environment in enumerate(self.environments or []):
            rewards = getattr(environment, "turn_rewards", None)
            if callable(rewards):
                raise TypeError("environment.turn_rewards is a method, which TRL offers to the model as a tool; make it an attribute")
            # A list that `reset` filled has one number per turn.
            if not isinstance(rewards, list) or rewards:
                continue
            marks = self._marks[row] = []
            for tools in (self._sync_tool_dicts[row], self._async_tool_dicts[row]):
                tools.update({name: _marked(tool, environment, marks, completions[row]) for name, tool in tools.items()})
        return super()._tool_call_loop(prompts, prompt_ids, completion_ids, completions, *rest)

    def _log_completion_extra(self, column: str, values: Any) -> None:
        if column in COLUMNS:
            raise ValueError(f"log_extra: the column {column!r} is written by the trainer; choose another name")
        super()._log_completion_extra(column, values)

    def _calculate_rewards(self, inputs: Any, prompts: Any, completions: Any, completion_ids_list: Any) -> torch.Tensor:
        rewards = super()._calculate_rewards(inputs, prompts, completions, completion_ids_list)
        self._outcomes = self._weighted(rewards)  # of the completions of all processes
        self._calls = [call_fields(messages) if self.tools else {} for messages in completions]
        self._signals = [self._signals_of(row, example, completions[row]) for row, example in enumerate(inputs)]
        turn_rewards = [reward_list(item.get("turn_rewards"), _at(row), "turn_rewards") for row, item in enumerate(self._signals)]
        for function, results in self._function_rewards(inputs, prompts, completions, completion_ids_list):
            turn_rewards = [summed(a, reward_list(b, _at(row), function), _at(row)) for row, (a, b) in enumerate(zip(turn_rewards, results))]
        self._turn_rewards = turn_rewards
        self._marks = {}
        return rewards

    def _signals_of(self, row: int, example: "dict[str, Any]", messages: Any) -> "dict[str, Any]":
        """Returns the signals of a completion. Fields of the rollout_func override attributes of the environment."""
        result: "dict[str, Any]" = {}
        environment = self.environments[row] if self.environments else None
        for name in ("turn_rewards", *NAMES.values()):
            for value in (getattr(environment, name, None), example.get(name)):
                if value is not None:
                    result[name] = value
        if row in self._marks and example.get("turn_rewards") is None:
            turns = sum(message.get("role") == "assistant" for message in messages)
            result["turn_rewards"] = rewards_by_call(reward_list(environment.turn_rewards, _at(row), "turn_rewards") or [], self._marks[row], turns)
        return result

    def _function_rewards(self, inputs: Any, prompts: Any, completions: Any, completion_ids_list: Any) -> "list[tuple[str, Sequence[Any]]]":
        """Returns the name and the lists [completions] of each turn reward function that returned lists.

        Raises ValueError for another number of lists.
        """
        fields = {key: [example.get(key) for example in inputs] for key in inputs[0] if key not in ("prompt", "completion", "completion_ids")}
        fields |= {"trainer_state": self.state, "log_extra": self._log_completion_extra, "log_metric": self._log_metric}
        if self.environments is not None:
            fields["environments"] = self.environments
        results = [
            function(prompts=prompts, completions=completions, completion_ids=completion_ids_list, **fields) for function in self.turn_reward_funcs
        ]
        result = []
        for function, lists in zip(self.turn_reward_funcs, self._resolve(results)):
            name = getattr(function, "__name__", type(function).__name__)
            if lists is None:
                continue
            if not hasattr(lists, "__len__") or len(lists) != len(inputs):
                count = f"{len(lists)} lists" if hasattr(lists, "__len__") else repr(lists)
                raise ValueError(f"the turn reward function '{name}' returned {count} for {len(inputs)} completions; one list a completion is needed")
            result.append((name, lists))
        return result

    def _resolve(self, results: "list[Any]") -> "list[Any]":
        """Returns the results of functions. Awaits the results of async functions together."""
        pending = [position for position, item in enumerate(results) if inspect.isawaitable(item)]
        if not pending:
            return results
        if not hasattr(self, "async_loop"):  # TRL starts its loop only if its reward functions need it
            self.async_loop_thread, self.async_loop, self.async_loop_ready_event = start_event_loop_in_daemon(name="Turnwise-AsyncLoop")
            self.async_loop_ready_event.wait()
            atexit.register(shutdown_event_loop_in_daemon, self.async_loop_thread, self.async_loop)

        async def together() -> "list[Any]":
            return await asyncio.gather(*(results[position] for position in pending))

        done = asyncio.run_coroutine_threadsafe(together(), self.async_loop).result()
        for position, item in zip(pending, done):
            results[position] = item
        return results

    def _generate_and_score_completions(self, inputs: Any) -> "dict[str, Any]":
        output = super()._generate_and_score_completions(inputs)
        mask = output["completion_mask"]
        if "tool_mask" in output:
            mask = mask * output["tool_mask"]
        elif any(self._turn_rewards):
            unmasked = "turn rewards without `env_mask`: each completion counts as one turn"
            self._notices.report("env_mask", f"{unmasked}. Return `env_mask` from rollout_func, 0 at tokens of the environment")
        turns = find_turns(mask)
        local = self._local_rows(turns, mask.shape[0])
        everywhere: "list[tuple[Row, bool]]" = gather_object(local)
        if self._reads_rewards and any(len(row.tokens) > 1 for row, _ in everywhere) and not any(given for _, given in everywhere):
            hint = "return `turn_rewards` from rollout_func, set environment.turn_rewards, or pass turn_reward_funcs"
            self._notices.report("turn_rewards", f"{self.rule.name} reads turn rewards, and no completion of a batch has `turn_rewards`: {hint}")
        generations = self.num_generations if self.model.training else self.num_generations_eval
        rows = [
            # A row without a turn or without a score is excluded from its group.
            row._replace(group=index // generations, outcome=outcome, tokens=row.tokens if not math.isnan(outcome) else [])
            for index, ((row, _), outcome) in enumerate(zip(everywhere, self._outcomes))
        ]
        try:
            credits = credit_rows(self.rule, rows)
        except GroupError as error:
            raise name_missing(self.rule, error, [turn for row in rows for turn in row.fields]) from None
        gathered = [value or [0.0] * len(row.tokens) for value, (row, _) in zip(credits, everywhere)]
        self._log_turns([row for row, _ in everywhere], gathered, generations)
        start = self.accelerator.process_index * len(local)
        output["advantages"] = to_tokens(gathered[start : start + len(local)], turns, output["advantages"])
        return output

    def _local_rows(self, turns: Turns, count: int) -> "list[tuple[Row, bool]]":
        """Returns the completions of this process without group and outcome, each with True if it has turn rewards."""
        tokens: "list[list[int]]" = [[] for _ in range(count)]
        for row, length in zip(turns.row.tolist(), turns.length.tolist()):
            tokens[row].append(length)
        results = []
        for row, tokens_of_turns in enumerate(tokens):
            given, calls = self._turn_rewards[row], self._calls[row]
            rewards = padded_rewards(given, len(tokens_of_turns), _at(row))
            signals = {**(calls if calls and len(calls["turn_states"]) == len(tokens_of_turns) else {}), **self._signals[row]}
            results.append((Row(None, rewards, 0.0, tokens_of_turns, turn_fields(signals, len(tokens_of_turns), _at(row)), last_reward(rewards)), given is not None))
        return results

    def _log_turns(self, rows: "list[Row]", credits: "list[list[Value]]", generations: int) -> None:
        """Logs the advantages: their mean over tokens in the completions table, two columns, and metrics of turns."""
        by_turn = [[mean_of(value) or 0.0 for value in values] for values in credits]
        used = [
            sum(a * count for a, count in zip(values, row.tokens)) / sum(row.tokens) if row.tokens else 0.0 for values, row in zip(by_turn, rows)
        ]
        logged = self._logs["advantages"]
        for _ in range(min(len(used), len(logged))):
            logged.pop()
        logged.extend(used)
        self._logs["extra"]["turn_rewards"].extend([list(row.rewards) for row in rows])
        self._logs["extra"]["turn_advantages"].extend(by_turn)
        flat = [value for values in by_turn for value in values]
        zero = [not any(value for values in by_turn[start : start + generations] for value in values) for start in range(0, len(rows), generations)]
        metrics = self._metrics["train" if self.model.training else "eval"]
        metrics["turnwise/turns"].append(len(flat) / max(1, len(rows)))
        metrics["turnwise/groups_without_credit"].append(sum(zero) / max(1, len(zero)))
        metrics["turnwise/advantage_std"].append(torch.tensor(flat or [0.0], dtype=torch.float64).std(correction=0).item())

    def _weighted(self, rewards: torch.Tensor) -> "list[float]":
        """Returns the outcome of each completion [completions]; NaN for a completion without a score."""
        total = (rewards.double() * self.reward_weights.to(rewards.device).double().unsqueeze(0)).nansum(dim=1)
        total[torch.isnan(rewards).all(dim=1)] = math.nan
        return total.tolist()


def _at(row: int) -> str:
    return f"completion {row}"


def _marked(tool: "Callable[..., Any]", environment: Any, marks: "list[int]", messages: "list[dict[str, Any]]") -> "Callable[..., Any]":
    """Wraps a tool so that it records in `marks` the turn of the conversation of each reward that it appends."""

    def mark() -> None:
        turn = sum(message.get("role") == "assistant" for message in messages) - 1
        marks.extend([turn] * (len(environment.turn_rewards) - len(marks)))

    if inspect.iscoroutinefunction(tool):

        async def called(*args: Any, **given: Any) -> Any:
            try:
                return await tool(*args, **given)
            finally:
                mark()
    else:

        def called(*args: Any, **given: Any) -> Any:
            try:
                return tool(*args, **given)
            finally:
                mark()

    return called
