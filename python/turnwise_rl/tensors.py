"""Conversion of padded PyTorch batches to rows, shared by the plug-ins for verl, SkyRL and TRL."""

from typing import Any, Callable, Hashable, NamedTuple, Sequence

import torch

from .rows import Row, credit_rows
from .rule import Rule


class Turns(NamedTuple):
    """Turns of a batch: runs of ones in a mask, row by row."""

    row: torch.Tensor  # [turns]
    start: torch.Tensor  # [turns]: position of the first token
    length: torch.Tensor  # [turns]: number of tokens
    of_token: torch.Tensor  # [rows, tokens]: index of the turn of the token; -1 outside of turns


def find_turns(mask: torch.Tensor) -> Turns:
    """Finds the turns of a batch. `mask`: [rows, tokens], nonzero at tokens of the policy that are trained on."""
    is_policy = mask != 0
    edge = torch.zeros_like(is_policy[:, :1])
    first = is_policy & ~torch.cat([edge, is_policy[:, :-1]], dim=1)
    last = is_policy & ~torch.cat([is_policy[:, 1:], edge], dim=1)
    row, start = first.nonzero(as_tuple=True)
    _, end = last.nonzero(as_tuple=True)
    count = torch.cumsum(first.flatten(), 0).view_as(is_policy) - 1
    return Turns(row, start, end - start + 1, torch.where(is_policy, count, -1))


def turn_rewards(token_rewards: torch.Tensor, turns: Turns) -> torch.Tensor:
    """Sums the token rewards from the first token of each turn up to the next turn [turns], float64.

    Rewards at tokens of an observation belong to the turn before it; rewards before the first turn belong to the first turn.
    """
    rows, length = token_rewards.shape
    running = torch.zeros(rows, length + 1, dtype=torch.float64)
    running[:, 1:] = torch.cumsum(token_rewards.detach().double().cpu(), 1)
    row, start = turns.row.cpu(), turns.start.cpu()
    same_before = torch.cat([torch.zeros(1, dtype=torch.bool), row[1:] == row[:-1]]) if len(row) else row.bool()
    begin = torch.where(same_before, start, torch.zeros_like(start))
    same_after = torch.cat([row[1:] == row[:-1], torch.zeros(1, dtype=torch.bool)]) if len(row) else row.bool()
    following = torch.cat([start[1:], start[:1]]) if len(row) else start
    end = torch.where(same_after, following, torch.full_like(start, length))
    return running[row, end] - running[row, begin]


def rows_of(
    token_rewards: torch.Tensor, mask: torch.Tensor, groups: "Sequence[Hashable]", values: "torch.Tensor | None" = None
) -> "tuple[list[Row], Turns]":
    """Returns the rows of a batch and their turns.

    R^I is the reward of each turn except the last; R^O is the reward of the last turn.
    """
    turns = find_turns(mask)
    rewards = turn_rewards(token_rewards, turns).tolist()
    rows, starts, lengths = turns.row.tolist(), turns.start.tolist(), turns.length.tolist()
    turns_of_row: "list[list[int]]" = [[] for _ in range(mask.shape[0])]
    for turn, row in enumerate(rows):
        turns_of_row[row].append(turn)
    critic = None if values is None else values.detach().double().cpu().tolist()
    results = []
    for row, members in enumerate(turns_of_row):
        fields: "list[dict[str, Any]]" = []
        if critic is not None:
            fields = [{"values": critic[row][starts[t] : starts[t] + lengths[t]]} for t in members]
        outcome = rewards[members[-1]] if members else 0.0
        results.append(Row(groups[row], [rewards[t] for t in members], outcome, [lengths[t] for t in members], fields))
    return results, turns


def to_tokens(advantage: "Sequence[Sequence[Any]]", turns: Turns, like: torch.Tensor) -> torch.Tensor:
    """Returns the advantage of each token, or of its turn [rows, tokens]; 0 outside of turns and in pruned turns.

    `like`: tensor with the data type and the device of the result.
    """
    flat = [0.0 if value is None else value for row in advantage for value in row]
    if any(isinstance(value, list) for value in flat):
        result = torch.zeros(turns.of_token.shape, dtype=torch.float64)
        numbers = [number for value in flat for number in (value if isinstance(value, list) else [value])]
        result[turns.of_token.cpu() >= 0] = torch.tensor(numbers, dtype=torch.float64)
    else:
        # The additional 0 has index -1: tokens outside of turns.
        result = torch.tensor([*flat, 0.0], dtype=torch.float64)[turns.of_token.cpu()]
    return result.to(dtype=like.dtype, device=like.device)


def batch_advantages(
    rule: Rule,
    token_rewards: torch.Tensor,
    mask: torch.Tensor,
    groups: "Sequence[Hashable]",
    values: "torch.Tensor | None" = None,
    see: "Callable[[list[Row]], None] | None" = None,
) -> "tuple[torch.Tensor, torch.Tensor]":
    """Computes (advantages, returns), both [rows, tokens] with zeros outside of turns.

    The returns equal the advantages, as in verl's group estimators. For a rule with one advantage per token, they are
    the advantages plus the values. `see` is called with the rows before the rule runs. Raises GroupError, with group
    and row, for a reward that is not finite.
    """
    rows, turns = rows_of(token_rewards, mask, groups, values)
    if see is not None:
        see(rows)
    like = token_rewards if token_rewards.is_floating_point() else token_rewards.float()
    credits = credit_rows(rule, rows)
    advantages = to_tokens(credits, turns, like)
    if values is None or not any(isinstance(value, list) for row in credits for value in row):
        return advantages, advantages
    is_policy = turns.of_token.to(like.device) >= 0
    return advantages, advantages + torch.where(is_policy, values.to(like), 0)
