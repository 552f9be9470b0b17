"""Peer of bench/processor.ts: the same network, training step and generation in eager PyTorch on one thread.

Usage: python torchPeer.py WORKLOAD.json

WORKLOAD.json has `config`, `parameters` (a file of little-endian float32, in the order of `tensors`), `tensors`
([name, shape, offset]), `settings` of the loss and AdamW, `lessons` and `rollouts` (see bench/workload.ts).
The program reads one command per line, `step` or `generate`, and replies with one line of JSON:
`{"ms", "loss", "gradientNorm"}` or `{"ms"}`.
"""

import json
import sys
import time

import numpy
import torch
from torch.nn import functional

torch.set_num_threads(1)

with open(sys.argv[1], encoding="utf-8") as file:
    WORK = json.load(file)
CONFIG = WORK["config"]
HEADS, WIDTH = CONFIG["heads"], CONFIG["dim"] // CONFIG["heads"]


def load_parameters():
    """Returns the tensors by name. Matrices are [out, in]; matrices with the same input are joined."""
    flat = torch.from_numpy(numpy.fromfile(WORK["parameters"], dtype="<f4"))
    named = {}
    for name, shape, offset in WORK["tensors"]:
        size = int(numpy.prod(shape))
        named[name] = flat[offset : offset + size].reshape(shape).clone()
    for layer in range(CONFIG["layers"]):
        for joined, parts in (("qkv", ("q", "k", "v")), ("gateUp", ("gate", "up"))):
            named[f"layers.{layer}.{joined}"] = torch.cat([named.pop(f"layers.{layer}.{part}") for part in parts])
    return named


def rotation_table():
    """Returns cosine and sine, each [context, 1, WIDTH]."""
    pair = torch.arange(WIDTH) % (WIDTH // 2)
    angles = torch.arange(CONFIG["context"])[:, None] * CONFIG["ropeBase"] ** (-pair / (WIDTH / 2))
    return angles.cos()[:, None], angles.sin()[:, None]


COS, SIN = rotation_table()


def norm(x, weight):
    return functional.rms_norm(x, (CONFIG["dim"],), weight, CONFIG["normEps"])


def rotate(x, positions):
    """Applies the rotary embedding to x [batch, tokens, heads, WIDTH] at positions [batch, tokens]."""
    first, second = x.chunk(2, -1)
    return x * COS[positions] + torch.cat([-second, first], -1) * SIN[positions]


def forward(weights, tokens, previous, has_previous, positions, attend):
    """Runs the network.

    Args:
        tokens, previous, positions: [batch, tokens]
        has_previous: [batch, tokens] 0 at the start of a sequence
        attend: function of layer, queries, keys and values, each [batch, heads, tokens, WIDTH]

    Returns:
        Normalised hidden states [batch, tokens, dim].
    """
    embed = weights["embed"]
    x = embed[tokens] + embed[previous] * weights["smear"] * has_previous[..., None]
    batch, count = tokens.shape
    for layer in range(CONFIG["layers"]):
        part = lambda name: weights[f"layers.{layer}.{name}"]  # noqa: E731
        projected = norm(x, part("attnNorm")) @ part("qkv").T
        q, k, v = (piece.reshape(batch, count, HEADS, WIDTH) for piece in projected.chunk(3, -1))
        q, k = rotate(q, positions), rotate(k, positions)
        attended = attend(layer, q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2))
        x = x + attended.transpose(1, 2).reshape(batch, count, -1) @ part("o").T
        gate, up = (norm(x, part("ffNorm")) @ part("gateUp").T).chunk(2, -1)
        x = x + (functional.silu(gate) * up) @ part("down").T
    return norm(x, weights["norm"])


class Training:
    """Training steps on the lessons, padded to the longest lesson."""

    def __init__(self):
        lessons = WORK["lessons"]
        length = max(len(lesson["tokens"]) for lesson in lessons)
        table = lambda key, kind: torch.tensor(  # noqa: E731
            [lesson[key] + [0] * (length - len(lesson[key])) for lesson in lessons], dtype=kind
        )
        tokens = table("tokens", torch.long)
        self.inputs, self.targets = tokens[:, :-1], tokens[:, 1:]
        self.previous = torch.roll(self.inputs, 1, 1)
        self.has_previous = torch.ones(self.inputs.shape)
        self.has_previous[:, 0] = 0
        self.positions = torch.arange(length - 1).expand(self.inputs.shape)
        self.weights, self.advantages, self.old = (
            table(key, torch.float32)[:, 1:] for key in ("weights", "advantages", "oldLogProbs")
        )
        self.parameters = {name: tensor.requires_grad_() for name, tensor in load_parameters().items()}
        settings = WORK["settings"]["adamw"]
        self.optimizer = torch.optim.AdamW(
            self.parameters.values(),
            lr=settings["learningRate"],
            betas=(settings["beta1"], settings["beta2"]),
            eps=settings["epsilon"],
            weight_decay=0,
        )

    def step(self):
        settings = WORK["settings"]
        attend = lambda _, q, k, v: functional.scaled_dot_product_attention(q, k, v, is_causal=True)  # noqa: E731
        hidden = forward(self.parameters, self.inputs, self.previous, self.has_previous, self.positions, attend)
        log_probs = functional.log_softmax(hidden @ self.parameters["embed"].T, -1)
        ratio = (log_probs.gather(-1, self.targets[..., None])[..., 0] - self.old).exp()
        clipped = ratio.clamp(1 - settings["clipLow"], 1 + settings["clipHigh"])
        loss = -(torch.minimum(ratio * self.advantages, clipped * self.advantages) * self.weights).sum()
        self.optimizer.zero_grad()
        loss.backward()
        gradient_norm = torch.nn.utils.clip_grad_norm_(self.parameters.values(), settings["adamw"]["clipNorm"])
        self.optimizer.step()
        return {"loss": loss.item(), "gradientNorm": gradient_norm.item()}


