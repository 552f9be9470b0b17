"""Trainers without a plug-in system, each as a function of the signature that it calls. Where to put it stands above each."""

from typing import Any, Sequence

from .result import mean_of
from .rows import Row, UnsupportedRule, check_rule, credit_rows, own_of_last, parse_rule
from .signals import NAMES, padded_rewards, reward_list, turn_fields


def skyrl(rule: str = "mt-grpo") -> Any:
    """SkyRL: `AdvantageEstimatorRegistry.register("turnwise", skyrl("mt-grpo"))`.

    Called as `fn(token_level_rewards, response_mask, index, values=..., **others) -> (advantages, returns)`, (rows, tokens).
    In its step-wise mode SkyRL hands over last steps alone, as rows of one turn.
    """
    own = parse_rule(rule)

    def estimator(token_level_rewards: Any, response_mask: Any, index: Any, values: Any = None, **_: Any) -> "tuple[Any, Any]":
        from .tensors import batch_advantages

        check_rule(own, "SkyRL", None if values is not None else ())
        return batch_advantages(own, token_level_rewards, response_mask, list(index), values)

    return estimator


def prime_rl(rule: str = "mt-grpo") -> Any:
    """prime-rl: `score_group` of an `Algorithm` of your own calls it with the traces of a group and its `assign_advantages`.

    A node with a mask that is not zero is a turn; `trace.info["turn_rewards"]` has a number a turn, `trace.reward` is the
    outcome, `trace.info["states"]` and `["actions"]` are texts and `["solved"]` is True or False where a rule needs them. Writes
    a number a sampled token.
    """
    own = parse_rule(rule)

    def score(traces: "Sequence[Any]", assign_advantages: Any) -> None:
        rows, known = [], []
        for place, trace in enumerate(traces):
            nodes = [sum(map(bool, node.mask)) for node in trace.nodes]
            tokens = [count for count in nodes if count]
            rewards = _turn_rewards(trace.info, len(tokens), f"trace {place}")
            names = {"state": "states", "action": "actions", "solved": "solved"}
            known.append({field for field, name in names.items() if trace.info.get(name) is not None})
            given = {NAMES[field]: trace.info.get(name) for field, name in names.items()}
            rows.append(Row("group", rewards, float(trace.reward), tokens, turn_fields(given, len(tokens), f"trace {place}"), own_of_last(rewards)))
        carried = sorted(set.intersection(*known)) if known else []
        check_rule(own, "prime-rl without `states`, `actions` and `solved` in trace.info", carried)
        for trace, row, values in zip(traces, rows, credit_rows(own, rows)):
            assign_advantages(trace, _a_token(values, row.tokens))

    return score


def slime(rule: str = "mt-grpo") -> Any:
    """slime: `--custom-reward-post-process-path` names `slime("mt-grpo")` in a module of yours: `fn(args, samples) -> (raw, rewards)`.

    It sees whole groups (`args.n_samples_per_prompt` samples each, by `sample.group_index` where there is one), and stows a
    number a token in `sample.train_metadata["turnwise"]`; your `--custom-convert-samples-to-train-data-path` takes it along as
    `rollout_data["turnwise"]`, and `slime_advantages` gives it to the loss. Turns are the runs of ones in `sample.loss_mask`,
    turn rewards `sample.metadata["turn_rewards"]`. A rollout that comes as several samples is refused: it would count several times.
    """
    own = parse_rule(rule)
    check_rule(own, "slime")

    def post_process(args: Any, samples: "Sequence[Any]") -> "tuple[list[float], list[float]]":
        rows, seen = [], set()
        for place, sample in enumerate(samples):
            rollout = getattr(sample, "rollout_id", None)
            if rollout is not None and rollout in seen:
                raise UnsupportedRule(f"sample {place}: rollout {rollout} comes as several samples, which slime counts as several rollouts")
            seen.add(rollout)
            tokens = [len(run) for run in _runs(sample.loss_mask)]
            group = getattr(sample, "group_index", None)
            key = place // args.n_samples_per_prompt if group is None else group
            rewards = _turn_rewards(sample.metadata or {}, len(tokens), f"sample {place}")
            rows.append(Row(key, rewards, float(sample.reward), tokens, last=own_of_last(rewards)))
        for sample, row, values in zip(samples, rows, credit_rows(own, rows)):
            spread = [0.0] * len(sample.loss_mask)
            for own_places, one in zip(_runs(sample.loss_mask), values):
                for token, at in enumerate(own_places):
                    spread[at] = one[token] if isinstance(one, list) else one or 0.0
            sample.train_metadata = {**(getattr(sample, "train_metadata", None) or {}), "turnwise": spread}
        raw = [float(sample.reward) for sample in samples]
        return raw, raw

    return post_process


