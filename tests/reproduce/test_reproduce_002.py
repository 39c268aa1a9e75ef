"""What the page on 002 says: figures complete, numbers those of the errata, verdicts as argued."""

import numpy as np
import pytest

from gough.reproduce import reproduce
from gough.reproduce.counting import CountedComplex, Tally
from gough.reproduce.lagrange import operations


@pytest.fixture(scope="module")
def lopes():
    return reproduce("lagrange")


def errata(report):
    return {e.key: e.cost for e in report.errata}


def claim(report, words):
    (found,) = [c for c in report.claims if words in c.statement]
    return found


def check_figures(report):
    for figure in report.figures:
        for panel in figure.panels:
            for curve in panel.curves:
                assert curve.x.size > 1
                assert np.isfinite(curve.x).all()
                assert np.isfinite(curve.y).all()
                assert panel.yscale == "linear" or (curve.y > 0).all()


def test_002_has_every_figure_table_and_erratum(lopes):
    assert {f"002-fig0{i}" for i in range(1, 6)} <= {f.key for f in lopes.figures}
    assert {"002-table1", "002-table2"} <= {t.key for t in lopes.tables}
    assert list(errata(lopes)) == [f"E002-{i}" for i in range(1, 11)]
    check_figures(lopes)


def test_002_numbers(lopes):
    """Errata E002-1, 7, 8; layout B at 2 s is 2.75 %, which the errata round to 2.7."""
    cost = errata(lopes)
    assert "0.002 N (0.015 %) of the peak with I_Lxx = 0.001" in cost["E002-1"]
    assert cost["E002-7"] == "0.0098 N per actuator at rest"
    assert cost["E002-8"].startswith("0.5, 1.6, 5.2, 8.7 %")
    assert "0.7, 2.8, 10.2, 15.1 %" in cost["E002-8"]
    assert claim(lopes, "cannot rotate").verdict == "wrong"
    assert claim(lopes, "similar forces").verdict == "undecided"
    assert "85.4 % saved" in claim(lopes, "computational burden").as_printed


def test_002_counted_operations(lopes):
    """The inertia matrix costs fewer operations here than in Table 1, and point masses less than links."""
    table = {t.key: t for t in lopes.tables}["002-table1-ours"]
    paper, ours = ({row[0]: row[n] for row in table.rows} for n in (1, 2))
    total = [
        int(ours[f"all, {n}"])
        for n in ("simplified", "three masses (not in the paper)", "complete")
    ]
    assert total == sorted(total)
    assert int(ours["inertia matrices, complete"]) < int(paper["inertia matrices, complete"])
    assert int(paper["inertia matrices, complete"]) == sum(operations.TABLE_1_TOTAL[3:])
    assert int(paper["Coriolis terms, complete"]) == sum(operations.TABLE_1_TOTAL[:3])
    assert all(row[3] for row in table.rows[:4])  # a difference has its reason


def test_pair_counts_complex_arithmetic():
    """A planted extra multiplication shows, and the values are those of complex numbers."""
    tally = Tally()
    a, b = CountedComplex(1 + 2j, tally), CountedComplex(3 - 1j, tally)
    c = (a * b + 1.0) / b - a
    assert c.value == pytest.approx(((1 + 2j) * (3 - 1j) + 1) / (3 - 1j) - (1 + 2j))
    assert (tally.additions, tally.multiplications, tally.divisions) == (2 + 1 + 3 + 2, 4 + 6, 2)
    assert a.sqrt().value ** 2 == pytest.approx(1 + 2j)
    assert (0.0 / a, 0.0 * a) == (0.0, 0.0)
