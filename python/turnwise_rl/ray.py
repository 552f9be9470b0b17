"""Ray Data: the credit of rollout files of any size, with as many workers as there are.

    lines = turnwise_rl.ray.credit(turnwise_rl.ray.read("s3://bucket/rollouts/"), rule="mt-grpo")

A dataset has a column `text`, a group as a line of JSON; so has the result, the lines that `python -m turnwise_rl credit` gives.
"""

import json
from typing import IO, Any

try:
    import ray.data
except ImportError as error:
    raise ImportError(f"turnwise_rl.ray needs Ray: pip install 'turnwise-rl[ray]' ({error})") from error

from .core import PROFILES, GroupError, trajectories
from .jsonl import credit_line, read_group
from .result import mean_of
from .rows import parse_rule


def read(paths: Any, **options: Any) -> "ray.data.Dataset":
    """Lines of files, in their order. Options are those of `ray.data.read_text`."""
    ray.data.DataContext.get_current().execution_options.preserve_order = True
    return ray.data.read_text(paths, **options)


def credit(dataset: "ray.data.Dataset", rule: str = "mt-grpo", workers: "int | None" = None, batch_size: int = 256) -> "ray.data.Dataset":
    """What a rule says of each group of a dataset, a line each.

    `rule` as in configurations: `mt-grpo?alpha=.9`, `file:./my_rule.py`. A file is read here and sent to the workers.
    Raises RuleError and ParameterError at once; GroupError of a worker when the result is read.
    """
    own = parse_rule(rule)

    def work(batch: "dict[str, Any]") -> "dict[str, Any]":
        groups = [read_group(str(line)) for line in batch["text"] if str(line).strip()]
        return {"text": [credit_line(group, own(group)).rstrip("\n") for group in groups]}

    return dataset.map_batches(work, batch_size=batch_size, concurrency=workers)


def write(dataset: "ray.data.Dataset", out: "IO[str]") -> int:
    """Writes the lines of a dataset in their order; how many."""
    count = 0
    for row in dataset.iter_rows():
        out.write(f"{row['text']}\n")
        count += 1
    return count


def summary(dataset: "ray.data.Dataset", rule: str = "mt-grpo", workers: "int | None" = None) -> "dict[str, float]":
    """Groups, turns, the share of groups in which every advantage is 0, and the largest advantage by magnitude."""
    own = parse_rule(rule)

    def told(batch: "dict[str, Any]") -> "dict[str, Any]":
        credits = [own(read_group(str(line))) for line in batch["text"] if str(line).strip()]
        means = [[abs(mean_of(value) or 0.0) for value in made.advantage] for made in credits]
        return {
            "groups": [len(credits)],
            "turns": [sum(map(len, means))],
            "silent": [sum(not any(own) for own in means)],
            "largest": [max((max(own, default=0.0) for own in means), default=0.0)],
        }

    made = dataset.map_batches(told, batch_size=256, concurrency=workers).take_all()
    groups = sum(int(one["groups"]) for one in made)
    if groups == 0:
        raise GroupError("has no groups")
    return {
        "groups": groups,
        "turns": sum(int(one["turns"]) for one in made),
        "silent": sum(int(one["silent"]) for one in made) / groups,
        "largest": max(float(one["largest"]) for one in made),
    }


def reconcile(dataset: "ray.data.Dataset", rule: str = "grpo-or", tolerance: float = 1e-4, field: str = "advantage") -> "dict[str, Any]":
    """Which profile's constants give the advantages that a file says were used, in `field` of its turns.

    For each profile: groups, how many of them are equal within the tolerance, and the id of the first that is not.
    A rollout may have the field on its last turn alone. Raises GroupError for a turn without the field.
    """
    name, _, query = rule.partition("?")
    rules = {profile: parse_rule(f"{name}?{query}{'&' if query else ''}profile={profile}") for profile in PROFILES}

    def compared(batch: "dict[str, Any]") -> "dict[str, Any]":
        rows: "dict[str, list[Any]]" = {"id": [], **{profile: [] for profile in rules}}
        for text in batch["text"]:
            group, record = read_group(str(text)), json.loads(str(text))
            used = [turn.get(field) for turn in record["turns"]]
            for path in trajectories(group):
                # TRL logs one advantage a rollout, which stands on its last turn.
                if all(used[turn] is None for turn in path[:-1]):
                    for turn in path[:-1]:
                        used[turn] = used[path[-1]]
            if None in used:
                raise GroupError(f"is missing; {rule} has nothing to be compared with", used.index(None), field, group=group.id)
            rows["id"].append(group.id)
            for profile, one in rules.items():
                made = [mean_of(value) or 0.0 for value in one(group).advantage]
                rows[profile].append(all(abs(a - b) <= tolerance * max(1.0, abs(b)) for a, b in zip(made, used)))
        return rows

    rows = dataset.map_batches(compared, batch_size=256).take_all()
    return {
        profile: {
            "groups": len(rows),
            "equal": sum(bool(row[profile]) for row in rows),
            "first": next((str(row["id"]) for row in rows if not row[profile]), None),
        }
        for profile in rules
    }
