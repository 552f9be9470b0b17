"""The table of edge cases: its reference values and its cells."""

import math

import pytest

from turnwise_rl.conformance import CASES, Case, compare, table


def test_reference_values_count_rollouts_instead_of_rows():
    case = next(case for case in CASES if case.rollout)
    # Two rollouts, 1 and 0: +-0.5 / (sqrt(0.5) + 1e-6), regardless of the number of rows of the second rollout.
    A = 0.5 / (math.sqrt(0.5) + 1e-6)
    assert case.expected("grpo-or") == pytest.approx([A, -A, -A, -A], abs=1e-12)
    nan = next(case for case in CASES if any(math.isnan(reward) for reward in case.rewards))
    assert nan.expected("dr-grpo") == [0.5, -0.5, None]


@pytest.mark.parametrize(
    "result, cell",
    [([[1.0], [-1.0]], "differs by 0.5"), ([[0.5], [-0.5]], "equal"), ([[math.nan], [0.0]], "NaN"), (KeyError("x"), "KeyError")],
)
def test_cells(result, cell):
    def run(case, name):
        if isinstance(result, Exception):
            raise result
        return result

    assert compare(Case("two", [1, 0], mask=[[1], [1]]), run, "any", "dr-grpo") == cell


def test_error_names_an_unknown_trainer():
    with pytest.raises(ValueError, match="no 'nemo'; known: verl, trl"):
        table(["nemo"])