class Generation:
    """Generation of the turns of the rollouts with a cache of keys and values.

    All sequences use the same slots of the cache; slots that a shorter turn leaves empty are masked. Tokens of the
    environment and lengths of turns are read from the rollouts, so drawn tokens do not change the amount of work.
    """

    def __init__(self):
        self.weights = load_parameters()
        self.rollouts = WORK["rollouts"]
        self.turns, self.slots = self.prepare(WORK["turnLimits"])

    def prepare(self, limits):
        used = [[] for _ in self.rollouts]
        turns, start = [], 0
        for turn, limit in enumerate(limits):
            ranges = []
            for rollout in self.rollouts:
                turn_of = rollout["turnOf"]
                end = turn_of.index(turn) if turn in turn_of else len(turn_of)
                # The last token of the previous turn was drawn but did not go through the network.
                first = 0 if turn == 0 else max((i for i, of in enumerate(turn_of) if of == turn - 1), default=-1)
                ranges.append((first, end))
            width = max(end - first for first, end in ranges)
            mask = torch.zeros(len(ranges), limit_slots := start + width + limit - 1, dtype=torch.bool)
            for row, (first, end) in enumerate(ranges):
                used[row] += range(start + width - (end - first), start + width)
                mask[row, used[row]] = True
                mask[row, start + width :] = True
                written = sum(of == turn for of in self.rollouts[row]["turnOf"])
                used[row] += range(start + width, start + width + max(0, written - 1))
            columns = lambda value: torch.tensor(  # noqa: E731
                [[value(row, end - width + i) for i in range(width)] for row, (_, end) in enumerate(ranges)]
            )
            tokens = lambda back: columns(  # noqa: E731
                lambda row, at: self.rollouts[row]["tokens"][max(0, at - back)]
            )
            turns.append(
                {
                    "start": start,
                    "width": width,
                    "limit": limit,
                    "mask": mask,
                    "tokens": tokens(0),
                    "previous": tokens(1),
                    "has_previous": columns(lambda _, at: float(at > 0)),
                    "positions": columns(lambda _, at: max(0, at)),
                }
            )
            start = limit_slots
        return turns, start

    @torch.no_grad()
    def generate(self):
        shape = (CONFIG["layers"], len(self.rollouts), HEADS, self.slots, WIDTH)
        keys, values = torch.zeros(shape), torch.zeros(shape)
        for turn in self.turns:
            tokens, previous, positions = turn["tokens"], turn["previous"], turn["positions"]
            has_previous, slot = turn["has_previous"], turn["start"]
            for _ in range(turn["limit"]):
                end = slot + tokens.shape[1]
                reach = torch.arange(end) <= torch.arange(slot, end)[:, None]
                # A padded token attends to itself, because a softmax over no positions is NaN.
                itself = torch.arange(end) == torch.arange(slot, end)[:, None]
                mask = ((reach & turn["mask"][:, None, :end]) | itself)[:, None]

                def attend(layer, q, k, v):
                    keys[layer, :, :, slot:end], values[layer, :, :, slot:end] = k, v
                    past = (keys[layer, :, :, :end], values[layer, :, :, :end])
                    return functional.scaled_dot_product_attention(q, *past, attn_mask=mask)

                hidden = forward(self.weights, tokens, previous, has_previous, positions, attend)
                logits = hidden[:, -1] @ self.weights["embed"].T
                drawn = torch.multinomial(logits.softmax(-1), 1)
                functional.log_softmax(logits, -1).gather(-1, drawn)
                previous, tokens = tokens[:, -1:], drawn
                positions, has_previous = positions[:, -1:] + 1, torch.ones(drawn.shape)
                slot = end
        return {}


def main():
    sides = {"step": Training().step, "generate": Generation().generate}
    print(json.dumps({"torch": torch.__version__}), flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        result = sides[line.strip()]()
        print(json.dumps({"ms": 1000 * (time.perf_counter() - start), **result}), flush=True)


main()
