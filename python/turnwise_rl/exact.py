"""Three small decision processes with exact advantages and policy gradients.

The processes are the same as in AgentCreditBench 0.5.0 (github.com/hectopascal/agent-credit-bench): a delayed effect,
an error that is repaired, and a policy that chooses when to stop. An estimator runs with both packages, because the
interface is the same.
"""

import math
import random
from typing import Any, Callable, Iterator, NamedTuple, Protocol, Sequence

class Transition(NamedTuple):
    next_state: str
    reward: float
    probability: float
    terminated: bool


class Step(NamedTuple):
    timestep: int
    state: str
    action: str
    reward: float
    next_state: str
    terminated: bool


class Trajectory(NamedTuple):
    steps: "tuple[Step, ...]"

    @property
    def total_return(self) -> float:
        return sum(step.reward for step in self.steps)


class Process(Protocol):
    """A process of finite horizon. States of different timesteps are different, even if their names are equal."""

    horizon: int
    initial_state: str

    def actions(self, timestep: int, state: str) -> "list[str]": ...

    def transitions(self, timestep: int, state: str, action: str) -> "list[Transition]": ...


class Policy(Protocol):
    def action_probabilities(self, timestep: int, state: str, actions: "Sequence[str]") -> "dict[str, float]": ...


class DelayedEffect:
    """The first of `horizon` actions determines the probability of reward 1 at the end. Later actions have no effect."""

    initial_state = "start"

    def __init__(self, horizon: int = 8, good: float = 0.8, bad: float = 0.2):
        if horizon < 2:
            raise ValueError(f"horizon is {horizon}, less than 2")
        self.horizon, self.success = horizon, {"good": good, "bad": bad}

    def actions(self, timestep: int, state: str) -> "list[str]":
        return ["GOOD", "BAD"] if timestep == 0 else ["DISTRACT_0", "DISTRACT_1"]

    def transitions(self, timestep: int, state: str, action: str) -> "list[Transition]":
        if timestep == 0:
            return [Transition(action.lower(), 0.0, 1.0, False)]
        if timestep < self.horizon - 1:
            return [Transition(state, 0.0, 1.0, False)]
        p = self.success[state]
        return [Transition("success", 1.0, p, True), Transition("failure", 0.0, 1.0 - p, True)]


class Recovery:
    """GOOD ends with reward 1. BAD leads to a second turn, which repairs the error (reward 1) or gives up."""

    initial_state, horizon = "s0", 2

    def actions(self, timestep: int, state: str) -> "list[str]":
        return ["GOOD", "BAD"] if timestep == 0 else ["RECOVER", "GIVE_UP"]

    def transitions(self, timestep: int, state: str, action: str) -> "list[Transition]":
        if action == "BAD":
            return [Transition("mistake", 0.0, 1.0, False)]
        return [Transition("failure", 0.0, 1.0, True) if action == "GIVE_UP" else Transition("success", 1.0, 1.0, True)]


class VariableHorizon:
    """At each timestep the policy stops and collects its reward, or continues. The last timestep only stops."""

    initial_state = "alive"

    def __init__(self, stop_rewards: "Sequence[float]" = (0.0, 2.0, 1.0, 3.0, 0.0)):
        self.stop_rewards, self.horizon = tuple(stop_rewards), len(stop_rewards)

    def actions(self, timestep: int, state: str) -> "list[str]":
        return ["STOP"] if timestep == self.horizon - 1 else ["STOP", "CONTINUE"]

    def transitions(self, timestep: int, state: str, action: str) -> "list[Transition]":
        if action == "STOP":
            return [Transition("done", self.stop_rewards[timestep], 1.0, True)]
        return [Transition("alive", 0.0, 1.0, False)]


PROCESSES: "dict[str, Callable[[], Any]]" = {"delayed": DelayedEffect, "recovery": Recovery, "stopping": VariableHorizon}


class UniformPolicy:
    def action_probabilities(self, timestep: int, state: str, actions: "Sequence[str]") -> "dict[str, float]":
        return {action: 1.0 / len(actions) for action in actions}


class ExactValues(NamedTuple):
    """Exact values of a policy, by (timestep, state) or by (timestep, state, action)."""

    state_values: "dict[tuple[int, str], float]"
    action_values: "dict[tuple[int, str, str], float]"
    advantages: "dict[tuple[int, str, str], float]"
    visits: "dict[tuple[int, str], float]"  # probability that a trajectory visits the state


