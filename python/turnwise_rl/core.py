"""Names that a rule file may import from `turnwise_rl`: the group of rollouts, and shared arithmetic.

The module is one file and uses the standard library only: `export` and the sandbox of the page insert its text before a rule.
Sums add the numbers in the given order, because `sum` rounds differently since Python 3.12.
"""

import math
from typing import Annotated, Any, Iterable, Sequence


class GroupError(ValueError):
    """Error for a group that cannot be read. The message has file, line, group, turn and field, if they are known."""

    def __init__(self, problem: str, turn: "int | None" = None, field: "str | None" = None, **position: Any):
        self.problem, self.turn, self.field = problem, turn, field
        self.file, self.line, self.group = position.get("file"), position.get("line"), position.get("group")
        super().__init__(problem)

    def at(self, **position: Any) -> "GroupError":
        """Returns the same error with `file`, `line` or `group` added."""
        known = {name: getattr(self, name) for name in ("file", "line", "group") if getattr(self, name) is not None}
        return GroupError(self.problem, self.turn, self.field, **{**known, **position})

    def __str__(self) -> str:
        parts = [self.file] if self.file is not None else []
        parts += [f"line {self.line}"] if self.line is not None else []
        parts += [f"group {_quoted(self.group)}"] if self.group is not None else []
        parts += [f"turn {self.turn}"] if self.turn is not None else []
        parts += [f'field "{self.field}"'] if self.field is not None else []
        return f"{', '.join(parts)}: {self.problem}" if parts else self.problem


class Range:
    """Bounds and help text of a numeric parameter of a rule: `alpha: Annotated[float, Range(0, 1)] = 1.0`."""

    def __init__(self, low: float, high: float, help: str = ""):
        self.low, self.high, self.help = low, high, help


class NormalizationOptions:
    """Constants of a profile that can be set individually: `profile: Annotated[str, NormalizationOptions("ddof")] = "trl"`."""

    def __init__(self, *names: str):
        self.names = names


Profile = Annotated[str, NormalizationOptions("ddof", "epsilon", "scale", "singleton")]


class ListOf:
    """Mark of a parameter that is a list of positive integers, such as "4,8", with its maximum length and value."""

    def __init__(self, longest: int, largest: int):
        self.longest, self.largest = longest, largest


IntegerList = Annotated[str, ListOf(8, 65536)]


