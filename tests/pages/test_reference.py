"""The reference: every public name is in it, every name of gough has one example, and the examples run."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
from handbook.docstrings import markdown
from handbook.reference import PACKAGES, addresses, entries, examples, has_example, package_page

import gough

NAMES = [entry for entry in entries("gough") if entry.group != "Modules"]


def example(name: str) -> str:
    entry = next(entry for entry in NAMES if entry.name == name)
    return entry.docstring if has_example(entry) else examples()[name]


@pytest.mark.parametrize("name", [entry.name for entry in NAMES])
def test_the_example_of_a_name_runs(name: str) -> None:
    test = doctest.DocTestParser().get_doctest(
        example(name), {"gough": gough, "np": np}, name, None, 0
    )
    assert any(name in one.source or name in one.want for one in test.examples)
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(
        test, out=said.append
    )
    assert result.attempted > 0
    assert not result.failed, "".join(said)


def test_every_name_of_gough_has_exactly_one_example() -> None:
    beside = set(examples())
    own = {entry.name for entry in NAMES if has_example(entry)}
    assert beside | own == {entry.name for entry in NAMES}
    assert not beside & own


def test_every_public_name_is_on_a_page() -> None:
    links, shown = addresses(), examples()
    for package in PACKAGES:
        text = package_page(package, links, shown)
        for entry in entries(package):
            if entry.group == "Modules":
                assert f"`{entry.path}`" in text
            else:
                assert f"{{ #{entry.path} }}" in text


def test_docstrings_become_what_they_mean() -> None:
    text = markdown(
        """Forces of a *leg*, see `load`.

        mass  kg, of
              the body
        time: s, when
        it ends
            F = m a

        >>> 1 + 1
        2
        """,
        {"load": "gough.md#gough.load"},
        ("time",),
    )
    assert "\\*leg\\*, see [`load`](gough.md#gough.load)" in text
    assert "- `mass`: kg, of the body\n- `time`: s, when it ends F = m a" in text
    assert "```pycon\n>>> 1 + 1\n2\n```" in text
