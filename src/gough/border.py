"""The border: what every public verb takes, declared once, and checked before the verb runs.

The kind of an argument is its annotation; what its numbers mean is in `quantities.py` by the argument's name: trailing
shape, unit, largest plausible size.  `guarded` makes the check of a verb from both; packages attach it to every
function they hand out (`gough.lazy`), so a public call ends in an answer or in one `InputError` that names the field.
Calls inside the library do not pass the border twice.  Arguments that do not fit the signature (a missing one, one of
an unknown name) stay Python's own TypeError.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from itertools import islice
from types import FunctionType
from typing import Any, TypeVar

import numpy as np

from gough.checks import Check, InputError, array, number, within
from gough.extras import missing
from gough.quantities import ANYTHING, QUANTITIES, Quantity

Verb = TypeVar("Verb", bound=Callable[..., Any])
BY_THE_VERB = {
    "object",
    "Any",
    "Input",
    "Force",
    "SpinLike",
}  # many kinds: it checks them itself
ALIASES = {
    "CueMethod": "ClassicalWashout | AdaptiveWashout | PredictiveCueing",
    "Lengths": "Callable[[float], tuple]",
    "Fault": "Brake | PowerLoss",
    "Leg": "UPS | SPS | PUS | RUS | UCU | UCS | PSU | RSS",
    "SpinLike": "Spin | tuple[ArrayLike, ArrayLike]",
}
MADE_BY_USERS = {  # public classes whose arguments pass the border; other classes check themselves or are answers
    *("AdaptivePayload", "Admittance", "DisturbanceObserver", "LQR", "SlidingMode"),
    *("Adaptive", "Brake", "ComputedForce", "Decentralized", "DesignProblem", "Events"),
    *("FeedForward", "GravityCompensation", "Impedance", "Plant", "PlatformVectorEnv", "PowerLoss"),
    *("CompiledLaw", "Record", "Sampling", "Sensor", "Spin", "Springs", "State", "Task"),
    *("Evenly", "Normal", "PlatformEnv"),
}


MANY = 1_000_000  # items of a list that does not say how long it is
UNCHECKED = {"trusted", "evaluate", "init", "update"}  # methods that the library itself calls


def outside(**defaults: Any) -> Callable[[Verb], Verb]:
    """Decorator: defaults of the verb as users call it (``gough.verb``), where calls inside the library have others."""

    def declared(verb: Verb) -> Verb:
        verb.__outside__ = defaults  # type: ignore[attr-defined]
        return verb

    return declared


def guarded(verb: Callable[..., Any], name: str, package: str) -> Callable[..., Any]:
    """`verb` behind the checks of its contract; it bears its public address (it is pickled by it)."""
    usual = getattr(verb, "__outside__", {}) if package == "gough" else {}
    if getattr(verb, "__guarded__", False):
        if not usual:
            return verb
        verb = verb.__wrapped__  # type: ignore[attr-defined]
    order, checks = contract(verb, name)

    @wraps(verb)
    def border(*args: Any, **named: Any) -> Any:
        checked = [check(field, value) for (field, check), value in zip(order, args)]  # noqa: B905
        if named:
            for field, value in named.items():
                named[field] = checks.get(field, _pass)(field, value)
        for field in usual:
            named.setdefault(field, usual[field])
        if len(args) > len(checked):
            checked += args[len(checked) :]
        try:
            return verb(*checked, **named)
        except ImportError as error:
            told = missing(error)
            if told is None:
                raise
            raise told from error

    border.__module__, border.__qualname__, border.__guarded__ = package, name, True  # type: ignore[attr-defined]
    if usual:
        shown = inspect.signature(verb)
        fields = [
            f.replace(default=usual.get(f.name, f.default)) for f in shown.parameters.values()
        ]
        border.__signature__ = shown.replace(parameters=fields)  # type: ignore[attr-defined]
    return border


def guard(package: str) -> None:
    """Put the public functions and classes that a package has imported behind their checks."""
    module = sys.modules[package]
    for name, value in list(vars(module).items()):
        if not name.startswith("_") and getattr(value, "__module__", "").startswith("gough."):
            setattr(module, name, guarded_value(value, name, package))


def guarded_value(value: Any, name: str, package: str) -> Any:
    """A function behind its checks, a class with its constructor behind them, anything else as it is."""
    if isinstance(value, FunctionType):
        return guarded(value, name, package)
    return guard_class(value, name) if isinstance(value, type) else value


def checked(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: a function that is public by its module, behind the checks of its contract."""
    return guarded(verb, verb.__name__, verb.__module__)


