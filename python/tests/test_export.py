"""Exported rules: each is one file that needs no package and computes the same numbers as the rule."""

import subprocess
import sys

import pytest

BARE = [sys.executable, "-I", "-S"]  # no site-packages: neither this package nor a trainer


def export(folder, rule, trainer, *settings):
    path = folder / "exported_rule.py"
    command = [sys.executable, "-m", "turnwise_rl", "export", "--rule", rule, "--to", trainer, "--out", str(path), *settings]
    completed = subprocess.run(command, capture_output=True, text=True, check=False)
    return path, completed


@pytest.mark.parametrize("rule", ["mt-grpo", "grpo-or", "grpo-mr", "dr-grpo", "rloo", "grpo-mt", "grpo-step", "murphy-mars", "murphy-mers"])
@pytest.mark.parametrize("trainer", ["verl", "trl", "skyrl"])
def test_self_test_passes_without_packages(tmp_path, rule, trainer):
    path, completed = export(tmp_path, rule, trainer)
    assert completed.returncode == 0, completed.stderr
    assert "from turnwise" not in path.read_text()
    checked = subprocess.run([*BARE, str(path)], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert checked.stdout == "3 vectors, all as expected\n", checked.stderr


def test_self_test_fails_for_changed_parameters(tmp_path):
    path, _ = export(tmp_path, "mt-grpo", "verl", "--set", "alpha=.5")
    assert "'alpha': 0.5" in path.read_text()
    path.write_text(path.read_text().replace("'alpha': 0.5", "'alpha': 0.6"))
    checked = subprocess.run([*BARE, str(path)], capture_output=True, text=True, check=False)
    assert checked.returncode == 1 and "AssertionError: ('turns differ', 0" in checked.stderr


@pytest.mark.parametrize(
    "rule, trainer, message",
    [("rtmc", "verl", "rtmc needs state hashes"), ("mt-ppo", "trl", "critic's values"), ("mt-grpo", "openrlhf", "no export for 'openrlhf'; known: verl, trl, skyrl")],
)  # fmt: skip
def test_error_names_the_obstacle_of_an_export(tmp_path, rule, trainer, message):
    path, completed = export(tmp_path, rule, trainer)
    sorted_trainers = completed.stderr.replace("known: verl, skyrl, trl", "known: verl, trl, skyrl")
    assert completed.returncode == 2 and message in sorted_trainers and not path.exists()


def test_export_of_a_rule_with_a_module_import_fails(tmp_path, rule_file):
    path, completed = export(tmp_path, rule_file("import turnwise_rl\ndef credit(group):\n    return [0.0] * len(group.turns)\n"), "verl")
    assert completed.returncode == 2 and "line 1: write `from turnwise_rl import ...` instead" in completed.stderr