def slime_advantages(args: Any, rollout_data: "dict[str, Any]") -> None:
    """slime: `--custom-advantage-function-path turnwise_rl.functions.slime_advantages`, which runs on each data-parallel rank."""
    import torch

    if "turnwise" not in rollout_data:
        raise UnsupportedRule("slime: `turnwise` is not in the rollout data; the custom converter must take it along from train_metadata")
    made = [torch.tensor(values, dtype=torch.float32) for values in rollout_data["turnwise"]]
    for place, (values, length) in enumerate(zip(made, rollout_data["response_lengths"])):
        if len(values) != length:
            raise ValueError(f"sample {place}: {len(values)} advantages for a response of {length} tokens")
    rollout_data["advantages"], rollout_data["returns"] = made, [values.clone() for values in made]


def rllm(rule: str = "mt-grpo") -> Any:
    """rLLM: called where whole groups are (`traj_grouping_hook`, or before the estimator), with `use_precomputed_advantage=true`.

    `fn(traj_groups)` sets `step.advantage` of every step: a number, or a list for rules with one a token. A trajectory's
    `reward` is the outcome, `step.reward` the turn's. rLLM's own estimators return one number a trajectory, which is too little.
    """
    own = parse_rule(rule)
    check_rule(own, "rLLM")

    def assign(traj_groups: "Sequence[Any]") -> "Sequence[Any]":
        rows, steps = [], []
        for group, one in enumerate(traj_groups):
            for trajectory in one.trajectories:
                turns = list(trajectory.steps)
                steps.append(turns)
                tokens = [len(step.response_ids) for step in turns]
                rows.append(Row(group, [float(step.reward or 0.0) for step in turns], float(trajectory.reward), tokens))
        for turns, values in zip(steps, credit_rows(own, rows)):
            for step, value in zip(turns, values):
                step.advantage = 0.0 if value is None else value
        return traj_groups

    return assign


def tinker(rule: str = "mt-grpo") -> Any:
    """tinker-cookbook: in place of `compute_advantages(trajectory_groups) -> [(rollouts,)]`.

    Gives a list a group, a list a rollout, a number a transition; `trajectory_to_data` takes a number a trajectory, so build
    each Datum's `advantages` with the transition's own. `transition.reward` of the last one and the group's final reward
    (`get_total_rewards` less the transitions') together are the outcome.
    """
    own = parse_rule(rule)
    check_rule(own, "tinker-cookbook")

    def compute_advantages(trajectory_groups: "Sequence[Any]") -> "list[list[list[float]]]":
        made = []
        for number, group in enumerate(trajectory_groups):
            rows = []
            for trajectory, total in zip(group.trajectories_G, group.get_total_rewards()):
                paid = [float(transition.reward) for transition in trajectory.transitions]
                tokens = [len(transition.ac.tokens) for transition in trajectory.transitions]
                rows.append(Row(number, paid, float(total) - sum(paid[:-1]), tokens))
            made.append([[mean_of(value) or 0.0 for value in values] for values in credit_rows(own, rows)])
        return made

    return compute_advantages


def _runs(mask: "Sequence[int]") -> "list[list[int]]":
    """The places of each run of values that are not 0."""
    runs: "list[list[int]]" = []
    for place, own in enumerate(mask):
        if own:
            if place == 0 or not mask[place - 1]:
                runs.append([])
            runs[-1].append(place)
    return runs


def _turn_rewards(fields: "dict[str, Any]", turns: int, where: str) -> "list[float]":
    return padded_rewards(reward_list(fields.get("turn_rewards"), where, "turn_rewards"), turns, where)


def _a_token(values: "Sequence[Any]", tokens: "Sequence[int]") -> "list[float]":
    return [one for value, count in zip(values, tokens) for one in (value if isinstance(value, list) else [value or 0.0] * count)]