def exact_values(process: Any, policy: Policy) -> ExactValues:
    """Solves the Bellman equations by backward induction over the states that the process can reach."""
    reached = [{process.initial_state: 1.0}]
    for t in range(process.horizon - 1):
        following: "dict[str, float]" = {}
        for state, mass in reached[t].items():
            actions = process.actions(t, state)
            probabilities = policy.action_probabilities(t, state, actions)
            for action in actions:
                for step in process.transitions(t, state, action):
                    if not step.terminated:
                        next_mass = mass * probabilities[action] * step.probability
                        following[step.next_state] = following.get(step.next_state, 0.0) + next_mass
        reached.append(following)
    V: "dict[tuple[int, str], float]" = {}
    Q: "dict[tuple[int, str, str], float]" = {}
    for t in reversed(range(process.horizon)):
        for state in reached[t]:
            actions = process.actions(t, state)
            for action in actions:
                Q[t, state, action] = sum(
                    step.probability * (step.reward + (0.0 if step.terminated else V[t + 1, step.next_state]))
                    for step in process.transitions(t, state, action)
                )
            probabilities = policy.action_probabilities(t, state, actions)
            V[t, state] = sum(probabilities[action] * Q[t, state, action] for action in actions)
    advantages = {(t, state, action): q - V[t, state] for (t, state, action), q in Q.items()}
    return ExactValues(V, Q, advantages, {(t, state): mass for t, states in enumerate(reached) for state, mass in states.items()})


def enumerate_trajectories(process: Any, policy: Policy) -> "Iterator[tuple[float, Trajectory]]":
    """Yields each trajectory with its probability. Omits trajectories of probability 0."""

    def continued(t: int, state: str, probability: float, steps: "tuple[Step, ...]") -> "Iterator[tuple[float, Trajectory]]":
        actions = process.actions(t, state)
        for action, p in policy.action_probabilities(t, state, actions).items():
            for step in process.transitions(t, state, action):
                mass = probability * p * step.probability
                if mass == 0.0:
                    continue
                longer = (*steps, Step(t, state, action, step.reward, step.next_state, step.terminated))
                if step.terminated or t + 1 == process.horizon:
                    yield mass, Trajectory(longer)
                else:
                    yield from continued(t + 1, step.next_state, mass, longer)

    return continued(0, process.initial_state, 1.0, ())


def sample_trajectories(process: Any, policy: Policy, count: int, seed: int) -> "tuple[Trajectory, ...]":
    """Samples trajectories. `random.Random(seed)` draws an action, then its transition, as in AgentCreditBench."""
    draw = random.Random(seed).choices

    def trajectory() -> Trajectory:
        steps: "list[Step]" = []
        state = process.initial_state
        for t in range(process.horizon):
            probabilities = policy.action_probabilities(t, state, process.actions(t, state))
            action = draw(list(probabilities), weights=list(probabilities.values()))[0]
            transitions = process.transitions(t, state, action)
            step = draw(transitions, weights=[each.probability for each in transitions])[0]
            steps.append(Step(t, state, action, step.reward, step.next_state, step.terminated))
            if step.terminated:
                break
            state = step.next_state
        return Trajectory(tuple(steps))

    return tuple(trajectory() for _ in range(count))


def exact_gradient(process: Any, policy: Policy, values: ExactValues) -> "dict[tuple[int, str, str], float]":
    """Returns the gradient of the expected return by the logits of a tabular softmax policy: d(s) pi(a | s) A(s, a)."""
    gradient = {}
    for (t, state), mass in values.visits.items():
        for action, p in policy.action_probabilities(t, state, process.actions(t, state)).items():
            gradient[t, state, action] = mass * p * values.advantages[t, state, action]
    return gradient


def batch_gradient(
    process: Any, policy: Policy, trajectories: "Sequence[Trajectory]", credits: "Sequence[Sequence[float]]"
) -> "dict[tuple[int, str, str], float]":
    """Returns the policy gradient of a batch: credit times the gradient of log pi, averaged over the trajectories."""
    gradient: "dict[tuple[int, str, str], float]" = {}
    for trajectory, row in zip(trajectories, credits):
        for step, credit in zip(trajectory.steps, row):
            probabilities = policy.action_probabilities(step.timestep, step.state, process.actions(step.timestep, step.state))
            for action, p in probabilities.items():
                key = (step.timestep, step.state, action)
                slope = (1.0 if action == step.action else 0.0) - p
                gradient[key] = gradient.get(key, 0.0) + credit * slope / len(trajectories)
    return gradient


def norm(gradient: "dict[tuple[int, str, str], float]") -> float:
    return math.hypot(*gradient.values())


def cosine(a: "dict[tuple[int, str, str], float]", b: "dict[tuple[int, str, str], float]") -> "float | None":
    """Returns the cosine similarity of two gradients, or None if either gradient is zero."""
    size = norm(a) * norm(b)
    return None if size == 0 else math.fsum(value * b.get(key, 0.0) for key, value in a.items()) / size
