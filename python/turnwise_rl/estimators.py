"""Credit estimators with the interface of AgentCreditBench: the rules of this package, and seven estimators of the benchmark.

`RuleEstimator("mt-grpo").estimate(context)` returns a number for every step, as `run_benchmark` of AgentCreditBench requires.
`table()` compares all estimators (`python -m turnwise_rl benchmark`).
"""

import math
import random
import statistics
from typing import Any, Iterable, Iterator, NamedTuple, Sequence

from .core import Group, GroupError
from .exact import PROCESSES, Trajectory, UniformPolicy, batch_gradient, cosine, exact_gradient, exact_values, norm, sample_trajectories
from .rows import normalize_batch, parse_rule
from .rule import rule_names

class Context(NamedTuple):
    """Input of an estimator, with the fields of `EstimatorContext` in AgentCreditBench."""

    mdp: Any
    policy: Any
    trajectories: "tuple[Trajectory, ...]"
    estimator_seed: int = 0


def turns_of(context: Any) -> "list[dict[str, Any]]":
    """Returns the trajectories as the turns of one group, with the exact values of a critic (`values`, `stateValue`)."""
    values = exact_values(context.mdp, context.policy)
    turns: "list[dict[str, Any]]" = []
    for trajectory in context.trajectories:
        rewards = 0.0
        for k, step in enumerate(trajectory.steps):
            key = (step.timestep, step.state)
            actions = context.mdp.actions(*key)
            probability = context.policy.action_probabilities(*key, actions)[step.action]
            turn = {"parent": len(turns) - 1 if k else -1, "reward": float(step.reward), "tokens": 1}
            turn.update(state=f"{step.timestep} {step.state}", action=str(step.action), logProb=math.log(probability))
            turn.update({"values": [values.state_values[key]], "stateValue": rewards + values.state_values[key]})
            rewards += step.reward
            turns.append(turn)
        turns[-1].update(outcome=rewards, solved=rewards > 0)
    return turns


class RuleEstimator:
    """Credit rule as an estimator: all trajectories are one group, and the critic of a PPO rule is exact."""

    def __init__(self, rule: str):
        """Loads a rule by its name in a configuration, for example `mt-grpo?absent=zero`. Raises as parse_rule does."""
        self.name, self.rule = rule, parse_rule(rule)

    def estimate(self, context: Any) -> "tuple[tuple[float, ...], ...]":
        """Returns the credit of each step [trajectories][steps]. Raises GroupError if a field of the rule is absent."""
        turns = turns_of(context)
        advantage = self.rule(Group("batch", turns, outcome_is_total=True)).advantage
        numbers = [0.0 if A is None else statistics.fmean(A) if isinstance(A, list) else A for A in advantage]
        credits, first = [], 0
        for trajectory in context.trajectories:
            credits.append(numbers[first : first + len(trajectory.steps)])
            first += len(trajectory.steps)
        if self.rule.batch:
            credits = normalize_batch(self.rule.batch, [[1] * len(row) for row in credits], credits)
        return tuple(tuple(row) for row in credits)


def _broadcast(trajectories: "Sequence[Trajectory]", values: "Sequence[float]") -> "tuple[tuple[float, ...], ...]":
    return tuple((value,) * len(trajectory.steps) for value, trajectory in zip(values, trajectories))


def _centred(values: "Sequence[float]") -> "list[float]":
    mean = math.fsum(values) / len(values)
    return [value - mean for value in values]


def _scores(values: "Sequence[float]") -> "list[float]":
    deviation = statistics.pstdev(values)
    return [value / (deviation + 1e-4) for value in _centred(values)]


class Oracle:
    name = "oracle_advantage"

    def estimate(self, context: Any) -> "tuple[tuple[float, ...], ...]":
        A = exact_values(context.mdp, context.policy).advantages
        return tuple(tuple(A[s.timestep, s.state, s.action] for s in trajectory.steps) for trajectory in context.trajectories)


class OutcomeBroadcast:
    name = "outcome_broadcast"

    def estimate(self, context: Any) -> "tuple[tuple[float, ...], ...]":
        return _broadcast(context.trajectories, [trajectory.total_return for trajectory in context.trajectories])


class BatchCentered:
    """RLOO: the return minus the mean of the other returns."""

    name = "batch_centered_broadcast"

    def estimate(self, context: Any) -> "tuple[tuple[float, ...], ...]":
        n = len(context.trajectories)
        centred = _centred([trajectory.total_return for trajectory in context.trajectories])
        return _broadcast(context.trajectories, [value * n / (n - 1) if n > 1 else value for value in centred])


