"""The API reference: one page for each public package, made from signatures and docstrings.

A name's example stands in its docstring, or in docs/reference/examples.md where the docstring's file is part of the
text that names compiled kernels (an edit there would compile every kernel anew).
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import textwrap
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

from gough import lazy
from handbook.docstrings import PROMPT, markdown

PACKAGES = (
    "gough",
    *(
        f"gough.{name}"
        for name in (
            *("kinematics", "trajectory", "dynamics", "formulations", "simulation", "simulation.gym", "control"),
            *("cueing", "analysis", "metrology", "hardware", "design", "export", "importing", "report"),
        )
    ),
)  # fmt: skip
EXAMPLES = Path(__file__).parents[1] / "docs" / "reference" / "examples.md"
GROUPS = ("Functions", "Classes", "Errors and warnings", "Values", "Modules")


@dataclass(frozen=True)
class Entry:
    """A public name."""

    package: str
    name: str
    value: Any

    @property
    def path(self) -> str:
        return f"{self.package}.{self.name}"

    @property
    def group(self) -> str:
        if inspect.ismodule(self.value):
            return "Modules"
        if inspect.isclass(self.value):
            return GROUPS[2 if issubclass(self.value, Exception) else 1]
        return "Functions" if inspect.isroutine(self.value) else "Values"

    @cached_property
    def docstring(self) -> str:
        return inspect.getdoc(self.value) or "" if self.group != "Values" else ""


def entries(package: str) -> list[Entry]:
    """The public names of a package, in order."""
    module = importlib.import_module(package)
    names = sorted(lazy.promised(package), key=str.lower)
    return [Entry(package, name, getattr(module, name)) for name in names]


def examples() -> dict[str, str]:
    """Doctests of docs/reference/examples.md by name."""
    parts = re.split(r"^## `(.+)`$", EXAMPLES.read_text(encoding="utf-8"), flags=re.M)[1:]
    found = {}
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        match = re.search(r"```pycon\n(.*?)```", text, re.S)
        if match is None:
            raise ValueError(f"docs/reference/examples.md: {name} has no pycon block")
        found[name] = match[1]
    return found


def page_name(package: str) -> str:
    """The page of a package."""
    return f"{package}.md"


def addresses() -> dict[str, str]:
    """Where each public name is described: by its path, and by its name where only one has it."""
    found: dict[str, str] = {}
    by_name: dict[str, set[str]] = {}
    for package in PACKAGES:
        for entry in entries(package):
            if entry.path in PACKAGES:
                address = page_name(entry.path)
            elif entry.group == "Modules":
                continue
            else:
                address = f"{page_name(package)}#{entry.path}"
            found[entry.path] = address
            by_name.setdefault(entry.name, set()).add(address)
    for name, where in by_name.items():
        top = found.get(f"gough.{name}")
        if top or len(where) == 1:
            found[name] = top or next(iter(where))
    return found


def package_page(package: str, links: dict[str, str], shown: dict[str, str]) -> str:
    """The Markdown of a package's page."""
    module = importlib.import_module(package)
    found = entries(package)
    out = [f"# {package}", "", markdown(module.__doc__, links), ""]
    answers: dict[str, Any] = {}
    for group in GROUPS:
        members = [entry for entry in found if entry.group == group]
        if not members:
            continue
        out += [f"## {group}", ""]
        if group == "Modules":
            out += [_module_line(entry, links) for entry in members] + [""]
            continue
        for entry in members:
            out += _entry(entry, links, shown)
            answer = _answer(entry)
            if answer is not None and answer.__name__ not in links:
                answers[answer.__name__] = answer
    if answers:
        out += ["## What they answer", ""]
        for name in sorted(answers):
            out += [f"### {name}", "", *_class(answers[name], links), ""]
    return "\n".join(out)


def _module_line(entry: Entry, links: dict[str, str]) -> str:
    first = (entry.docstring.splitlines() or [""])[0]
    own = entry.path in PACKAGES
    name = f"[`{entry.path}`]({page_name(entry.path)})" if own else f"`{entry.path}`"
    return f"- {name}: {markdown(first, links)}"


