"""One self-contained file of a rule for a trainer: rule, parameters, formula, and three vectors that it checks itself by.

The file imports nothing of this package: what the rule imports from the package stands in it.
"""

import ast
import json
from pathlib import Path
from typing import Any

from .core import Group
from .parameters import ParameterError
from .rows import check_rule
from .rule import Rule, RuleError

# What each trainer calls, and what a rule may read there beyond rewards. {name} is the rule's.
TRAINERS: "dict[str, tuple[str, tuple[str, ...], str]]" = {
    "verl": (
        "VERL_USE_EXTERNAL_MODULES={module} and algorithm.adv_estimator={name}",
        (),
        """

def _register():
    from verl.trainer.ppo.core_algos import register_adv_est

    @register_adv_est(NAME)
    def estimator(*, token_level_rewards, response_mask, index=None, config=None, **_):
        rewards, mask = token_level_rewards.double().tolist(), response_mask.tolist()
        made = token_level_rewards.new_tensor(batch_advantages(rewards, mask, list(index)))
        return made, made


if __name__ != "__main__":
    _register()
""",
    ),
    "skyrl": (
        'AdvantageEstimatorRegistry.register("{name}", estimator)',
        (),
        """

def estimator(token_level_rewards, response_mask, index, **_):
    rewards, mask = token_level_rewards.double().tolist(), response_mask.tolist()
    made = token_level_rewards.new_tensor(batch_advantages(rewards, mask, list(index)))
    return made, made
""",
    ),
    "trl": (
        "class Trainer(TurnCredit, GRPOTrainer), with `turn_rewards` among the fields of rollout_func; one process",
        (),
        """

class TurnCredit:
    def _calculate_rewards(self, inputs, prompts, completions, completion_ids_list):
        matrix = super()._calculate_rewards(inputs, prompts, completions, completion_ids_list)
        self._outcomes = (matrix * self.reward_weights.to(matrix.device)).nansum(dim=1).tolist()
        self._paid = [list(example.get("turn_rewards") or []) for example in inputs]
        return matrix

    def _generate_and_score_completions(self, inputs):
        output = super()._generate_and_score_completions(inputs)
        mask = (output["completion_mask"] * output.get("tool_mask", 1)).tolist()
        rewards = [[0.0] * len(row) for row in mask]
        for row, (outcome, paid) in enumerate(zip(self._outcomes, self._paid)):
            ends = [run[-1] for run in runs(mask[row])]
            for end, reward in zip(ends[:-1], paid):
                rewards[row][end] = float(reward)
            if ends:
                rewards[row][ends[-1]] = outcome
        size = self.num_generations if self.model.training else self.num_generations_eval
        made = batch_advantages(rewards, mask, [row // size for row in range(len(mask))])
        output["advantages"] = output["advantages"].new_tensor(made)
        return output
""",
    ),
}

ADAPTER = '''

def runs(mask):
    """The places of each run of ones: the turns."""
    found = []
    for place, own in enumerate(mask):
        if own:
            if place == 0 or not mask[place - 1]:
                found.append([])
            found[-1].append(place)
    return found


def batch_advantages(rewards, mask, groups):
    """[rows][tokens]: each token of a turn gets the turn's advantage; rewards up to the next turn are the turn's."""
    made, members = [[0.0] * len(row) for row in mask], {}
    for row, key in enumerate(groups):
        members.setdefault(key, []).append(row)
    for key, rows in members.items():
        turns, places = [], []
        for row in rows:
            own = runs(mask[row])
            starts = [0, *(run[0] for run in own[1:]), len(mask[row])]
            for k, run in enumerate(own):
                paid = total(rewards[row][starts[k] : starts[k + 1]])
                last = k == len(own) - 1
                turn = {"parent": -1 if k == 0 else len(turns) - 1, "reward": 0.0 if last else paid, "tokens": len(run)}
                turns.append({**turn, "outcome": paid} if last else turn)
                places.append((row, run))
        for (row, run), value in zip(places, credit(with_totals(REWARDS, Group(str(key), turns, False)), **PARAMETERS)):
            for place in run:
                made[row][place] = 0.0 if value is None else value
    return made


def self_test():
    """Works three groups out; raises AssertionError where the numbers are not those of the day of the export."""
    for name, turns, expected in VECTORS:
        made = credit(with_totals(REWARDS, Group(name, turns)), **PARAMETERS)
        for turn, (a, b) in enumerate(zip(made, expected)):
            assert (a is None) == (b is None) and abs((a or 0) - (b or 0)) <= 1e-12 * max(1, abs(b or 0)), (name, turn, a, b)
    return f"{len(VECTORS)} vectors, all as expected"
'''