class TurnLOO:
    """The return minus the mean return of the other trajectories with the turn, or the return itself without such trajectories."""

    name = "turn_loo"

    def estimate(self, context: Any) -> "tuple[tuple[float, ...], ...]":
        returns = [trajectory.total_return for trajectory in context.trajectories]
        lengths = [len(trajectory.steps) for trajectory in context.trajectories]
        credits = [list[float]() for _ in returns]
        for t in range(max(lengths)):
            active = [i for i, length in enumerate(lengths) if length > t]
            n = len(active)
            centred = _centred([returns[i] for i in active]) if n > 1 else [returns[active[0]]]
            for i, value in zip(active, centred):
                credits[i].append(value * n / (n - 1) if n > 1 else value)
        return tuple(map(tuple, credits))


class GRPOStyle:
    name = "grpo_style_normalized"

    def estimate(self, context: Any) -> "tuple[tuple[float, ...], ...]":
        return _broadcast(context.trajectories, _scores([trajectory.total_return for trajectory in context.trajectories]))


class GiGPOStyle:
    """The normalised return plus the return from a step on, normalised over the steps in the same state."""

    name = "gigpo_style"

    def estimate(self, context: Any) -> "tuple[tuple[float, ...], ...]":
        episode = _scores([trajectory.total_return for trajectory in context.trajectories])
        states: "dict[str, list[tuple[int, int]]]" = {}
        for i, trajectory in enumerate(context.trajectories):
            for t, step in enumerate(trajectory.steps):
                states.setdefault(step.state, []).append((i, t))
        credits = [[value] * len(trajectory.steps) for value, trajectory in zip(episode, context.trajectories)]
        for members in states.values():
            ahead = [math.fsum(step.reward for step in context.trajectories[i].steps[t:]) for i, t in members]
            for (i, t), score in zip(members, _scores(ahead)):
                credits[i][t] += score
        return tuple(map(tuple, credits))


class MonteCarlo:
    """Q - V of each step, with Q and V each estimated from `rollouts` sampled continuations."""

    name = "monte_carlo_advantage"

    def __init__(self, rollouts: int = 32):
        self.rollouts = rollouts

    def estimate(self, context: Any) -> "tuple[tuple[float, ...], ...]":
        draw = random.Random(context.estimator_seed).choices

        def sample_return(t: int, state: str, action: "str | None") -> float:
            rewards = 0.0
            for timestep in range(t, context.mdp.horizon):
                probabilities = context.policy.action_probabilities(timestep, state, context.mdp.actions(timestep, state))
                chosen = action or draw(list(probabilities), weights=list(probabilities.values()))[0]
                transitions = context.mdp.transitions(timestep, state, chosen)
                step = draw(transitions, weights=[each.probability for each in transitions])[0]
                rewards, state, action = rewards + step.reward, step.next_state, None
                if step.terminated:
                    break
            return rewards

        def mean(t: int, state: str, action: "str | None") -> float:
            return math.fsum(sample_return(t, state, action) for _ in range(self.rollouts)) / self.rollouts

        return tuple(
            tuple(mean(s.timestep, s.state, s.action) - mean(s.timestep, s.state, None) for s in trajectory.steps)
            for trajectory in context.trajectories
        )


REFERENCES = (Oracle, OutcomeBroadcast, BatchCentered, TurnLOO, GRPOStyle, GiGPOStyle, MonteCarlo)
VARIANTS = ("mt-grpo?absent=zero", "mt-grpo?absent=leave-one-out", "mt-grpo?absent=leave-one-out&profile=dr-grpo", "reinforce-plus-plus?baseline=group")


class Score(NamedTuple):
    """Agreement of an estimator with the exact advantages, over batches of several seeds."""

    leakage: "float | None"  # share of absolute credit on steps whose advantage is 0; None without such steps
    correlation: "float | None"  # Pearson correlation over all steps of all batches
    cosine: "float | None"  # cosine similarity of the mean gradient of the batches and the exact gradient
    error: float  # norm of (mean gradient - exact gradient) / norm of the exact gradient


