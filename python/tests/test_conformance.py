"""The table of edge cases: its references against hand calculations."""

import math

import pytest

from turnwise_rl.conformance import CASES, Case, table, verdict


def test_references_count_rollouts_and_not_rows():
    case = next(case for case in CASES if case.rollout)
    # Two rollouts, 1 and 0: +-0.5 / (sqrt(0.5) + 1e-6), whatever the second one's number of rows.
    one = 0.5 / (math.sqrt(0.5) + 1e-6)
    assert case.expected("grpo-or") == pytest.approx([one, -one, -one, -one], abs=1e-12)
    nan = next(case for case in CASES if any(math.isnan(reward) for reward in case.rewards))
    assert nan.expected("dr-grpo") == [0.5, -0.5, None]


@pytest.mark.parametrize(
    "made, told",
    [([[1.0], [-1.0]], "differs by 0.5"), ([[0.5], [-0.5]], "equal"), ([[math.nan], [0.0]], "NaN"), (KeyError("x"), "KeyError")],
)
def test_cells(made, told):
    def run(case, name):
        if isinstance(made, Exception):
            raise made
        return made

    assert verdict(Case("two", [1, 0], mask=[[1], [1]]), run, "any", "dr-grpo") == told


def test_unknown_trainer_is_named():
    with pytest.raises(ValueError, match="no 'nemo'; known: verl, trl"):
        table(["nemo"])
