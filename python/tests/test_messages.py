"""Invalid calls and outputs end with an error message and without a traceback."""

import json
import os
import subprocess
import sys
import warnings
from importlib import import_module

import pytest

from turnwise_rl import load_rule
from turnwise_rl.__main__ import main
from turnwise_rl.conformance import TrainerError, table
from turnwise_rl.installation import check_version
from turnwise_rl.parameters import ParameterError
from turnwise_rl.rows import CARRIED, UnsupportedRule, check_rule

GROUP = {"turns": [{"parent": -1, "reward": 0, "outcome": 1}]}


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["conformance", "--trainer", "foo"], "--trainer: no 'foo'; known: verl, trl"),
        (["rules", "mt-grpo?alpha"], '"alpha" is not NAME=VALUE'),
        (["rules", "mtgrpo"], "no such rule (the nearest name is mt-grpo)"),
        (["rules", "mt_grpo"], "no such rule (the nearest name is mt-grpo)"),
        (["rules", "GRPO-Or"], "no such rule (the nearest name is grpo-or)"),
        (["credit", "--rule", "verpro", "-"], "no such rule (the nearest name is verpo)"),  # cspell:disable-line
        (["rules", "zzz"], "zzz: no such rule; known: "),
    ],
)
def test_unknown_names_exit_with_2(capsys, arguments, message):
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_conformance_names_a_missing_trainer(monkeypatch):
    from importlib.metadata import PackageNotFoundError

    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr("turnwise_rl.conformance.version", missing)
    with pytest.raises(TrainerError, match=r'needs trl, which is not installed: pip install "./python\[trl\]" in a clone'):
        table(["trl"])


@pytest.mark.parametrize("module, package, absent", [("verl", "verl", "torch"), ("trl", "TRL", "torch"), ("ray", "Ray", "ray.data")])
def test_a_plug_in_without_its_trainer_names_the_package_to_install(monkeypatch, module, package, absent):
    monkeypatch.setitem(sys.modules, absent, None)
    monkeypatch.delitem(sys.modules, f"turnwise_rl.{module}", raising=False)
    with pytest.raises(ImportError, match=rf'turnwise_rl.{module} needs {package}: pip install "./python\[{module}\]" in a clone'):
        import_module(f"turnwise_rl.{module}")


@pytest.mark.parametrize("module, untested", [("verl", "0.10.0"), ("verl", "0.9.0"), ("verl", "0.10.0.dev0"), ("trl", "1.17.0"), ("trl", "1.15.2")])
def test_a_plug_in_warns_of_an_untested_version_of_its_trainer(monkeypatch, module, untested):
    monkeypatch.setattr("turnwise_rl.installation.version", lambda name: untested)
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, f"turnwise_rl.{module}", raising=False)
    with pytest.raises(ImportError, match="needs"), pytest.warns(UserWarning, match=rf"tested with {module}[<>=.,\d]+, and {module} {untested} is installed"):
        import_module(f"turnwise_rl.{module}")


def test_tested_versions_of_trainers_cause_no_warning(monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for trainer, tested in (("verl", "0.9.1"), ("trl", "1.16.3")):
            monkeypatch.setattr("turnwise_rl.installation.version", lambda name, tested=tested: tested)
            check_version(trainer)


def test_a_rule_of_another_type_is_rejected():
    with pytest.raises(ParameterError, match="not by a dict"):
        load_rule({"rule": "mt-grpo"})


def test_help_lists_the_profiles_and_explains_absent(capsys):
    assert main(["rules", "mt-grpo"]) == 0
    text = capsys.readouterr().out
    assert "one of turnwise, trl, verl, rllm, dr-grpo; its constants can be given alone: ddof, epsilon" in text
    assert text.index("absent = 'leave'") < text.index("Turns that a shorter rollout lacks") < text.index("profile =")


def test_missing_fields_are_named_once():
    with pytest.raises(UnsupportedRule, match=r"needs log-probabilities \(`logProb`\) of turns, which verl"):
        check_rule(load_rule("tree-grpo"), "verl", [name for name in CARRIED if name != "logProb"])


def run(output, arguments):
    return subprocess.Popen([sys.executable, "-m", "turnwise_rl", *arguments], stdout=output, stderr=subprocess.PIPE, encoding="utf-8")


def test_a_closed_pipe_is_not_an_error(tmp_path):
    file = tmp_path / "groups.jsonl"
    file.write_text("".join(f"{json.dumps({'id': str(number), **GROUP})}\n" for number in range(20_000)))
    process = run(subprocess.PIPE, ["credit", "--rule", "grpo-or", str(file)])
    assert process.stdout and process.stdout.readline() == '{"id":"0","advantage":[0]}\n'
    process.stdout.close()
    assert (process.wait(), process.stderr.read()) == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has /dev/full")
@pytest.mark.parametrize("command", ["credit", "rules"])
def test_a_full_output_is_a_failure(tmp_path, command):
    file = tmp_path / "groups.jsonl"
    file.write_text(json.dumps({"id": "a", **GROUP}))
    arguments = ["credit", "--rule", "grpo-or", str(file)] if command == "credit" else ["rules"]
    with open("/dev/full", "w") as full:
        process = run(full, arguments)
    assert (process.wait(), process.stderr.read()) == (1, "turnwise: standard output: No space left on device\n")