def export(rule: Rule, trainer: str, module: str = "turnwise_rule") -> str:
    """The text of the file.

    Raises ParameterError for an unknown trainer, UnsupportedRule, and RuleError for a rule with its own `import turnwise_rl`.
    """
    if trainer not in TRAINERS:
        raise ParameterError(f"--to: no export for {trainer!r}; known: {', '.join(TRAINERS)}")
    use, carried, plug = TRAINERS[trainer]
    check_rule(rule, trainer, carried)
    vectors = [(name, turns, rule(Group(name, turns)).advantage) for name, turns in _GROUPS]
    name = f"turnwise-{Path(rule.name).stem if rule.name.endswith('.py') else rule.name}"
    head = f'"""{rule.doc}\n\nExported for {trainer}: {use.format(name=name, module=module)}\nSelf-test: python {module}.py\n"""\n'
    core = (Path(__file__).parent / "core.py").read_text(encoding="utf-8")
    settings = f'\nNAME = "{name}"\nREWARDS = {rule.rewards!r}\nPARAMETERS = {rule.values!r}\nVECTORS = {json.dumps(vectors)}\n'.replace("null", "None")
    end = '\n\nif __name__ == "__main__":\n    print(self_test())\n'
    return f"{head}\n{_without_doc(core)}\n\n{_without_imports(rule)}\n{settings}{ADAPTER}{plug}{end}"


# Groups that tell rules apart: outcomes that tie, turns that do not, a rollout of one turn, a lone rollout.
_GROUPS: "list[tuple[str, list[dict[str, Any]]]]" = [
    (
        "turns differ",
        [
            {"parent": -1, "reward": 1.0, "tokens": 2},
            {"parent": 0, "reward": 0.0, "outcome": 1.0, "tokens": 1},
            {"parent": -1, "reward": 0.0, "tokens": 1},
            {"parent": 2, "reward": 0.0, "outcome": 1.0, "tokens": 2},
            {"parent": -1, "reward": 0.0, "outcome": 0.25, "tokens": 3},
        ],
    ),
    ("all equal", [{"parent": -1, "reward": 0.0, "outcome": 0.1, "tokens": 1} for _ in range(3)]),
    ("alone", [{"parent": -1, "reward": 0.5, "tokens": 1}, {"parent": 0, "reward": 0.0, "outcome": 1.0, "tokens": 1}]),
]


def _without_doc(source: str) -> str:
    """A module's text without the docstring that it begins with."""
    first = ast.parse(source).body[0]
    return "\n".join(source.split("\n")[first.end_lineno :]).strip()


# The package, and its name before the first release.
_PACKAGE = ("turnwise_rl", "turnwise")


def _without_imports(rule: Rule) -> str:
    """A rule's text without its docstring and without what it imports from the package, which stands above it."""
    lines, drop = rule.source.split("\n"), set()
    for node in ast.walk(ast.parse(rule.source)):
        if isinstance(node, ast.ImportFrom) and node.module in _PACKAGE:
            if any(alias.asname for alias in node.names):
                raise RuleError("an import under another name cannot be exported", rule.file, node.lineno)
            drop |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        elif isinstance(node, ast.Import) and any(alias.name.split(".")[0] in _PACKAGE for alias in node.names):
            raise RuleError("write `from turnwise_rl import ...` instead, so that the rule can be exported", rule.file, node.lineno)
    first = ast.parse(rule.source).body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        drop |= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    text = "\n".join(line for number, line in enumerate(lines, 1) if number not in drop).strip()
    # One shape of result: rules with intermediate values return a pair.
    return f"{text}\n{_ONE_SHAPE}"


_ONE_SHAPE = """

_own_credit = credit


def credit(group, **values):
    made = _own_credit(group, **values)
    return made[0] if type(made) is tuple and len(made) == 2 and type(made[1]) is dict else made
"""
