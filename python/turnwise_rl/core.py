"""What a rule file may import from `turnwise_rl`: a group of rollouts and the arithmetic that rules share.

Standard library alone, in one file: `export` and the sandbox of the page put this very text before a rule.
Sums run in the order given, one number after the other, because `sum` rounds otherwise from Python 3.12 on.
"""

import math
from typing import Annotated, Any, Iterable, Sequence


class GroupError(ValueError):
    """A group that cannot be read; its text names file, line, group, turn and field as far as they are known."""

    def __init__(self, problem: str, turn: "int | None" = None, field: "str | None" = None, **place: Any):
        self.problem, self.turn, self.field = problem, turn, field
        self.file, self.line, self.group = place.get("file"), place.get("line"), place.get("group")
        super().__init__(problem)

    def at(self, **place: Any) -> "GroupError":
        """The same error, with more of its place."""
        known = {name: getattr(self, name) for name in ("file", "line", "group") if getattr(self, name) is not None}
        return GroupError(self.problem, self.turn, self.field, **{**known, **place})

    def __str__(self) -> str:
        parts = [self.file] if self.file is not None else []
        parts += [f"line {self.line}"] if self.line is not None else []
        parts += [f"group {_quoted(self.group)}"] if self.group is not None else []
        parts += [f"turn {self.turn}"] if self.turn is not None else []
        parts += [f'field "{self.field}"'] if self.field is not None else []
        return f"{', '.join(parts)}: {self.problem}" if parts else self.problem


class Range:
    """Bounds and help of a number among a rule's parameters: `alpha: Annotated[float, Range(0, 1)] = 1.0`."""

    def __init__(self, low: float, high: float, help: str = ""):
        self.low, self.high, self.help = low, high, help


class Corners:
    """The constants of a profile that may be given one by one: `profile: Annotated[str, Corners("ddof")] = "trl"`."""

    def __init__(self, *names: str):
        self.names = names


Profile = Annotated[str, Corners("ddof", "epsilon", "scale", "singleton")]


class ListOf:
    """Marks a parameter that is a list of whole numbers from 1, written "4,8": how many, and the largest."""

    def __init__(self, most: int, largest: int):
        self.most, self.largest = most, largest


Whole = Annotated[str, ListOf(8, 65536)]


class Turn:
    """One generation by the policy. What its record lacks is None, the reward is 0.0 then.

    Other fields of the record are in `fields`, and attributes of their own names: `turn.components["format"]`.
    """

    __slots__ = (
        "parent",  # index of the turn that it continues, -1 for a first turn
        "reward",  # the turn's own
        "outcome",  # the trajectory's, on its last turn
        "solved",
        "passed",  # result of each unit test, 0 or 1
        "state",
        "action",
        "validates",
        "tokens",  # how many the policy wrote
        "logProb",  # log-probability of those tokens under the policy that wrote them, their sum; nats
        "values",  # the critic's value at each of them
        "belief",  # mean log-probability of the right answer, were it asked for before the turn, nats
        "worth",  # mean return of episodes that the policy played on from before the turn
        "fields",  # everything else, by name
    )

    def __init__(
        self, parent=-1, reward=0.0, outcome=None, solved=None, passed=None, state=None, action=None, validates=None,
        tokens=None, logProb=None, values=None, fields=None, **more: Any,
    ):  # fmt: skip
        # A file has millions of turns, so each field is assigned by its name.
        self.parent, self.reward, self.outcome, self.solved = parent, reward, outcome, solved
        self.passed = tuple(passed) if type(passed) is list else passed
        self.state, self.action, self.validates = state, action, validates
        self.tokens, self.logProb = tokens, logProb
        self.values = tuple(values) if type(values) is list else values
        self.belief, self.worth = more.pop("belief", None), more.pop("worth", None)
        self.fields: "dict[str, Any]" = {**fields, **more} if fields else more

    def __getattr__(self, name: str) -> Any:
        fields = {} if name == "fields" else self.fields
        if name in fields:
            return fields[name]
        raise AttributeError(f"a turn has no field {name!r}; it has {', '.join(sorted(fields)) or 'no others'}")


class Group:
    """Everything sampled for one prompt: a forest of turns. Parents stand before their children.

    `outcome_is_total`: whether outcomes contain the rewards of turns; None if the file does not say so.
    """

    __slots__ = ("id", "turns", "outcome_is_total")

    def __init__(self, id: str, turns: Iterable[Any], outcome_is_total: "bool | None" = None):
        """Takes turns, or records of them with the fields of `Turn`. Raises GroupError for a parent that is no earlier turn."""
        self.id, self.outcome_is_total = id, outcome_is_total
        self.turns = tuple([turn if isinstance(turn, Turn) else Turn(**turn) for turn in turns])
        for index, turn in enumerate(self.turns):
            if type(turn.parent) is not int or not -1 <= turn.parent < index:
                expected = "-1" if index == 0 else f"-1 or an earlier turn (0 to {index - 1})"
                raise GroupError(f"{turn.parent} is not {expected}", index, "parent")


