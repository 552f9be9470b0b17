"""Functions for trainers without a plug-in system, with the signatures that the trainers call.

Each docstring names the hook or option of the trainer that calls the function. Functions with the argument `rule` raise
RuleError and ParameterError as parse_rule does, and UnsupportedRule if a rule needs fields that the trainer does not
pass. A rule that reads turn rewards warns once if the first batch with several turns has none.
"""

from typing import Any, Sequence

from .result import mean_of
from .rows import Row, UnsupportedRule, check_rule, credit_rows, last_reward, parse_rule
from .signals import NAMES, TurnRewardNotice, padded_rewards, reward_list, turn_fields


def skyrl(rule: str = "mt-grpo") -> Any:
    """Returns an estimator for SkyRL: `AdvantageEstimatorRegistry.register("turnwise", skyrl("mt-grpo"))`.

    SkyRL calls `fn(token_level_rewards, response_mask, index, values=..., **others) -> (advantages, returns)` with
    tensors [rows, tokens]. In its step-wise mode, SkyRL passes only last steps, as rows of one turn.
    """
    loaded = parse_rule(rule)
    notice = TurnRewardNotice(loaded, "`token_level_rewards` has none before the last turn of a rollout", "write the reward of a turn to its last token")

    def estimator(token_level_rewards: Any, response_mask: Any, index: Any, values: Any = None, **_: Any) -> "tuple[Any, Any]":
        from .tensors import batch_advantages

        check_rule(loaded, "SkyRL", None if values is not None else ())
        return batch_advantages(loaded, token_level_rewards, response_mask, list(index), values, see=notice.see)

    return estimator


def prime_rl(rule: str = "mt-grpo") -> Any:
    """Returns a function for prime-rl: call it in `score_group` of your `Algorithm` with the traces of a group.

    The second argument is `assign_advantages`; the function assigns a number to each sampled token. A node with a
    nonzero mask is a turn. `trace.reward` is the outcome, and `trace.info["turn_rewards"]` has one number per turn. If
    a rule needs them, `trace.info["states"]` and `["actions"]` are lists of texts, and `["solved"]` is True or False.
    The function raises ValueError, with the index of the trace, for a list of invalid length.
    """
    loaded = parse_rule(rule)
    notice = TurnRewardNotice(loaded, "no trace of a group has `turn_rewards`", 'set trace.info["turn_rewards"] to one number a turn')

    def score(traces: "Sequence[Any]", assign_advantages: Any) -> None:
        rows, known = [], []
        for index, trace in enumerate(traces):
            nodes = [sum(map(bool, node.mask)) for node in trace.nodes]
            tokens = [count for count in nodes if count]
            rewards = _turn_rewards(trace.info, len(tokens), f"trace {index}")
            names = {"state": "states", "action": "actions", "solved": "solved"}
            known.append({field for field, name in names.items() if trace.info.get(name) is not None})
            given = {NAMES[field]: trace.info.get(name) for field, name in names.items()}
            rows.append(Row("group", rewards, float(trace.reward), tokens, turn_fields(given, len(tokens), f"trace {index}"), last_reward(rewards)))
        carried = sorted(set.intersection(*known)) if known else []
        check_rule(loaded, "prime-rl without `states`, `actions` and `solved` in trace.info", carried)
        notice.see(rows, any(trace.info.get("turn_rewards") is not None for trace in traces))
        for trace, row, values in zip(traces, rows, credit_rows(loaded, rows)):
            assign_advantages(trace, _by_token(values, row.tokens))

    return score


def slime(rule: str = "mt-grpo") -> Any:
    """Returns a function for slime, `fn(args, samples) -> (raw, rewards)`, for `--custom-reward-post-process-path`.

    The option names a variable of your module, for example with the value `slime("mt-grpo")`.
    The samples must be complete groups, by `sample.group_index` or `args.n_samples_per_prompt`. Turns are the runs of
    ones in `sample.loss_mask`, and turn rewards are in `sample.metadata["turn_rewards"]`. The function stores one
    number per token in `sample.train_metadata["turnwise"]`. Your `--custom-convert-samples-to-train-data-path` copies
    the numbers to `rollout_data["turnwise"]`, from which `slime_advantages` passes them to the loss. The function
    raises UnsupportedRule if a rollout has several samples, because slime counts them as several rollouts.
    """
    loaded = parse_rule(rule)
    check_rule(loaded, "slime")
    notice = TurnRewardNotice(loaded, "no sample of a batch has `turn_rewards`", 'set sample.metadata["turn_rewards"] to one number a turn')

    def post_process(args: Any, samples: "Sequence[Any]") -> "tuple[list[float], list[float]]":
        rows, rollouts = [], set()
        for index, sample in enumerate(samples):
            rollout = getattr(sample, "rollout_id", None)
            if rollout is not None and rollout in rollouts:
                raise UnsupportedRule(f"sample {index}: rollout {rollout} has several samples, which slime counts as several rollouts")
            rollouts.add(rollout)
            tokens = [len(run) for run in _runs(sample.loss_mask)]
            group = getattr(sample, "group_index", None)
            key = index // args.n_samples_per_prompt if group is None else group
            rewards = _turn_rewards(sample.metadata or {}, len(tokens), f"sample {index}")
            rows.append(Row(key, rewards, float(sample.reward), tokens, last=last_reward(rewards)))
        notice.see(rows, any((sample.metadata or {}).get("turn_rewards") is not None for sample in samples))
        for sample, row, values in zip(samples, rows, credit_rows(loaded, rows)):
            advantages = [0.0] * len(sample.loss_mask)
            for run, value in zip(_runs(sample.loss_mask), values):
                for token, at in enumerate(run):
                    advantages[at] = value[token] if isinstance(value, list) else value or 0.0
            sample.train_metadata = {**(getattr(sample, "train_metadata", None) or {}), "turnwise": advantages}
        raw = [float(sample.reward) for sample in samples]
        return raw, raw

    return post_process


