"""`gough.jax.jit`: which of two compilations answers, where the compiler knows its option and where it does not."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from gough.dynamics import jax as model_jax

UNKNOWN = "No such compile option: 'xla_cpu_use_fusion_emitters'"


class Compiler:
    """Stands in for JAX: writes down who is compiled with which options, and who is called."""

    def __init__(self, backend: str, says: str | None = None) -> None:
        self.backend, self.says = backend, says
        self.made: list[dict[str, Any]] = []
        self.called: list[str] = []

    def jit(self, function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
        self.made.append(options)
        tuned = "compiler_options" in options

        def call(*args: Any, **kwargs: Any) -> Any:
            self.called.append("tuned" if tuned else "plain")
            if tuned and self.says is not None:
                raise ValueError(self.says)
            return function(*args, **kwargs)

        return call

    def compiled(self, monkeypatch: pytest.MonkeyPatch, **options: Any) -> Callable[..., Any]:
        stand_in = SimpleNamespace(default_backend=lambda: self.backend, jit=self.jit)
        monkeypatch.setattr(model_jax, "require_jax", lambda: stand_in)
        return model_jax.jit(lambda x, y=1.0: 10.0 * x + y, **options)


def test_other_processors_get_no_option_of_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    card = Compiler("gpu")
    assert card.compiled(monkeypatch, static_argnums=0)(2.0, y=3.0) == 23.0
    assert card.made == [{"static_argnums": 0}]
    assert card.called == ["plain"]


def test_a_compiler_that_knows_the_option_is_always_told_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    knows = Compiler("cpu")
    function = knows.compiled(monkeypatch, static_argnums=0)
    assert [function(1.0), function(2.0, y=5.0), function(3.0, 0.0)] == [11.0, 25.0, 30.0]
    assert knows.called == ["tuned"] * 3
    tuned = [options for options in knows.made if "compiler_options" in options]
    assert [set(options["compiler_options"]) for options in tuned] == [
        {"xla_cpu_use_fusion_emitters"}
    ]
    assert all(options["static_argnums"] == 0 for options in knows.made)


def test_a_compiler_that_does_not_know_it_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """From then on the plain compilation answers at once."""
    old = Compiler("cpu", UNKNOWN)
    function = old.compiled(monkeypatch)
    assert function(1.0) == 11.0
    assert function(2.0, y=5.0) == 25.0
    assert function(3.0, 0.0) == 30.0
    assert old.called == ["tuned", "plain", "plain", "plain"]


def test_what_has_compiled_before_raises_whatever_goes_wrong_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An option that was known is no reason for an error, even for one that names it."""
    knows = Compiler("cpu")
    function = knows.compiled(monkeypatch)
    assert function(1.0) == 11.0
    knows.says = UNKNOWN
    with pytest.raises(ValueError, match="No such compile option"):
        function(1.0)
    assert knows.called == ["tuned", "tuned"]
    knows.says = None
    assert function(1.0) == 11.0


def test_any_other_error_is_raised_and_the_next_call_tries_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken = Compiler("cpu", "out of memory")
    function = broken.compiled(monkeypatch)
    with pytest.raises(ValueError, match="out of memory"):
        function(1.0)
    broken.says = None
    assert function(1.0) == 11.0
    assert broken.called == ["tuned", "tuned"]