def with_totals(rewards: "str | None", group: Group) -> Group:
    """The group with rewards and outcomes as a rule reads them.

    `rewards`: what the rule takes, the constant `REWARDS` of its file. "outcome": outcomes as they are. "attempts": the reward of
    every turn, the last one included. None: turn rewards and the outcome. Without `outcome_is_total`, the last turn of an attempt
    is paid the outcome only if no turn has a reward.
    """
    attempts, total_ = rewards == "attempts", group.outcome_is_total
    if rewards == "outcome" or not (attempts or total_):
        return group
    if attempts and total_ is None and any(turn.reward != 0 for turn in group.turns):
        return group
    before: "list[float]" = []
    turns = []
    after = children(group)
    for index, turn in enumerate(group.turns):
        before.append(0.0 if turn.parent < 0 else before[turn.parent] + group.turns[turn.parent].reward)
        own = {name: getattr(turn, name) for name in Turn.__slots__}
        if not after[index] and turn.outcome is not None:
            rest = turn.outcome - before[index]
            if not attempts:
                own.update(reward=0.0, outcome=rest)
            else:
                own.update(reward=rest if total_ else turn.reward + turn.outcome)
        turns.append(own)
    return Group(group.id, turns, total_ if attempts else False)


def children(group: Group) -> "list[list[int]]":
    """[turns]: the turns that continue each turn, in order."""
    result: "list[list[int]]" = [[] for _ in group.turns]
    for index, turn in enumerate(group.turns):
        if turn.parent >= 0:
            result[turn.parent].append(index)
    return result


def roots(group: Group) -> "list[int]":
    """The first turns, in order."""
    return [index for index, turn in enumerate(group.turns) if turn.parent < 0]


def depth(group: Group) -> "list[int]":
    """[turns]: 0 for a first turn."""
    result: "list[int]" = []
    for turn in group.turns:
        result.append(0 if turn.parent < 0 else result[turn.parent] + 1)
    return result


def trajectories(group: Group) -> "list[list[int]]":
    """The paths from a first turn to a leaf, in the order of the first turns.

    Raises GroupError where several turns continue one, or a reward is not finite.
    """
    rewards(group)
    after = children(group)
    for turn, several in enumerate(after):
        if len(several) > 1:
            named = ", ".join(map(str, several[:5])) + (f" and {len(several) - 5} more" if len(several) > 5 else "")
            raise GroupError(f"this rule needs trajectories, but turns {named} all continue this turn", turn, "parent")
    paths = []
    for first in roots(group):
        path = [first]
        while after[path[-1]]:
            path.append(after[path[-1]][0])
        paths.append(path)
    return paths


def levels(paths: "list[list[int]]") -> "list[list[int]]":
    """Turn l of every trajectory in which it is an intermediate turn, for each l: last turns are in none."""
    longest = max((len(path) for path in paths), default=1)
    return [[path[level] for path in paths if level < len(path) - 1] for level in range(longest - 1)]


def positions(paths: "list[list[int]]") -> "list[list[int]]":
    """The turns that trajectories have at the same position, last turns too."""
    longest = max((len(path) for path in paths), default=0)
    return [[path[k] for path in paths if k < len(path)] for k in range(longest)]


def less_peers(values: "list[float]", lists: "Iterable[list[int]]", rollouts: int = 1) -> "list[float]":
    """[turns]: each value less the mean of the others of its list. A turn without others is compared with all other rollouts,
    whose values and that of the turn sum to 0 (with alpha 1 exactly)."""
    result = [*values]
    for members in lists:
        together = total(values[turn] for turn in members)
        for turn in members:
            if len(members) > 1:
                result[turn] -= (together - values[turn]) / (len(members) - 1)
            elif rollouts > 1:
                result[turn] *= rollouts / (rollouts - 1)
    return result


def spread(group: Group, paths: "list[list[int]]", values: Sequence[float]) -> "list[float]":
    """[turns]: each turn gets the value of its trajectory."""
    result = [0.0] * len(group.turns)
    for path, value in zip(paths, values):
        for turn in path:
            result[turn] = value
    return result


