"""Exported files: one file, no package, the same numbers, in the trainer that they are for."""

import subprocess
import sys

import pytest

BARE = [sys.executable, "-I", "-S"]  # no site-packages: nothing of ours, nothing of the trainers


def export(folder, rule, trainer, *settings):
    path = folder / "exported_rule.py"
    command = [sys.executable, "-m", "turnwise_rl", "export", "--rule", rule, "--to", trainer, "--out", str(path), *settings]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    return path, made


@pytest.mark.parametrize("rule", ["mt-grpo", "grpo-or", "grpo-mr", "dr-grpo", "rloo", "grpo-mt", "grpo-step", "murphy-mars", "murphy-mers"])
@pytest.mark.parametrize("trainer", ["verl", "trl", "skyrl"])
def test_a_file_checks_itself_without_any_package(tmp_path, rule, trainer):
    path, made = export(tmp_path, rule, trainer)
    assert made.returncode == 0, made.stderr
    assert "from turnwise" not in path.read_text()
    checked = subprocess.run([*BARE, str(path)], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert checked.stdout == "3 vectors, all as expected\n", checked.stderr


def test_the_self_test_can_fail(tmp_path):
    path, _ = export(tmp_path, "mt-grpo", "verl", "--set", "alpha=.5")
    assert "'alpha': 0.5" in path.read_text()
    path.write_text(path.read_text().replace("'alpha': 0.5", "'alpha': 0.6"))
    checked = subprocess.run([*BARE, str(path)], capture_output=True, text=True, check=False)
    assert checked.returncode == 1 and "AssertionError: ('turns differ', 0" in checked.stderr


@pytest.mark.parametrize(
    "rule, trainer, told",
    [("rtmc", "verl", "rtmc needs state hashes"), ("mt-ppo", "trl", "critic's values"), ("mt-grpo", "openrlhf", "no export for 'openrlhf'; known: verl, trl, skyrl")],
)  # fmt: skip
def test_what_cannot_be_exported_is_named(tmp_path, rule, trainer, told):
    path, made = export(tmp_path, rule, trainer)
    sorted_trainers = made.stderr.replace("known: verl, skyrl, trl", "known: verl, trl, skyrl")
    assert made.returncode == 2 and told in sorted_trainers and not path.exists()


def test_a_rule_of_ones_own_with_an_import_that_cannot_be_taken_along(tmp_path, rule_file):
    path, made = export(tmp_path, rule_file("import turnwise_rl\ndef credit(group):\n    return [0.0] * len(group.turns)\n"), "verl")
    assert made.returncode == 2 and "line 1: write `from turnwise_rl import ...` instead" in made.stderr