def guard_class(made: type, name: str) -> type:
    """Checks of the contract before the constructor of `made` and its methods; in place: its identity stays."""
    if name in MADE_BY_USERS and not getattr(made.__init__, "__guarded__", False):
        address = made.__init__.__module__
        made.__init__ = guarded(made.__init__, name, address)  # type: ignore[method-assign]
    if issubclass(made, (BaseException, str)) or vars(made).get("_is_protocol"):
        return made
    for method, value in list(vars(made).items()):
        inside = getattr(value, "__func__", value)
        if method.startswith("_") or method in UNCHECKED or not isinstance(inside, FunctionType):
            continue
        if not getattr(inside, "__guarded__", False):
            behind = guarded(inside, name, inside.__module__)
            behind.__qualname__ = inside.__qualname__
            setattr(made, method, behind if inside is value else type(value)(behind))
    return made


def contract(
    verb: Callable[..., Any], name: str
) -> tuple[list[tuple[str, Check]], dict[str, Check]]:
    """The checks of a verb: of its positional arguments in order, and of all by name."""
    order: list[tuple[str, Check]] = []
    by_name: dict[str, Check] = {}
    for field in inspect.signature(verb).parameters.values():
        if field.kind is field.VAR_KEYWORD:
            options = verb.__globals__.get(str(field.annotation)[len("Unpack[") : -1])
            for key, declared in getattr(options, "__annotations__", {}).items():
                words = getattr(declared, "__forward_arg__", declared)
                by_name[key] = kind_of(str(words), quantity_of(name, key))
            continue
        declared = "object" if field.name in ("self", "cls") else str(field.annotation)
        check = kind_of(declared, quantity_of(name, field.name))
        by_name[field.name] = check
        if field.kind is field.VAR_POSITIONAL:
            order += [(field.name, check)] * 64
        elif field.kind is not field.KEYWORD_ONLY:
            order.append((field.name, check))
    return order, by_name


def quantity_of(verb: str, argument: str) -> Quantity:
    """What the numbers of an argument mean."""
    return QUANTITIES.get(f"{verb}.{argument}", QUANTITIES.get(argument, ANYTHING))


@cache
def kind_of(annotation: str, quantity: Quantity = ANYTHING) -> Check:
    """The check of one annotation: alternatives with ``|``, containers by their items, classes by their names."""
    if annotation.startswith("InitVar["):
        return kind_of(annotation[8:-1], quantity)
    words = [
        w for word in _alternatives(annotation) for w in _alternatives(ALIASES.get(word, word))
    ]
    if any(word in BY_THE_VERB for word in words):
        return _pass
    simple = [
        _SIMPLE[w.partition("[")[0]](w, quantity) for w in words if w.partition("[")[0] in _SIMPLE
    ]
    classes = frozenset(w.rpartition(".")[2] for w in words if w.partition("[")[0] not in _SIMPLE)
    if not classes and len(simple) == 1:
        return simple[0]
    allowed = " or ".join(f"a gough.{name}" for name in sorted(classes))
    known: set[type] = set()

    def check(field: str, value: Any) -> Any:
        kind = type(value)
        if kind in known or any(base.__name__ in classes for base in kind.__mro__):
            known.add(kind)
            if kind.__name__ in ("Motion", "Pose") and not value.position.size:
                raise InputError(field, f"batch shape {value.shape}", "must hold at least one pose")
            if quantity.alone and getattr(value, "shape", ()) != ():
                raise InputError(field, f"batch shape {value.shape}", "must be a single pose")
            return value
        refused: list[InputError] = []
        for alternative in simple:
            try:
                return alternative(field, value)
            except InputError as error:
                refused.append(error)
        telling = [error for error in refused if error.allowed != NOTHING]
        if telling:
            raise telling[0]
        raise InputError(field, value, f"must be {allowed}" if allowed else NOTHING)

    return check


NOTHING = "must be None"


def _numbers(_: str, quantity: Quantity) -> Check:
    shape, largest = quantity.shape or (), quantity.largest
    axes = len(shape)

    def check(field: str, value: Any) -> Any:
        plain = not quantity.single and not quantity.alone
        if plain and type(value) is np.ndarray and value.dtype == np.float64:
            tail = value.shape[value.ndim - axes :] if value.ndim >= axes else None
            if tail == shape and value.size and within(value, largest):
                return value  # the usual case, not copied
        a = array(field, value, None if quantity.single else shape, largest, quantity.unit)
        if a.size == 0:
            raise InputError(field, f"shape {a.shape}", "must not be empty")
        if quantity.single and a.shape and a.shape[-axes:] != shape:
            raise InputError(
                field, f"shape {a.shape}", f"must be one number, or end with shape {shape}"
            )
        if quantity.alone and a.ndim > axes:
            raise InputError(field, f"shape {a.shape}", f"must have shape {shape}: one state")
        return a

    return check


def _number(word: str, quantity: Quantity) -> Check:
    def check(field: str, value: Any) -> float:
        if quantity.open and isinstance(value, float) and abs(value) == float("inf"):
            return value
        x = number(field, value, minimum=quantity.at_least, largest=quantity.largest)
        if word == "float":
            return x
        if x != int(x):
            raise InputError(field, value, "must be a whole number")
        return value if type(value) is int else int(x)

    return check