def rewards(group: Group) -> "list[float]":
    """[turns]. Raises GroupError for one that is not finite."""
    values = [turn.reward for turn in group.turns]
    # A finite sum has finite terms.
    if not math.isfinite(sum(values)):
        for index, value in enumerate(values):
            if not math.isfinite(value):
                raise GroupError(f"{_shown(value)} is not a finite number", index, "reward")
    return values


def outcomes(group: Group, paths: "list[list[int]]", missing: "float | None" = None) -> "list[float]":
    """[trajectories]: R^O of their last turns. Raises GroupError where one has none (unless `missing` stands for it)."""
    result = []
    for path in paths:
        outcome = group.turns[path[-1]].outcome
        outcome = missing if outcome is None else outcome
        if outcome is None or math.isnan(outcome):
            raise GroupError("missing on the last turn of a trajectory", path[-1], "outcome")
        if math.isinf(outcome):
            raise GroupError(f"{_shown(outcome)} is not a finite number", path[-1], "outcome")
        result.append(outcome)
    return result


def signature(group: Group, turn: int, field: str) -> str:
    """The `state` or `action` of a turn. Raises GroupError where there is none."""
    text = getattr(group.turns[turn], field)
    if type(text) is str:
        return text
    found = "missing" if text is None else f"{text!r} is not a string"
    raise GroupError(f"{found}; this rule compares turns by it", turn, field)


def token_values(group: Group) -> "list[list[float]]":
    """[turns][tokens]: the critic's values. Raises GroupError for a turn that lacks tokens, or one finite value for each."""
    result = []
    for index, turn in enumerate(group.turns):
        tokens = _tokens(turn, index)
        if turn.values is None or len(turn.values) != tokens:
            found = "missing" if turn.values is None else f"{len(turn.values)} numbers"
            raise GroupError(f"{found}; each of the turn's {tokens} tokens needs one", index, "values")
        for place, value in enumerate(turn.values):
            if not math.isfinite(value):
                raise GroupError(f"[{place}] is {_shown(value)}, not a finite number", index, "values")
        result.append(list(turn.values))
    return result


def token_weights(group: Group) -> "list[int]":
    """[turns]: the tokens of each, or 1 in a group whose turns have none. Raises GroupError where some have none, or 0."""
    if all(turn.tokens is None for turn in group.turns):
        return [1] * len(group.turns)
    return token_counts(group)


def answer_probabilities(group: Group) -> "list[float]":
    """[turns]: how probable the policy found the right answer before each turn. Raises GroupError for a turn without `belief`."""
    result = []
    for index, turn in enumerate(group.turns):
        if type(turn.belief) is not float or not turn.belief <= 0:
            found = "missing" if turn.belief is None else f"{_shown(turn.belief)} is no log-probability"
            raise GroupError(f"{found}; this rule pays a turn by what it makes the right answer more probable", index, "belief")
        result.append(math.exp(turn.belief))
    return result


def log_probs(group: Group) -> "list[float]":
    """[turns]: log-probability of each turn under the policy that wrote it. Raises GroupError for a turn without `logProb`."""
    for index, turn in enumerate(group.turns):
        if type(turn.logProb) is not float or not -math.inf < turn.logProb <= 0:
            found = "missing" if turn.logProb is None else f"{_shown(turn.logProb)} is no log-probability"
            raise GroupError(f"{found}; this rule weights a turn by how probable the policy found it", index, "logProb")
    return [turn.logProb for turn in group.turns]


def token_counts(group: Group) -> "list[int]":
    """[turns]. Raises GroupError for a turn without tokens."""
    return [_tokens(turn, index) for index, turn in enumerate(group.turns)]


def _tokens(turn: Turn, index: int) -> int:
    if type(turn.tokens) is int and turn.tokens > 0:
        return turn.tokens
    found = "missing" if turn.tokens is None else turn.tokens
    raise GroupError(f"{found}: this rule needs a whole number above 0", index, "tokens")


def worths(group: Group) -> "list[float]":
    """[turns]: what episodes return that go on from before each turn. Raises GroupError for a turn without `worth`."""
    for index, turn in enumerate(group.turns):
        if type(turn.worth) is not float or not math.isfinite(turn.worth):
            found = "missing" if turn.worth is None else f"{_shown(turn.worth)} is not a finite number"
            raise GroupError(f"{found}; this rule takes the mean return of episodes that continue from before the turn", index, "worth")
    return [turn.worth for turn in group.turns]


