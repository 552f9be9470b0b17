"""verl: every rule is an estimator, `algorithm.adv_estimator=turnwise/mt-grpo`.

A name can have parameters, `turnwise/mt-grpo?alpha=.9`, or refer to a file, `turnwise/file:/path/my_rule.py`. On a
command line, Hydra needs additional quotes around a value with `=`. verl loads this module automatically in every Ray
process (entry point `verl.plugins`).

Turns are the runs of ones in `response_mask`. The reward of a turn is the sum of `token_level_rewards` from its first token up to
the next turn; the reward of the last turn is the outcome. `reward.reward_manager.name=turnwise` adds the `tool_rewards`
and `turn_scores` of verl's tool agent loop to `token_level_rewards`. verl passes no session to an estimator: each row
is a rollout. verl passes no other fields of a batch either, so rules that read states, actions, test results or
`solved` cannot run in verl.

Rules have verl's constants (`profile=verl`) unless the name has a profile. A rule that reads turn rewards warns once if the first
batch with several turns has none; with the parameter `strict=true` it raises UnsupportedRule.
"""

import sys
import traceback
from typing import Any

from .installation import check_version, install_command

check_version("verl")
try:
    import torch
except ImportError as error:
    raise ImportError(f"turnwise_rl.verl needs verl: {install_command('verl')} ({error})") from error

from .rows import check_rule, parse_rule
from .rule import Rule
from .signals import Notices, TurnRewardNotice, ignored_settings, reward_list
from .tensors import batch_advantages, find_turns

PREFIX = "turnwise/"
# Settings of `algorithm` that rules do not read, with verl's defaults.
SETTINGS = {"norm_adv_by_std_in_grpo": True, "gamma": 1.0, "lam": 1.0}


def estimator(name: str) -> "Estimator":
    """Returns the estimator for a name without the prefix.

    Raises RuleError, ParameterError and UnsupportedRule, before training starts.
    """
    path, _, query = name.partition("?")
    parts = query.split("&") if query else []
    strict = [part for part in parts if part in ("strict=true", "strict=false")]
    parameters = "&".join(part for part in parts if part not in strict)
    rule = parse_rule(f"{path}?{parameters}" if parameters else path, "verl")
    check_rule(rule, "verl")
    return Estimator(rule, strict[-1:] == ["strict=true"])


class Estimator:
    """Estimator of verl: `fn(token_level_rewards=, response_mask=, config=, index=) -> (advantages, returns)`."""

    def __init__(self, rule: Rule, strict: bool = False):
        self.rule = rule
        self._notices = Notices()
        hint = "`reward.reward_manager.name=turnwise` writes `turn_scores` and `tool_rewards` of a rollout there"
        self._turn_rewards = TurnRewardNotice(rule, "`token_level_rewards` has none before the last turn of a rollout", hint, strict)

    def __call__(
        self, *, token_level_rewards: torch.Tensor, response_mask: torch.Tensor, index: Any = None, config: Any = None, **_: Any
    ) -> "tuple[torch.Tensor, torch.Tensor]":
        """Computes (advantages, returns), both [rows, tokens] with zeros outside of the mask.

        Raises ValueError without uids in `index`, UnsupportedRule without turn rewards if strict, and GroupError and
        RuleError as the rule does.
        """
        if index is None:
            raise ValueError("turnwise groups rollouts by prompt: the batch needs `uid` in its non-tensor fields")
        self._report_settings(config)
        with torch.no_grad():
            return batch_advantages(self.rule, token_level_rewards, response_mask, list(index), see=self._turn_rewards.see)

    def _report_settings(self, config: Any) -> None:
        read = config.get if hasattr(config, "get") else lambda name: getattr(config, name, None)
        settings = {} if config is None else {f"algorithm.{name}": (read(name), default) for name, default in SETTINGS.items()}
        for message in ignored_settings(self.rule, "verl", settings):
            self._notices.warn(message, message)


class Registry(dict):  # type: ignore[type-arg]
    """Registry of verl extended by every name with the prefix. Names with parameters need no registration."""

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (isinstance(name, str) and name.startswith(PREFIX))

    def __missing__(self, name: str) -> Estimator:
        if not name.startswith(PREFIX):
            raise KeyError(name)
        self[name] = estimator(name[len(PREFIX) :])
        return self[name]


def token_scores(
    scores: "list[float]", mask: torch.Tensor, turn_scores: Any = None, tool_rewards: Any = None
) -> torch.Tensor:
    """Returns the scores of tokens [rows, tokens]: each turn reward is on the last token of its turn.

    The score of a row is on its last policy token. `mask`: [rows, tokens], nonzero at tokens of the policy.
    `turn_scores`, `tool_rewards`: [rows], each None or a list of numbers. Raises ValueError unless a row has one reward
    per turn, or one for each turn except the last.
    """
    result = torch.zeros(mask.shape, dtype=torch.float32)
    turns = find_turns(mask)
    ends: "list[list[int]]" = [[] for _ in scores]
    for row, start, length in zip(turns.row.tolist(), turns.start.tolist(), turns.length.tolist()):
        ends[row].append(start + length - 1)
    for row, score in enumerate(scores):
        if not ends[row]:
            continue
        for name, given in (("turn_scores", turn_scores), ("tool_rewards", tool_rewards)):
            rewards = (reward_list(given[row], f"row {row}", name) if given is not None else None) or []
            if rewards and len(rewards) not in (len(ends[row]), len(ends[row]) - 1):
                expected = "one a turn is needed, or one for each turn except the last"
                raise ValueError(f"row {row}: {len(rewards)} {name} for {len(ends[row])} turns; {expected}")
            for end, reward in zip(ends[row], rewards):
                result[row, end] += float(reward)
        result[row, ends[row][-1]] += float(score)
    return result


def install() -> None:
    """Registers the estimators and the reward manager in this process. Repeated calls have no effect."""
    from verl.trainer.ppo import core_algos

    if not isinstance(core_algos.ADV_ESTIMATOR_REGISTRY, Registry):
        core_algos.ADV_ESTIMATOR_REGISTRY = Registry(core_algos.ADV_ESTIMATOR_REGISTRY)
    _install_reward_manager()


def _install_reward_manager() -> None:
    from verl.experimental.reward_loop.reward_manager import registry
    from verl.experimental.reward_loop.reward_manager.naive import NaiveRewardManager

    if "turnwise" in registry.REWARD_MANAGER:
        return

    @registry.register("turnwise")
    class TurnwiseRewardManager(NaiveRewardManager):
        """Naive reward manager of verl with turn rewards: each is on the last token of its turn."""

        @classmethod
        def assemble_rm_scores(cls, data: Any, scores: "list[float]") -> torch.Tensor:
            mask, fields = data.batch.get("response_mask"), data.non_tensor_batch
            if mask is None:
                raise ValueError("the turnwise reward manager needs `response_mask` in the batch to distinguish turns")
            return token_scores(scores, mask.cpu(), fields.get("turn_scores"), fields.get("tool_rewards")).to(mask.device)


try:
    install()
except Exception:
    # verl writes errors of plug-ins only to a log, and training then fails with an unknown name.
    print(f"turnwise could not be added to verl:\n{traceback.format_exc()}", file=sys.stderr)
    raise
