"""Padded batches of PyTorch as rows: what the plug-ins for verl, SkyRL and TRL share."""

from typing import Any, Callable, Hashable, NamedTuple, Sequence

import torch

from .rows import Row, credit_rows
from .rule import Rule


class Turns(NamedTuple):
    """The runs of ones of a mask, row by row."""

    row: torch.Tensor  # [turns]
    start: torch.Tensor  # [turns]: place of the first token
    length: torch.Tensor  # [turns]: tokens
    of_token: torch.Tensor  # [rows, tokens]: index of the token's turn; -1 outside of turns


def find_turns(mask: torch.Tensor) -> Turns:
    """The turns of a batch. `mask` [rows, tokens]: not zero where the policy wrote a token that is trained on."""
    own = mask != 0
    edge = torch.zeros_like(own[:, :1])
    first = own & ~torch.cat([edge, own[:, :-1]], dim=1)
    last = own & ~torch.cat([own[:, 1:], edge], dim=1)
    row, start = first.nonzero(as_tuple=True)
    _, end = last.nonzero(as_tuple=True)
    count = torch.cumsum(first.flatten(), 0).view_as(own) - 1
    return Turns(row, start, end - start + 1, torch.where(own, count, -1))


def turn_rewards(token_rewards: torch.Tensor, turns: Turns) -> torch.Tensor:
    """[turns], float64: the sum of the rewards from the first token of a turn up to the next turn.

    What stands on tokens of an observation belongs to the turn before; what stands before the first turn, to the first.
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
    """The rows of a batch: R^I are the rewards of all turns but the last, R^O is that of the last."""
    turns = find_turns(mask)
    paid = turn_rewards(token_rewards, turns).tolist()
    rows, starts, lengths = turns.row.tolist(), turns.start.tolist(), turns.length.tolist()
    own: "list[list[int]]" = [[] for _ in range(mask.shape[0])]
    for turn, row in enumerate(rows):
        own[row].append(turn)
    critic = None if values is None else values.detach().double().cpu().tolist()
    made = []
    for row, members in enumerate(own):
        fields: "list[dict[str, Any]]" = []
        if critic is not None:
            fields = [{"values": critic[row][starts[t] : starts[t] + lengths[t]]} for t in members]
        outcome = paid[members[-1]] if members else 0.0
        made.append(Row(groups[row], [paid[t] for t in members], outcome, [lengths[t] for t in members], fields))
    return made, turns


def to_tokens(advantage: "Sequence[Sequence[Any]]", turns: Turns, like: torch.Tensor) -> torch.Tensor:
    """[rows, tokens]: each token gets the advantage of its turn, or its own; 0 outside of turns and where a turn is pruned."""
    flat = [0.0 if value is None else value for row in advantage for value in row]
    if any(isinstance(value, list) for value in flat):
        result = torch.zeros(turns.of_token.shape, dtype=torch.float64)
        ones = [one for value in flat for one in (value if isinstance(value, list) else [value])]
        result[turns.of_token.cpu() >= 0] = torch.tensor(ones, dtype=torch.float64)
    else:
        # The one more is what the index -1 finds: tokens outside of turns.
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
    """(advantages, returns), both [rows, tokens] with zeros outside of turns. `see` gets the rows before they are credited.

    Returns are the advantages, as verl's group estimators have it; for a rule with advantages a token, these and the values.
    Raises GroupError for a reward that is not finite, naming group and row.
    """
    rows, turns = rows_of(token_rewards, mask, groups, values)
    if see is not None:
        see(rows)
    like = token_rewards if token_rewards.is_floating_point() else token_rewards.float()
    credited = credit_rows(rule, rows)
    advantages = to_tokens(credited, turns, like)
    if values is None or not any(isinstance(value, list) for row in credited for value in row):
        return advantages, advantages
    own = turns.of_token.to(like.device) >= 0
    return advantages, advantages + torch.where(own, values.to(like), 0)