def slime_advantages(args: Any, rollout_data: "dict[str, Any]") -> None:
    """Sets `advantages` and `returns` in the rollout data of slime, on each data-parallel rank.

    The option is `--custom-advantage-function-path turnwise_rl.functions.slime_advantages`. Raises UnsupportedRule
    without `rollout_data["turnwise"]`, and ValueError if a list differs in length from its response.
    """
    import torch

    if "turnwise" not in rollout_data:
        raise UnsupportedRule("slime: `turnwise` is not in the rollout data; the custom converter must copy it from train_metadata")
    advantages = [torch.tensor(values, dtype=torch.float32) for values in rollout_data["turnwise"]]
    for index, (values, length) in enumerate(zip(advantages, rollout_data["response_lengths"])):
        if len(values) != length:
            raise ValueError(f"sample {index}: {len(values)} advantages for a response of {length} tokens")
    rollout_data["advantages"], rollout_data["returns"] = advantages, [values.clone() for values in advantages]


def rllm(rule: str = "mt-grpo") -> Any:
    """Returns a function for rLLM with `use_precomputed_advantage=true`.

    Call `fn(traj_groups)` on complete groups, in `traj_grouping_hook` or before the estimator. It sets `step.advantage`
    of every step: a number, or a list for rules with one advantage per token. The `reward` of a trajectory is the
    outcome, and `step.reward` is the turn reward. The estimators of rLLM return only one number per trajectory. Rules have
    rLLM's constants (`profile=rllm`) unless the name has a profile.
    """
    loaded = parse_rule(rule, "rllm")
    check_rule(loaded, "rLLM")
    notice = TurnRewardNotice(loaded, "no step before the last step of a trajectory has a reward", "set `step.reward`")

    def assign(traj_groups: "Sequence[Any]") -> "Sequence[Any]":
        rows, steps = [], []
        for number, group in enumerate(traj_groups):
            for trajectory in group.trajectories:
                turns = list(trajectory.steps)
                steps.append(turns)
                tokens = [len(step.response_ids) for step in turns]
                rows.append(Row(number, [float(step.reward or 0.0) for step in turns], float(trajectory.reward), tokens))
        notice.see(rows)
        for turns, values in zip(steps, credit_rows(loaded, rows)):
            for step, value in zip(turns, values):
                step.advantage = 0.0 if value is None else value
        return traj_groups

    return assign


def tinker(rule: str = "mt-grpo") -> Any:
    """Returns a function for tinker-cookbook that replaces `compute_advantages(trajectory_groups) -> [(rollouts,)]`.

    The function returns advantages [groups][rollouts][transitions]. `trajectory_to_data` accepts only one number per
    trajectory, so build the `advantages` of each Datum from the numbers of its transitions. The outcome is the reward
    of the last transition plus the final reward of the group (`get_total_rewards` minus the rewards of the
    transitions).
    """
    loaded = parse_rule(rule)
    check_rule(loaded, "tinker-cookbook")
    where = "no transition before the last transition of a trajectory has a reward"
    notice = TurnRewardNotice(loaded, where, "return the reward of a turn from `step` of the environment")

    def compute_advantages(trajectory_groups: "Sequence[Any]") -> "list[list[list[float]]]":
        rows = []
        for number, group in enumerate(trajectory_groups):
            for trajectory, total in zip(group.trajectories_G, group.get_total_rewards()):
                rewards = [float(transition.reward) for transition in trajectory.transitions]
                tokens = [len(transition.ac.tokens) for transition in trajectory.transitions]
                rows.append(Row(number, rewards, float(total) - sum(rewards[:-1]), tokens))
        notice.see(rows)
        advantages = iter([[mean_of(value) or 0.0 for value in values] for values in credit_rows(loaded, rows)])
        return [[next(advantages) for _ in group.trajectories_G] for group in trajectory_groups]

    return compute_advantages


def _runs(mask: "Sequence[int]") -> "list[list[int]]":
    """Returns the positions of each run of nonzero values."""
    runs: "list[list[int]]" = []
    for position, is_policy in enumerate(mask):
        if is_policy:
            if position == 0 or not mask[position - 1]:
                runs.append([])
            runs[-1].append(position)
    return runs


def _turn_rewards(fields: "dict[str, Any]", turns: int, where: str) -> "list[float]":
    return padded_rewards(reward_list(fields.get("turn_rewards"), where, "turn_rewards"), turns, where)


def _by_token(values: "Sequence[Any]", tokens: "Sequence[int]") -> "list[float]":
    return [number for value, count in zip(values, tokens) for number in (value if isinstance(value, list) else [value or 0.0] * count)]