def _entry(entry: Entry, links: dict[str, str], shown: dict[str, str]) -> list[str]:
    head = [f"### {entry.name} {{ #{entry.path} }}", ""]
    if entry.group == "Values":
        return [*head, f"A `{type(entry.value).__name__}`.", ""]
    if inspect.isclass(entry.value):
        body = _class(entry.value, links)
    else:
        names = inspect.signature(entry.value).parameters
        text = markdown(entry.docstring, links, names)
        body = [_signature(entry.name, entry.value), "", text]
    if entry.package == "gough" and entry.name in shown:
        body += ["", "```pycon", shown[entry.name].rstrip(), "```"]
    return [*head, *body, ""]


def _class(value: type, links: dict[str, str]) -> list[str]:
    out = [_signature(value.__name__, value), ""]
    if value.__doc__ and not value.__doc__.startswith(f"{value.__name__}("):
        out += [markdown(inspect.getdoc(value), links), ""]
    for name, text in _field_docs(value).items():
        out.append(f"- `{name}`: {markdown(text, links)}")
    rows = []
    for name, member in vars(value).items():
        if name.startswith("_"):
            continue
        inner = getattr(
            member, "__func__", getattr(member, "fget", getattr(member, "func", member))
        )
        if not inspect.isfunction(inner) or not inner.__doc__:
            continue
        first = markdown(inspect.cleandoc(inner.__doc__).split("\n\n")[0], links)
        called = (
            ""
            if inner is not member and not isinstance(member, (classmethod, staticmethod))
            else "()"
        )
        rows.append(
            f"| `.{name}{called}` | {' '.join(first.split()).replace('|', chr(92) + '|')} |"
        )
    if rows:
        out += ["", "| | |", "|---|---|", *rows]
    return out


def _field_docs(value: type) -> dict[str, str]:
    """Strings that stand below the fields of a class."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(value))).body[0]
    except (OSError, TypeError, SyntaxError):
        return {}
    found = {}
    body = getattr(tree, "body", [])
    for field, text in pairwise(body):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
            and isinstance(text.value.value, str)
        ):
            found[field.target.id] = text.value.value
    return found


def _signature(name: str, value: Any) -> str:
    try:
        given = inspect.signature(value)
    except (ValueError, TypeError):
        return f"```python\n{name}\n```"
    parameters = [
        p.replace(annotation=_plain(p.annotation), default=_plain_default(p.default))
        for p in given.parameters.values()
    ]
    if inspect.isclass(value):
        given = given.replace(return_annotation=inspect.Signature.empty)
    else:
        given = given.replace(return_annotation=_plain(given.return_annotation))
    short = str(given.replace(parameters=parameters))
    if len(name + short) > 96:
        short = _folded(parameters, given.return_annotation)
    return f"```python\n{name}{short}\n```"


def _folded(parameters: list[inspect.Parameter], answer: Any) -> str:
    lines, star = [], False
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not star:
            lines.append("    *,")
            star = True
        star = star or p.kind is p.VAR_POSITIONAL
        lines.append(f"    {p},")
    end = "" if answer is inspect.Signature.empty else f" -> {answer!r}"
    return "(\n" + "\n".join(lines) + f"\n){end}"


class _Word:
    """Prints as it is."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _plain(annotation: Any) -> Any:
    if annotation is inspect.Signature.empty:
        return annotation
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return _Word(re.sub(r"\b(?:gough|typing|collections|np|numpy)\.(?:\w+\.)*", "", text))


def _plain_default(value: Any) -> Any:
    if value is inspect.Parameter.empty:
        return value
    text = repr(value)
    if "<" in text or len(text) > 60:
        return _Word("...")
    return _Word(" ".join(text.split()))


def _answer(entry: Entry) -> type | None:
    """The class of the package that a function answers with."""
    if entry.group != "Functions":
        return None
    function = inspect.unwrap(entry.value)
    try:
        answer = get_type_hints(function).get("return")
    except (NameError, TypeError, AttributeError):
        return None
    return (
        answer
        if inspect.isclass(answer) and answer.__module__.startswith("gough.") and answer.__doc__
        else None
    )


def write_reference(folder: Path) -> list[str]:
    """Write the pages; their names."""
    links, shown = addresses(), examples()
    folder.mkdir(parents=True, exist_ok=True)
    for package in PACKAGES:
        text = package_page(package, links, shown)
        (folder / page_name(package)).write_text(text, encoding="utf-8")
    return [page_name(package) for package in PACKAGES]


def has_example(entry: Entry) -> bool:
    """Whether the docstring itself shows one."""
    return PROMPT in entry.docstring


def module_of(value: Any) -> ModuleType | None:
    """Where a name is written."""
    return inspect.getmodule(inspect.unwrap(value))