def score(process: Any, policy: Any, estimator: Any, batch: int, seeds: "Iterable[int]") -> Score:
    """Scores an estimator on one batch for each seed. `batch`: number of trajectories. Raises GroupError as the estimator does."""
    values = exact_values(process, policy)
    exact = exact_gradient(process, policy, values)
    estimated: "list[float]" = []
    truth: "list[float]" = []
    gradients = []
    for seed in seeds:
        trajectories = sample_trajectories(process, policy, batch, seed)
        credits = estimator.estimate(Context(process, policy, trajectories, seed))
        for trajectory, row in zip(trajectories, credits):
            estimated += row
            truth += [values.advantages[step.timestep, step.state, step.action] for step in trajectory.steps]
        gradients.append(batch_gradient(process, policy, trajectories, credits))
    mean = {key: math.fsum(each.get(key, 0.0) for each in gradients) / len(gradients) for key in set().union(*gradients, exact)}
    idle = [abs(credit) for credit, advantage in zip(estimated, truth) if abs(advantage) < 1e-8]
    return Score(
        math.fsum(idle) / (math.fsum(map(abs, estimated)) + 1e-8) if idle else None,
        _correlation(estimated, truth),
        cosine(mean, exact),
        norm({key: value - exact.get(key, 0.0) for key, value in mean.items()}) / norm(exact),
    )


def _correlation(x: "Sequence[float]", y: "Sequence[float]") -> "float | None":
    a, b = _centred(x), _centred(y)
    size = math.sqrt(math.fsum(u * u for u in a) * math.fsum(v * v for v in b))
    return None if size < 1e-12 else math.fsum(u * v for u, v in zip(a, b)) / size


def table(name: str, batch: int = 64, seeds: int = 20, rules: "Sequence[str]" = ()) -> str:
    """Returns a Markdown table for a process of PROCESSES, one estimator per line.

    The line of a rule that lacks a field names the field.
    """
    process = _process(name)
    lines = ["| estimator | leakage | correlation | cosine | error |", "| --- | --- | --- | --- | --- |"]
    for estimator, result in _scores_of(process, batch, seeds, rules):
        cells = [f"needs `{result}`", "", "", ""] if isinstance(result, str) else map(_cell, result)
        lines.append(f"| {' | '.join([f'`{estimator}`', *cells])} |")
    return "\n".join(lines)


def exact_report(name: str, batch: int, seeds: int, rules: "Sequence[str]" = ()) -> "dict[str, Any]":
    """Returns the numbers of `table` with all digits, the exact values of the process, and the sampled groups."""
    process = _process(name)
    exact = exact_values(process, UniformPolicy())
    return {
        "process": name,
        "states": [{"turn": t, "state": s, "visits": exact.visits[t, s], "value": value} for (t, s), value in exact.state_values.items()],
        "actions": [
            {"turn": t, "state": s, "action": a, "value": value, "advantage": exact.advantages[t, s, a]}
            for (t, s, a), value in exact.action_values.items()
        ],
        "scores": {
            estimator: {"needs": result} if isinstance(result, str) else result._asdict()
            for estimator, result in _scores_of(process, batch, seeds, rules)
        },
        "groups": list(sampled_groups(name, batch, seeds)),
    }


def _scores_of(process: Any, batch: int, seeds: int, rules: "Sequence[str]") -> "Iterator[tuple[str, Score | str]]":
    """Yields each estimator with its score, or with the name of the field that it lacks."""
    names = rules or (*rule_names(), *VARIANTS)
    for estimator in [*(reference() for reference in REFERENCES), *(RuleEstimator(rule) for rule in sorted(names))]:
        try:
            yield estimator.name, score(process, UniformPolicy(), estimator, batch, range(seeds))
        except GroupError as error:
            yield estimator.name, error.field or str(error)


def sampled_groups(name: str, batch: int, seeds: int) -> "Iterator[dict[str, Any]]":
    """Yields the groups of `table` as lines of a file of groups. Outcomes contain the turn rewards."""
    process, policy = _process(name), UniformPolicy()
    for seed in range(seeds):
        turns = turns_of(Context(process, policy, sample_trajectories(process, policy, batch, seed)))
        yield {"id": f"{name}-seed-{seed}", "outcomeIsTotal": True, "turns": turns}


def _process(name: str) -> Any:
    if name not in PROCESSES:
        raise ValueError(f'unknown process "{name}"; known: {", ".join(PROCESSES)}')
    return PROCESSES[name]()


def _cell(value: "float | None") -> str:
    return "–" if value is None else f"{value:.3f}"
