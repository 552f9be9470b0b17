"""Exported rules and the table of edge cases in the installed verl and TRL."""

import os
import subprocess
import sys

from turnwise_rl.conformance import CASES, table


def test_exported_rule_equals_the_plug_in_in_verl(tmp_path):
    command = [sys.executable, "-m", "turnwise_rl", "export", "--rule", "mt-grpo", "--to", "verl"]
    subprocess.run([*command, "--out", str(tmp_path / "exported_rule.py"), "--set", "alpha=.9"], check=True)
    code = """
import numpy as np, torch
from verl.trainer.ppo.core_algos import get_adv_estimator_fn as f
mask = torch.tensor([[1, 1, 0, 1, 0], [1, 0, 1, 1, 0], [1, 1, 1, 0, 0]])
rewards = torch.tensor([[0, 1, 0, 1, 0], [0, 0, 0, .5, 0], [0, 0, .25, 0, 0]])
given = dict(token_level_rewards=rewards, response_mask=mask, index=np.array(['a'] * 3, dtype=object), config=None)
a, b = f('turnwise-mt-grpo')(**given)[0], f('turnwise/mt-grpo?alpha=.9')(**given)[0]
torch.testing.assert_close(a, b, atol=1e-6, rtol=1e-6)
print('same', float(a.abs().sum()) > 1)
"""
    environment = {**os.environ, "VERL_USE_EXTERNAL_MODULES": "exported_rule", "PYTHONPATH": str(tmp_path)}
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment, cwd=tmp_path)
    assert process.stdout.strip().endswith("same True"), process.stderr[-2000:]


def test_rloo_estimators_of_verl_differ_for_a_single_rollout():
    lines = table(["verl"], [CASES[0], CASES[1]]).splitlines()
    assert lines[0].startswith("verl 0.")
    header, *rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("|")]
    first, second = dict(zip(header, rows[1])), dict(zip(header, rows[2]))
    assert set(list(first.values())[1:]) == {"equal"}
    assert second["verl rloo"] == "equal" and second["verl rloo_vectorized"] == "differs by 1"


def test_conformance_command_with_trl():
    process = subprocess.run([sys.executable, "-m", "turnwise_rl", "conformance", "--trainer", "trl"], capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    cells = {line.split("|")[1].strip(): [cell.strip() for cell in line.split("|")[2:-1]] for line in process.stdout.splitlines() if line.startswith("|")}
    assert cells["a sibling without action tokens"] == ["differs by 1.27", "equal"]
    assert cells["a reward that is NaN"] == ["equal", "equal"]
