"""Credit of rollout files of any size, computed with Ray Data by all available workers.

    lines = turnwise_rl.ray.credit(turnwise_rl.ray.read("s3://bucket/rollouts/"), rule="mt-grpo")

A dataset has the column `text`, with one group per row as a line of JSON. In the result, this column has the lines that
`python -m turnwise_rl credit` writes.
"""

import json
from typing import IO, Any

from .installation import install_command

try:
    import ray.data
except ImportError as error:
    raise ImportError(f"turnwise_rl.ray needs Ray: {install_command('ray')} ({error})") from error

from .core import PROFILES, GroupError, trajectories
from .jsonl import credit_line, read_group
from .result import mean_of
from .rows import parse_rule


def read(paths: Any, **options: Any) -> "ray.data.Dataset":
    """Returns a dataset of the lines of files, in their order. `options`: keywords of `ray.data.read_text`."""
    ray.data.DataContext.get_current().execution_options.preserve_order = True
    return ray.data.read_text(paths, **options)


def credit(dataset: "ray.data.Dataset", rule: str = "mt-grpo", workers: "int | None" = None, batch_size: int = 256) -> "ray.data.Dataset":
    """Returns a dataset with the credit of each group, one line per group.

    `rule`: name as in configurations, `mt-grpo?alpha=.9` or `file:./my_rule.py`. This process reads a rule file and
    sends it to the workers. Raises RuleError and ParameterError immediately, and a GroupError of a worker when the
    result is read.
    """
    loaded = parse_rule(rule)

    def work(batch: "dict[str, Any]") -> "dict[str, Any]":
        groups = [read_group(str(line)) for line in batch["text"] if str(line).strip()]
        return {"text": [credit_line(group, loaded(group)).rstrip("\n") for group in groups]}

    return dataset.map_batches(work, batch_size=batch_size, concurrency=workers)


def write(dataset: "ray.data.Dataset", out: "IO[str]") -> int:
    """Writes the lines of a dataset in their order. Returns the number of lines."""
    count = 0
    for row in dataset.iter_rows():
        out.write(f"{row['text']}\n")
        count += 1
    return count


def summary(dataset: "ray.data.Dataset", rule: str = "mt-grpo", workers: "int | None" = None) -> "dict[str, float]":
    """Returns statistics of the credit: counts of groups and turns, share of groups without credit, largest advantage.

    `silent`: share of groups in which all advantages are 0. `largest`: largest magnitude of the mean advantage of a
    turn. Raises GroupError for a dataset without groups, and as `credit` does.
    """
    loaded = parse_rule(rule)

    def statistics(batch: "dict[str, Any]") -> "dict[str, Any]":
        credits = [loaded(read_group(str(line))) for line in batch["text"] if str(line).strip()]
        means = [[abs(mean_of(value) or 0.0) for value in result.advantage] for result in credits]
        return {
            "groups": [len(credits)],
            "turns": [sum(map(len, means))],
            "silent": [sum(not any(values) for values in means)],
            "largest": [max((max(values, default=0.0) for values in means), default=0.0)],
        }

    batches = dataset.map_batches(statistics, batch_size=256, concurrency=workers).take_all()
    groups = sum(int(batch["groups"]) for batch in batches)
    if groups == 0:
        raise GroupError("has no groups")
    return {
        "groups": groups,
        "turns": sum(int(batch["turns"]) for batch in batches),
        "silent": sum(int(batch["silent"]) for batch in batches) / groups,
        "largest": max(float(batch["largest"]) for batch in batches),
    }


def reconcile(dataset: "ray.data.Dataset", rule: str = "grpo-or", tolerance: float = 1e-4, field: str = "advantage") -> "dict[str, Any]":
    """Compares the advantages in a file, `field` of its turns, with the advantages under each profile.

    Returns, for each profile, the number of groups, the number of groups that are equal within the tolerance, and the
    id of the first group that differs, or None. A rollout can have the field only on its last turn. Raises GroupError
    for a turn without the field.
    """
    name, _, query = rule.partition("?")
    rules = {profile: parse_rule(f"{name}?{query}{'&' if query else ''}profile={profile}") for profile in PROFILES}

    def compared(batch: "dict[str, Any]") -> "dict[str, Any]":
        rows: "dict[str, list[Any]]" = {"id": [], **{profile: [] for profile in rules}}
        for text in batch["text"]:
            group, record = read_group(str(text)), json.loads(str(text))
            used = [turn.get(field) for turn in record["turns"]]
            for path in trajectories(group):
                # TRL logs one advantage per rollout, on its last turn.
                if all(used[turn] is None for turn in path[:-1]):
                    for turn in path[:-1]:
                        used[turn] = used[path[-1]]
            if None in used:
                raise GroupError(f"is missing; the advantages of {rule} cannot be compared without it", used.index(None), field, group=group.id)
            rows["id"].append(group.id)
            for profile, profile_rule in rules.items():
                expected = [mean_of(value) or 0.0 for value in profile_rule(group).advantage]
                rows[profile].append(all(abs(a - b) <= tolerance * max(1.0, abs(b)) for a, b in zip(expected, used)))
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