def _only(
    allowed: str, kinds: tuple[type, ...], refused: tuple[type, ...] = ()
) -> Callable[..., Check]:
    def make(word: str, quantity: Quantity) -> Check:
        def check(field: str, value: Any) -> Any:
            if not isinstance(value, kinds):
                raise InputError(field, value, allowed)
            if isinstance(value, (str, os.PathLike)) and "\0" in str(value):
                raise InputError(field, value, "must not hold a null character")
            return value

        return check

    return make


def _call(word: str, quantity: Quantity) -> Check:
    """Callable, with as many arguments as the annotation names, where its signature can be read."""
    listed = re.match(r"Callable\[\[(.*?)\],", word)
    count = len(re.findall(r",\s*(?![^\[]*\])", listed[1])) + bool(listed[1]) if listed else None
    count = 3 if word == "Controller" else count  # (t, measurement, reference)

    def check(field: str, value: Any) -> Any:
        known = word == "Controller" and hasattr(value, "init") and hasattr(value, "update")
        if not (known or callable(value)):
            also = ", or an object with init and update" if word == "Controller" else ""
            raise InputError(field, value, f"must be a function or another callable object{also}")
        if count is not None and not known:
            try:
                taken = inspect.signature(value)
            except (TypeError, ValueError):  # written in C: it does not say
                return value
            try:
                taken.bind(*[None] * count)
            except TypeError:
                raise InputError(field, value, f"must take {count} argument(s)") from None
        return value

    return check


def _items(word: str, quantity: Quantity) -> Check:
    """Sequences and mappings: each item (each value) by the check of its own annotation."""
    head, _, inside = word.partition("[")
    mapping = head in ("dict", "Mapping")
    parts = [part.strip() for part in re.split(r",\s*(?![^\[]*\])", inside[:-1])]
    item = kind_of(parts[-1] if mapping or parts[-1] != "..." else parts[0], quantity)
    mixed = head == "tuple" and parts[-1] != "..." and len(set(parts)) > 1

    def check(field: str, value: Any) -> Any:
        kinds = Mapping if mapping else Iterable
        if isinstance(value, (str, bytes)) or not isinstance(value, kinds) or value is np.ma.masked:
            raise InputError(
                field, value, f"must be {'a table with names' if mapping else 'a list'}"
            )
        if not hasattr(value, "__len__"):  # read once, here; some never end
            value = tuple(islice(value, MANY + 1))
            if len(value) > MANY:
                raise InputError(field, f"more than {MANY} items", "must end")
        if mixed:
            if len(value) != len(parts):  # type: ignore[arg-type]
                raise InputError(field, value, f"must be {len(parts)} values")
            return value
        try:
            pairs = list(value.items() if mapping else enumerate(value))  # type: ignore[attr-defined]
        except Exception:  # an array without axes, one pose, a foreign object
            raise InputError(field, value, "must be a list") from None
        if head == "tuple" and parts[-1] != "..." and len(pairs) != len(parts):
            raise InputError(field, value, f"must be {len(parts)} values")
        checked = {key: item(f"{field}[{key!r}]", each) for key, each in pairs}
        if isinstance(value, (list, tuple, Mapping)) and all(checked[k] is v for k, v in pairs):
            return value
        return checked if mapping else tuple(checked.values())

    return check


def _literal(word: str, quantity: Quantity) -> Check:
    choices = tuple(re.findall(r"'([^']*)'", word))

    def check(field: str, value: Any) -> str:
        if not isinstance(value, str) or value not in choices:
            raise InputError(field, value, f"must be one of {', '.join(choices)}")
        return value

    return check


def _pass(field: str, value: Any) -> Any:
    """Checked by the verb itself."""
    return value


_ITEMS = dict.fromkeys(("Sequence", "Iterable", "tuple", "dict", "Mapping", "list"), _items)
_SIMPLE: dict[str, Callable[[str, Quantity], Check]] = {
    **_ITEMS,
    **dict.fromkeys(("ArrayLike", "Array"), _numbers),
    **dict.fromkeys(("float", "int"), _number),
    **dict.fromkeys(
        ("os.PathLike", "Path"), _only("must be the name of a file", (str, os.PathLike))
    ),
    **dict.fromkeys(("Callable", "Controller", "Progress"), _call),
    "None": _only(NOTHING, (type(None),)),
    "bool": _only("must be True or False", (bool,)),
    "str": _only("must be text", (str,)),
    "Literal": _literal,
    "Range": lambda word, quantity: _items("tuple[float, float]", quantity),
}


def _alternatives(annotation: str) -> list[str]:
    """The words between the outermost ``|``."""
    depth, words, start = 0, [], 0
    for i, letter in enumerate(annotation):
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and depth == 0:
            words.append(annotation[start:i].strip())
            start = i + 1
    return [*words, annotation[start:].strip()]