def passed_tests(group: Group) -> "list[Sequence[int]]":
    """[turns][tests], 0 or 1. Raises GroupError for a turn without results, or with another number of them than the first."""
    for index, turn in enumerate(group.turns):
        if not isinstance(turn.passed, tuple):
            needed = "this rule needs the result of each unit test, 0 or 1, on every turn"
            raise GroupError(f"missing: {needed}", index, "passed")
        count, first = len(turn.passed), len(group.turns[0].passed)
        if not 0 < count <= 256:
            raise GroupError(f"{count} tests, not 1 to 256", index, "passed")
        if count != first:
            raise GroupError(f"{count} tests, but turn 0 of the group has {first}", index, "passed")
    return [turn.passed for turn in group.turns]


def response_groups(group: Group) -> "list[tuple[int, int, list[int]]]":
    """(parent, s, members): turns that were sampled from the same context, and their place s in their paths, from 1.

    The first turns are one, parent -1; the children of a turn another, behind the one that the turn is in.
    """
    rewards(group)
    places = depth(group)
    found = [(-1, 1, roots(group))] + [(turn, places[turn] + 2, after) for turn, after in enumerate(children(group))]
    return [one for one in found if one[2]]


def turn_budget(group: Group, groups: "list[tuple[int, int, list[int]]]", most: int = 0) -> int:
    """S: `most`, or the deepest turn present where that is 0. Raises GroupError for a turn beyond it."""
    beyond = [(members[0], s) for _, s, members in groups if most and s > most]
    if beyond:
        turn, s = min(beyond)
        raise GroupError(f"this is turn {s} of its path, beyond maxTurns {most}", turn, "parent")
    return most or max((s for _, s, _ in groups), default=0)


def retained(group: Group, groups: "list[tuple[int, int, list[int]]]", intra: str = "", inter: str = "") -> "list[bool]":
    """[turns]: which are trained on, by Murphy's pruning on the turns' own rewards; both are worked out on the whole forest.

    `intra` "m_1,m_2": a response group at turn s keeps the m_s members with the largest (R_i - mean R)^2. `inter` "p_2,p_3":
    of the response groups at turn s the p_s with the largest variance are kept. What is dropped takes what continues it along.
    """
    own = rewards(group)
    deviation = {}
    for parent, _, members in groups:
        center = mean([own[turn] for turn in members])
        deviation[parent] = [(own[turn] - center) * (own[turn] - center) for turn in members]

    within, m = [False] * len(own), whole_numbers(intra)
    for parent, s, members in groups:
        if parent < 0 or within[parent]:
            for place in _largest(deviation[parent], m[s - 1] if s <= len(m) else len(members)):
                within[members[place]] = True

    between, p = [False] * len(own), whole_numbers(inter)
    for s in range(1, turn_budget(group, groups) + 1):
        left = [(parent, members) for parent, at, members in groups if at == s and (parent < 0 or between[parent])]
        scores = [mean(deviation[parent]) for parent, _ in left]
        for place in _largest(scores, p[s - 2] if 2 <= s < len(p) + 2 else len(left)):
            for turn in left[place][1]:
                between[turn] = True
    return [a and b for a, b in zip(within, between)]


def whole_numbers(text: str) -> "list[int]":
    """The numbers of "4,8"."""
    return [int(number) for number in text.replace("/", ",").split(",") if number.strip()]


def _largest(scores: Sequence[float], count: int) -> "list[int]":
    """The places of the `count` largest; of equal ones those that stand first."""
    return sorted(range(len(scores)), key=lambda place: -scores[place])[:count]


def total(x: Iterable[float]) -> float:
    """The sum in the order given; 0 for no numbers."""
    result = 0.0
    for value in x:
        result += value
    return result


def mean(x: Sequence[float]) -> float:
    """0 for no numbers."""
    return total(x) / max(len(x), 1)


def std(x: Sequence[float], ddof: int = 0) -> float:
    """Around the mean; 0 for no numbers. `ddof`: 0 population, 1 sample, which needs two."""
    center = mean(x)
    return math.sqrt(total((value - center) * (value - center) for value in x) / max(len(x) - ddof, 1))


# The corners in which trainers disagree when they normalise the rewards of a group. `ddof`: subtracted from the number of
# members under the standard deviation, 1 sample, 0 population. `epsilon`: added to the deviation. `scale`: "std", divided by
# the deviation; "none", centred alone. `singleton`, a group of one: "zero", or "raw" with mean 0 and deviation 1.
PROFILES = {
    "turnwise": {"ddof": 1, "epsilon": 1e-6, "scale": "std", "singleton": "zero"},
    "trl": {"ddof": 1, "epsilon": 1e-4, "scale": "std", "singleton": "zero"},
    "verl": {"ddof": 1, "epsilon": 1e-6, "scale": "std", "singleton": "raw"},
    "rllm": {"ddof": 0, "epsilon": 1e-6, "scale": "std", "singleton": "raw"},
    "dr-grpo": {"ddof": 1, "epsilon": 1e-6, "scale": "none", "singleton": "zero"},
}