class Turn:
    """One generation by the policy. A field that the record lacks is None; a missing reward is 0.0.

    Other fields of the record are in `fields`, and are also attributes: `turn.components["format"]`.
    """

    __slots__ = (
        "parent",  # index of the turn that this turn continues, -1 for a first turn
        "reward",  # reward of the turn (R^I)
        "outcome",  # outcome of the trajectory (R^O), on its last turn
        "solved",
        "passed",  # result of each unit test, 0 or 1
        "state",
        "action",
        "validates",
        "tokens",  # number of tokens that the policy wrote
        "logProb",  # sum of the log-probabilities of these tokens under the policy that wrote them [nats]
        "values",  # value of the critic at each of these tokens
        "answerLogProb",  # mean log-probability of the correct answer before the turn [nats]
        "stateValue",  # mean return of episodes that the policy continues from the state before the turn
        "fields",  # all other fields, by name
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
        self.answerLogProb, self.stateValue = more.pop("answerLogProb", None), more.pop("stateValue", None)
        self.fields: "dict[str, Any]" = {**fields, **more} if fields else more

    def __getattr__(self, name: str) -> Any:
        fields = {} if name == "fields" else self.fields
        if name in fields:
            return fields[name]
        raise AttributeError(f"a turn has no field {name!r}; it has {', '.join(sorted(fields)) or 'no others'}")


class Group:
    """All turns sampled for one prompt: a forest in which parents precede their children.

    `outcome_is_total`: True if outcomes contain the turn rewards; None if the file does not specify it.
    """

    __slots__ = ("id", "turns", "outcome_is_total")

    def __init__(self, id: str, turns: Iterable[Any], outcome_is_total: "bool | None" = None):
        """Creates a group from turns or their records. Raises GroupError if a parent is not an earlier turn."""
        self.id, self.outcome_is_total = id, outcome_is_total
        self.turns = tuple([turn if isinstance(turn, Turn) else Turn(**turn) for turn in turns])
        for index, turn in enumerate(self.turns):
            if type(turn.parent) is not int or not -1 <= turn.parent < index:
                expected = "-1" if index == 0 else f"-1 or an earlier turn (0 to {index - 1})"
                raise GroupError(f"{turn.parent} is not {expected}", index, "parent")


def with_totals(rewards: "str | None", group: Group) -> Group:
    """Returns the group with rewards and outcomes in the form that a rule reads.

    `rewards`: the constant `REWARDS` of the rule file. "outcome": unchanged outcomes. "attempts": the reward of every turn,
    including the last turn. None: turn rewards and the outcome. If `outcome_is_total` is None, "attempts" adds the outcome to the
    reward of a last turn only if no turn has a reward.
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
        fields = {name: getattr(turn, name) for name in Turn.__slots__}
        if not after[index] and turn.outcome is not None:
            rest = turn.outcome - before[index]
            if not attempts:
                fields.update(reward=0.0, outcome=rest)
            else:
                fields.update(reward=rest if total_ else turn.reward + turn.outcome)
        turns.append(fields)
    return Group(group.id, turns, total_ if attempts else False)


def children(group: Group) -> "list[list[int]]":
    """Returns the turns that continue each turn, in order [turns]."""
    result: "list[list[int]]" = [[] for _ in group.turns]
    for index, turn in enumerate(group.turns):
        if turn.parent >= 0:
            result[turn.parent].append(index)
    return result


def roots(group: Group) -> "list[int]":
    """Returns the first turns, in order."""
    return [index for index, turn in enumerate(group.turns) if turn.parent < 0]


def count_rollouts(group: Group) -> int:
    """Returns the number of rollouts: the paths from a first turn to a last turn."""
    return sum(not after for after in children(group))


def depth(group: Group) -> "list[int]":
    """Returns the number of turns before each turn in its path [turns]."""
    result: "list[int]" = []
    for turn in group.turns:
        result.append(0 if turn.parent < 0 else result[turn.parent] + 1)
    return result


def trajectories(group: Group) -> "list[list[int]]":
    """Returns the paths from a first turn to a leaf, in the order of the first turns.

    Raises GroupError if several turns continue the same turn, or if a reward is not finite.
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
    """Returns, for each l, turn l of the paths in which it is not the last turn. Last turns are in no list."""
    longest = max((len(path) for path in paths), default=1)
    return [[path[level] for path in paths if level < len(path) - 1] for level in range(longest - 1)]


def positions(paths: "list[list[int]]") -> "list[list[int]]":
    """Returns, for each position, the turns at this position of their trajectories, including last turns."""
    longest = max((len(path) for path in paths), default=0)
    return [[path[k] for path in paths if k < len(path)] for k in range(longest)]


def less_peers(values: "list[float]", lists: "Iterable[list[int]]", rollouts: int = 1) -> "list[float]":
    """Subtracts from each value the mean of the other values of its list. Returns [turns].

    A turn that is alone in its list is compared with all other rollouts. The credits of all rollouts sum to 0 at its
    position (exactly with alpha 1), so the mean of the others is -value / (rollouts - 1).
    """
    result = [*values]
    for members in lists:
        together = total(values[turn] for turn in members)
        for turn in members:
            if len(members) > 1:
                result[turn] -= (together - values[turn]) / (len(members) - 1)
            elif rollouts > 1:
                result[turn] *= rollouts / (rollouts - 1)
    return result


def broadcast(group: Group, paths: "list[list[int]]", values: Sequence[float]) -> "list[float]":
    """Returns, for each turn, the value of its trajectory [turns]. `values`: [trajectories]."""
    result = [0.0] * len(group.turns)
    for path, value in zip(paths, values):
        for turn in path:
            result[turn] = value
    return result


def rewards(group: Group) -> "list[float]":
    """Returns the reward of each turn [turns]. Raises GroupError for a reward that is not finite."""
    values = [turn.reward for turn in group.turns]
    # A finite sum has finite terms.
    if not math.isfinite(sum(values)):
        for index, value in enumerate(values):
            if not math.isfinite(value):
                raise GroupError(f"{_number_text(value)} is not a finite number", index, "reward")
    return values


def outcomes(group: Group, paths: "list[list[int]]", missing: "float | None" = None) -> "list[float]":
    """Returns R^O of the last turn of each trajectory [trajectories], or `missing` if the turn has no outcome.

    Raises GroupError if an outcome is not finite, or absent while `missing` is None.
    """
    result = []
    for path in paths:
        outcome = group.turns[path[-1]].outcome
        outcome = missing if outcome is None else outcome
        if outcome is None or math.isnan(outcome):
            raise GroupError("missing on the last turn of a trajectory", path[-1], "outcome")
        if math.isinf(outcome):
            raise GroupError(f"{_number_text(outcome)} is not a finite number", path[-1], "outcome")
        result.append(outcome)
    return result


def signature(group: Group, turn: int, field: str) -> str:
    """Returns the `state` or `action` of a turn. Raises GroupError if the field is not a string."""
    text = getattr(group.turns[turn], field)
    if type(text) is str:
        return text
    problem = "missing" if text is None else f"{text!r} is not a string"
    raise GroupError(f"{problem}; this rule compares turns by it", turn, field)


def token_values(group: Group) -> "list[list[float]]":
    """Returns the critic's values [turns][tokens].

    Raises GroupError for a turn without tokens, or without a finite value for each token.
    """
    result = []
    for index, turn in enumerate(group.turns):
        tokens = _tokens(turn, index)
        if turn.values is None or len(turn.values) != tokens:
            problem = "missing" if turn.values is None else f"{len(turn.values)} numbers"
            raise GroupError(f"{problem}; each of the turn's {tokens} tokens needs one", index, "values")
        for token, value in enumerate(turn.values):
            if not math.isfinite(value):
                raise GroupError(f"[{token}] is {_number_text(value)}, not a finite number", index, "values")
        result.append(list(turn.values))
    return result


def token_weights(group: Group) -> "list[int]":
    """Returns the number of tokens of each turn [turns], or 1 for each turn if no turn has it.

    Raises GroupError if only some turns have the number, or if it is 0.
    """
    if all(turn.tokens is None for turn in group.turns):
        return [1] * len(group.turns)
    return token_counts(group)


def answer_probabilities(group: Group) -> "list[float]":
    """Returns the policy's probability of the correct answer before each turn [turns].

    Raises GroupError for a turn without a valid `answerLogProb`.
    """
    result = []
    for index, turn in enumerate(group.turns):
        if type(turn.answerLogProb) is not float or not turn.answerLogProb <= 0:
            problem = "missing" if turn.answerLogProb is None else f"{_number_text(turn.answerLogProb)} is no log-probability"
            raise GroupError(f"{problem}; this rule pays a turn by what it makes the right answer more probable", index, "answerLogProb")
        result.append(math.exp(turn.answerLogProb))
    return result


def log_probs(group: Group) -> "list[float]":
    """Returns the log-probability [nats] of each turn under the policy that wrote it [turns].

    Raises GroupError for a turn without a valid `logProb`.
    """
    for index, turn in enumerate(group.turns):
        if type(turn.logProb) is not float or not -math.inf < turn.logProb <= 0:
            problem = "missing" if turn.logProb is None else f"{_number_text(turn.logProb)} is no log-probability"
            raise GroupError(f"{problem}; this rule weights a turn by how probable the policy found it", index, "logProb")
    return [turn.logProb for turn in group.turns]


def token_counts(group: Group) -> "list[int]":
    """Returns the number of tokens of each turn [turns]. Raises GroupError for a turn without tokens."""
    return [_tokens(turn, index) for index, turn in enumerate(group.turns)]


def _tokens(turn: Turn, index: int) -> int:
    if type(turn.tokens) is int and turn.tokens > 0:
        return turn.tokens
    actual = "missing" if turn.tokens is None else turn.tokens
    raise GroupError(f"{actual}: this rule needs a whole number above 0", index, "tokens")


def state_values(group: Group) -> "list[float]":
    """Returns the mean return of episodes that continue from the state before each turn [turns].

    Raises GroupError for a turn without a finite `stateValue`.
    """
    for index, turn in enumerate(group.turns):
        if type(turn.stateValue) is not float or not math.isfinite(turn.stateValue):
            problem = "missing" if turn.stateValue is None else f"{_number_text(turn.stateValue)} is not a finite number"
            raise GroupError(f"{problem}; this rule takes the mean return of episodes that continue from before the turn", index, "stateValue")
    return [turn.stateValue for turn in group.turns]


def passed_tests(group: Group) -> "list[Sequence[int]]":
    """Returns the result of each unit test, 0 or 1 [turns][tests].

    Raises GroupError for a turn without results, for more than 256 tests, or if turns differ in their number of tests.
    """
    for index, turn in enumerate(group.turns):
        if not isinstance(turn.passed, tuple):
            requirement = "this rule needs the result of each unit test, 0 or 1, on every turn"
            raise GroupError(f"missing: {requirement}", index, "passed")
        count, first = len(turn.passed), len(group.turns[0].passed)
        if not 0 < count <= 256:
            raise GroupError(f"{count} tests, not 1 to 256", index, "passed")
        if count != first:
            raise GroupError(f"{count} tests, but turn 0 of the group has {first}", index, "passed")
    return [turn.passed for turn in group.turns]


def response_groups(group: Group) -> "list[tuple[int, int, list[int]]]":
    """Returns the response groups (parent, s, members): turns sampled from the same context, at turn s of their paths.

    The first turns are a response group with parent -1 and s = 1. The turns that continue a turn are another response
    group, listed after the response group of the turn. Raises GroupError for a reward that is not finite.
    """
    rewards(group)
    depths = depth(group)
    candidates = [(-1, 1, roots(group))] + [(turn, depths[turn] + 2, after) for turn, after in enumerate(children(group))]
    return [(parent, s, members) for parent, s, members in candidates if members]


def turn_budget(group: Group, groups: "list[tuple[int, int, list[int]]]", maximum: int = 0) -> int:
    """Returns S: `maximum`, or the number of turns of the longest path if `maximum` is 0.

    Raises GroupError for a turn beyond `maximum`.
    """
    beyond = [(members[0], s) for _, s, members in groups if maximum and s > maximum]
    if beyond:
        turn, s = min(beyond)
        raise GroupError(f"this is turn {s} of its path, beyond maxTurns {maximum}", turn, "parent")
    return maximum or max((s for _, s, _ in groups), default=0)


def retained(group: Group, groups: "list[tuple[int, int, list[int]]]", intra: str = "", inter: str = "") -> "list[bool]":
    """Returns True for each turn that remains after Murphy's two prunings by turn rewards, else False [turns].

    Each pruning is computed on the complete forest. `intra` "m_1,m_2": a response group at turn s retains the m_s
    members with the largest (R_i - mean R)^2. `inter` "p_2,p_3": at turn s, the p_s response groups with the largest
    variance remain. If a turn is pruned, the turns that continue it are pruned too.
    """
    R = rewards(group)
    deviation = {}
    for parent, _, members in groups:
        center = mean([R[turn] for turn in members])
        deviation[parent] = [(R[turn] - center) * (R[turn] - center) for turn in members]

    within, m = [False] * len(R), parse_integers(intra)
    for parent, s, members in groups:
        if parent < 0 or within[parent]:
            for index in _largest(deviation[parent], m[s - 1] if s <= len(m) else len(members)):
                within[members[index]] = True

    between, p = [False] * len(R), parse_integers(inter)
    for s in range(1, turn_budget(group, groups) + 1):
        left = [(parent, members) for parent, at, members in groups if at == s and (parent < 0 or between[parent])]
        scores = [mean(deviation[parent]) for parent, _ in left]
        for index in _largest(scores, p[s - 2] if 2 <= s < len(p) + 2 else len(left)):
            for turn in left[index][1]:
                between[turn] = True
    return [a and b for a, b in zip(within, between)]


def parse_integers(text: str) -> "list[int]":
    """Returns the integers of a text such as "4,8" or "4/8". Raises ValueError for other texts."""
    return [int(number) for number in text.replace("/", ",").split(",") if number.strip()]


def _largest(scores: Sequence[float], count: int) -> "list[int]":
    """Returns the positions of the `count` largest scores, largest first. Equal scores are in order of position."""
    return sorted(range(len(scores)), key=lambda index: -scores[index])[:count]


def total(x: Iterable[float]) -> float:
    """Returns the sum, added in the given order; 0 for no numbers."""
    result = 0.0
    for value in x:
        result += value
    return result


def mean(x: Sequence[float]) -> float:
    """Returns the arithmetic mean; 0 for no numbers."""
    return total(x) / max(len(x), 1)


def std(x: Sequence[float], ddof: int = 0) -> float:
    """Returns the standard deviation; 0 for no numbers. `ddof`: 0 population, 1 sample, which needs two numbers."""
    center = mean(x)
    return math.sqrt(total((value - center) * (value - center) for value in x) / max(len(x) - ddof, 1))


# Options in which trainers differ when they normalise the rewards of a group. `ddof`: subtracted from the number of members
# in the standard deviation; 1 sample, 0 population. `epsilon`: added to the deviation. `scale`: "std" divides by the deviation,
# "none" only centres. `singleton`, for a group of one rollout: "zero" gives 0, "raw" has mean 0 and deviation 1.
PROFILES = {
    "turnwise": {"ddof": 1, "epsilon": 1e-6, "scale": "std", "singleton": "zero"},
    "trl": {"ddof": 1, "epsilon": 1e-4, "scale": "std", "singleton": "zero"},
    "verl": {"ddof": 1, "epsilon": 1e-6, "scale": "std", "singleton": "raw"},
    "rllm": {"ddof": 0, "epsilon": 1e-6, "scale": "std", "singleton": "raw"},
    "dr-grpo": {"ddof": 1, "epsilon": 1e-6, "scale": "none", "singleton": "zero"},
}


def normalization(profile: str = "turnwise", **options: Any) -> "dict[str, Any]":
    """Returns the options of a profile. The name can include overrides, as in "trl,ddof=0". Keywords override both.

    Raises ValueError for an unknown profile or option, and for a value that an option does not allow.
    """
    name, *overrides = profile.split(",")
    if name not in PROFILES:
        raise ValueError(f"unknown profile {name!r}; known: {', '.join(PROFILES)}")
    given = {**dict(part.split("=", 1) if "=" in part else (part, "") for part in overrides), **options}
    known = NORMALIZATION_OPTIONS
    for option, value in given.items():
        if option not in known or not known[option][0](value):
            allowed = known[option][1] if option in known else f"an option of a profile; known: {', '.join(known)}"
            raise ValueError(f"profile: {option}={value} is not {allowed}")
    kinds = {"ddof": int, "epsilon": float}
    return {**PROFILES[name], **{option: kinds.get(option, str)(value) for option, value in given.items()}}


def _is_epsilon(value: Any) -> bool:
    try:
        return 0 <= float(value) <= 1
    except ValueError:
        return False


NORMALIZATION_OPTIONS = {
    "ddof": (lambda value: str(value) in ("0", "1"), "one of 1, 0"),
    "epsilon": (_is_epsilon, "a number from 0 to 1"),
    "scale": (lambda value: value in ("std", "none"), "one of std, none"),
    "singleton": (lambda value: value in ("zero", "raw"), "one of zero, raw"),
}


def all_equal(x: Sequence[float]) -> bool:
    """Returns True if all values are the same number, or if there are fewer than two values."""
    return all(value == x[0] for value in x)


def normalize(x: Sequence[float], profile: str = "turnwise", rollouts: "int | None" = None, **options: Any) -> "list[float]":
    """Returns (x - mean) / (std + epsilon) over the members of a group; exactly 0 if two or more members are all equal.

    `rollouts`: number of rollouts in the group, if the members are only part of the group. A single member of a group of
    several rollouts has 0 under every profile: verl keeps only the reward of a prompt with one rollout. Raises ValueError
    as `normalization` does.
    """
    selected = normalization(profile, **options)
    scaled, epsilon = selected["scale"] == "std", selected["epsilon"]
    if len(x) == 1 and rollouts in (None, 1) and selected["singleton"] == "raw":
        return [x[0] / (1 + epsilon if scaled else 1)]
    if all_equal(x):
        return [0.0] * len(x)
    center = mean(x)
    divisor = std(x, selected["ddof"]) + epsilon if scaled else 1.0
    return [(value - center) / divisor for value in x]


def discounted(x: Sequence[float], gamma: float) -> "list[float]":
    """Returns the discounted sums G_t = x_t + gamma G_{t+1}."""
    result, G = [0.0] * len(x), 0.0
    for t in range(len(x) - 1, -1, -1):
        G = x[t] + gamma * G
        result[t] = G
    return result


def gae(x: Sequence[float], values: Sequence[float], gamma: float = 1.0, lam: float = 1.0) -> "list[float]":
    """Returns A_t = delta_t + gamma lambda A_{t+1} with delta_t = x_t + gamma V_{t+1} - V_t.

    V and A are 0 after the last token.
    """
    result, A, following = [0.0] * len(x), 0.0, 0.0
    for t in range(len(x) - 1, -1, -1):
        A = (x[t] + gamma * following - values[t]) + gamma * lam * A
        result[t], following = A, values[t]
    return result


def token_gae(
    values: "list[list[float]]", paths: "list[list[int]]", turn_rewards: Sequence[float], gamma: float, lam: float
) -> "tuple[list[list[float]], list[list[float]]]":
    """Returns advantages and returns, both [turns][tokens], from GAE over the tokens of each path.

    `turn_rewards`: [turns], each on the last token of its turn.
    """
    advantage: "list[list[float]]" = [[] for _ in values]
    for path in paths:
        r: "list[float]" = []
        V: "list[float]" = []
        for turn in path:
            r += [0.0] * (len(values[turn]) - 1) + [turn_rewards[turn]]
            V += values[turn]
        A = gae(r, V, gamma, lam)
        for turn in path:
            advantage[turn], A = A[: len(values[turn])], A[len(values[turn]) :]
    return advantage, [[a + v for a, v in zip(A, values[turn])] for turn, A in enumerate(advantage)]


def _quoted(text: str) -> str:
    """Quotes an untrusted text for a message: at most 40 characters, without control characters."""
    cut = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text[:40])
    return f'"{cut}{"…" if len(text) > 40 else ""}"'


def _number_text(value: float) -> str:
    return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN" if math.isnan(value) else repr(value))


# Former name, which existing rule files import.
spread = broadcast
