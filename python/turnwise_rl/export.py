"""Export of a rule as one self-contained file for a trainer: rule, parameters, formulas, and three vectors for a self-test.

The file does not import this package: it contains the code that the rule imports from the package.
"""

import ast
import json
from pathlib import Path
from typing import Any

from .core import Group
from .parameters import ParameterError
from .rows import check_rule
from .rule import Rule, RuleError

# For each trainer: instructions for using the file, the fields of turns in addition to rewards, and the code that the
# trainer calls. {name} is the name of the rule.
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
        advantages = token_level_rewards.new_tensor(batch_advantages(rewards, mask, list(index)))
        return advantages, advantages


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
    advantages = token_level_rewards.new_tensor(batch_advantages(rewards, mask, list(index)))
    return advantages, advantages
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
        self._turn_rewards = [list(example.get("turn_rewards") or []) for example in inputs]
        return matrix

    def _generate_and_score_completions(self, inputs):
        output = super()._generate_and_score_completions(inputs)
        mask = (output["completion_mask"] * output.get("tool_mask", 1)).tolist()
        rewards = [[0.0] * len(row) for row in mask]
        for row, (outcome, turn_rewards) in enumerate(zip(self._outcomes, self._turn_rewards)):
            ends = [run[-1] for run in runs(mask[row])]
            for end, reward in zip(ends[:-1], turn_rewards):
                rewards[row][end] = float(reward)
            if ends:
                rewards[row][ends[-1]] = outcome
        size = self.num_generations if self.model.training else self.num_generations_eval
        advantages = batch_advantages(rewards, mask, [row // size for row in range(len(mask))])
        output["advantages"] = output["advantages"].new_tensor(advantages)
        return output
""",
    ),
}

ADAPTER = '''

def runs(mask):
    """The positions of each run of ones: the turns."""
    result = []
    for position, is_policy in enumerate(mask):
        if is_policy:
            if position == 0 or not mask[position - 1]:
                result.append([])
            result[-1].append(position)
    return result


def batch_advantages(rewards, mask, groups):
    """[rows][tokens]: the advantage of the turn of each token. Rewards up to the next turn belong to the turn."""
    result, members = [[0.0] * len(row) for row in mask], {}
    for row, key in enumerate(groups):
        members.setdefault(key, []).append(row)
    for key, rows in members.items():
        turns, positions = [], []
        for row in rows:
            turns_of_row = runs(mask[row])
            starts = [0, *(run[0] for run in turns_of_row[1:]), len(mask[row])]
            for k, run in enumerate(turns_of_row):
                reward = total(rewards[row][starts[k] : starts[k + 1]])
                last = k == len(turns_of_row) - 1
                turn = {"parent": -1 if k == 0 else len(turns) - 1, "reward": 0.0 if last else reward, "tokens": len(run)}
                turns.append({**turn, "outcome": reward} if last else turn)
                positions.append((row, run))
        for (row, run), value in zip(positions, credit(with_totals(REWARDS, Group(str(key), turns, False)), **PARAMETERS)):
            for position in run:
                result[row][position] = value or 0.0
    return result


def self_test():
    """Computes three groups. Raises AssertionError if the numbers differ from the numbers at the export."""
    for name, turns, expected in VECTORS:
        actual = credit(with_totals(REWARDS, Group(name, turns)), **PARAMETERS)
        for turn, (a, b) in enumerate(zip(actual, expected)):
            assert (a is None) == (b is None) and abs((a or 0) - (b or 0)) <= 1e-12 * max(1, abs(b or 0)), (name, turn, a, b)
    return f"{len(VECTORS)} vectors, all as expected"
'''


def export(rule: Rule, trainer: str, module: str = "turnwise_rule") -> str:
    """Returns the text of the exported file. `module`: name of the file without its ending.

    Raises ParameterError for an unknown trainer, UnsupportedRule as check_rule does, and RuleError for a rule with
    `import turnwise_rl`.
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


# Groups that distinguish rules: turns with different rewards, equal outcomes, a rollout of one turn, a single rollout.
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
    ("single rollout", [{"parent": -1, "reward": 0.5, "tokens": 1}, {"parent": 0, "reward": 0.0, "outcome": 1.0, "tokens": 1}]),
]


def _without_doc(source: str) -> str:
    """Returns the text of a module without its docstring."""
    first = ast.parse(source).body[0]
    return "\n".join(source.split("\n")[first.end_lineno :]).strip()


# The package name and the former package name.
_PACKAGE = ("turnwise_rl", "turnwise")


def _without_imports(rule: Rule) -> str:
    """Returns the text of a rule without its docstring and without imports of names that the exported file contains."""
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
    # Rules with intermediate values return a pair; the code of the trainer needs a list.
    return f"{text}\n{_WITHOUT_INTERMEDIATE}"


_WITHOUT_INTERMEDIATE = """

_rule_credit = credit


def credit(group, **values):
    result = _rule_credit(group, **values)
    return result[0] if type(result) is tuple and len(result) == 2 and type(result[1]) is dict else result
"""