def normalization(profile: str = "turnwise", **corners: Any) -> "dict[str, Any]":
    """The corners of a profile: its name, and after it corners of one's own, as in "trl,ddof=0". Keywords win.

    Raises ValueError for a profile or a corner that does not exist.
    """
    name, *own = profile.split(",")
    if name not in PROFILES:
        raise ValueError(f"unknown profile {name!r}; known: {', '.join(PROFILES)}")
    given = {**dict(part.split("=", 1) if "=" in part else (part, "") for part in own), **corners}
    for corner, value in given.items():
        if corner not in CORNERS or not CORNERS[corner][0](value):
            allowed = CORNERS[corner][1] if corner in CORNERS else f"a corner; known: {', '.join(CORNERS)}"
            raise ValueError(f"profile: {corner}={value} is not {allowed}")
    kinds = {"ddof": int, "epsilon": float}
    return {**PROFILES[name], **{corner: kinds.get(corner, str)(value) for corner, value in given.items()}}


def _is_epsilon(value: Any) -> bool:
    try:
        return 0 <= float(value) <= 1
    except ValueError:
        return False


CORNERS = {
    "ddof": (lambda value: str(value) in ("0", "1"), "one of 1, 0"),
    "epsilon": (_is_epsilon, "a number from 0 to 1"),
    "scale": (lambda value: value in ("std", "none"), "one of std, none"),
    "singleton": (lambda value: value in ("zero", "raw"), "one of zero, raw"),
}


def all_equal(x: Sequence[float]) -> bool:
    """Whether all values are the same number; true for none and for one."""
    return all(value == x[0] for value in x)


def normalize(x: Sequence[float], profile: str = "turnwise", **corners: Any) -> "list[float]":
    """(x - mean) / (std + epsilon) over the members of a group; exactly 0 where all of two or more are equal."""
    how = normalization(profile, **corners)
    scaled, epsilon = how["scale"] == "std", how["epsilon"]
    if len(x) == 1 and how["singleton"] == "raw":
        return [x[0] / (1 + epsilon if scaled else 1)]
    if all_equal(x):
        return [0.0] * len(x)
    center = mean(x)
    divisor = std(x, how["ddof"]) + epsilon if scaled else 1.0
    return [(value - center) / divisor for value in x]


def discounted(x: Sequence[float], gamma: float) -> "list[float]":
    """G_t = x_t + gamma G_{t+1}."""
    result, later = [0.0] * len(x), 0.0
    for t in range(len(x) - 1, -1, -1):
        later = x[t] + gamma * later
        result[t] = later
    return result


def gae(x: Sequence[float], values: Sequence[float], gamma: float = 1.0, lam: float = 1.0) -> "list[float]":
    """A_t = delta_t + gamma lambda A_{t+1}, delta_t = x_t + gamma V_{t+1} - V_t; V and A are 0 behind the last token."""
    result, A, following = [0.0] * len(x), 0.0, 0.0
    for t in range(len(x) - 1, -1, -1):
        A = (x[t] + gamma * following - values[t]) + gamma * lam * A
        result[t], following = A, values[t]
    return result


def paid_tokens(
    values: "list[list[float]]", paths: "list[list[int]]", paid: Sequence[float], gamma: float, lam: float
) -> "tuple[list[list[float]], list[list[float]]]":
    """Advantages and returns [turns][tokens]: `paid` [turns] stands on the last token of each turn, GAE runs over a path's tokens."""
    advantage: "list[list[float]]" = [[] for _ in values]
    for path in paths:
        r: "list[float]" = []
        V: "list[float]" = []
        for turn in path:
            r += [0.0] * (len(values[turn]) - 1) + [paid[turn]]
            V += values[turn]
        A = gae(r, V, gamma, lam)
        for turn in path:
            advantage[turn], A = A[: len(values[turn])], A[len(values[turn]) :]
    return advantage, [[a + v for a, v in zip(own, values[turn])] for turn, own in enumerate(advantage)]


def _quoted(text: str) -> str:
    """A foreign text in a message: between quotes, cut, and with nothing in it that moves a cursor."""
    cut = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text[:40])
    return f'"{cut}{"…" if len(text) > 40 else ""}"'


def _shown(value: float) -> str:
    return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN" if math.isnan(value) else repr(value))
