"""Semantic changes of Python source: one place of a syntax tree, one wrong operator, constant, index or statement."""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.MatMult: ast.Mult,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
NAMES = {
    "min": "max",
    "max": "min",
    "minimum": "maximum",
    "maximum": "minimum",
    "sin": "cos",
    "cos": "sin",
    "any": "all",
    "all": "any",
    "argmin": "argmax",
    "argmax": "argmin",
    "floor": "ceil",
    "ceil": "floor",
}


@dataclass(frozen=True)
class Mutant:
    """One changed source: where, what, and the whole new text; `lines` is the statement around the change, empty
    outside of functions."""

    path: Path
    line: int
    lines: range
    what: str
    text: str

    @property
    def label(self) -> str:
        """Names the change whatever lines stand above it."""
        return f"{self.path.as_posix()}: {self.what}"

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}"


def mutants(root: Path, files: list[Path], count: int, seed: int) -> Iterator[Mutant]:
    """`count` random mutants of the files below `root`.

    Places are drawn by a hash of the seed, their file and their own line: an edit elsewhere leaves the sample as it is.
    """
    drawn: list[tuple[str, Path, int]] = []
    for path in sorted(files):
        source = path.read_text()
        rows, seen = source.splitlines(), Counter[str]()
        for k, (node, _) in enumerate(_places(ast.parse(source))):
            row = rows[node.lineno - 1].strip()
            seen[row] += 1
            name = f"{seed} {path.relative_to(root).as_posix()} {row} {seen[row]}"
            drawn.append((hashlib.sha256(name.encode()).hexdigest(), path, k))
    for _, path, k in sorted(drawn)[:count]:
        yield _mutant(root, path, k)


def _mutant(root: Path, path: Path, k: int) -> Mutant:
    """Change the k-th place of a source; every other character stays."""
    source = path.read_text()
    tree = ast.parse(source)
    node, change = _places(tree)[k]
    lines = _statement(tree, node)
    change(node)
    new = ast.unparse(ast.fix_missing_locations(node))
    rows = source.encode().splitlines(keepends=True)
    ends = list(accumulate(map(len, rows), initial=0))
    first = ends[node.lineno - 1] + node.col_offset
    last = ends[node.end_lineno - 1] + node.end_col_offset
    text = source.encode()
    if not isinstance(node, ast.stmt):
        new = f"({new})"
    text = text[:first] + new.encode() + text[last:]
    begin, end = ends[node.lineno - 1], ends[node.end_lineno]
    grown = end + len(text) - ends[-1]
    before, after = (
        " ".join(t.decode().split()) for t in (source.encode()[begin:end], text[begin:grown])
    )
    what = f"{before}  =>  {after}"
    return Mutant(path.relative_to(root), node.lineno, lines, what, text.decode())


def _statement(tree: ast.Module, node: ast.AST) -> range:
    """Lines of the innermost statement around a node; none outside of functions."""
    found = range(0)

    def look(parent: ast.AST, inside: bool, lines: range) -> None:
        nonlocal found
        if parent is node:
            found = lines if inside else range(0)
        for name, value in ast.iter_fields(parent):
            body = isinstance(parent, FUNCTIONS) and name == "body"
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    look(child, inside or body, _lines(child, lines))

    look(tree, False, range(0))
    return found


def _lines(node: ast.AST, outer: range) -> range:
    """A simple statement's own lines, the head of one that holds others; else those of what is around it."""
    if not isinstance(node, ast.stmt):
        return outer
    body = getattr(node, "body", None)
    end = body[0].lineno - 1 if body else node.end_lineno or node.lineno
    return range(node.lineno, max(end, node.lineno) + 1)


def _places(tree: ast.Module) -> list[tuple[Any, Callable[[Any], None]]]:
    """Every place that can be changed, in a fixed order, and what changes it."""
    found: list[tuple[Any, Callable[[Any], None]]] = []
    for node in _code(tree):
        arithmetic = (
            isinstance(node, (ast.BinOp, ast.AugAssign))
            and type(node.op) in SWAPS
            and not _text(node)
        )
        if arithmetic or isinstance(node, ast.BoolOp):
            found.append((node, _swap))
        elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
            found.append((node, _compare))
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
            found.append((node, _drop_sign))
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
            found.append((node, _constant))
        elif isinstance(node, (ast.Name, ast.Attribute)) and _word(node) in NAMES:
            found.append((node, _rename))
    return found


def _code(tree: ast.Module) -> Iterator[ast.AST]:
    """Nodes that run: no annotations, no type-checking imports, no error sentences."""
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        drop: list[ast.AST | None] = []
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            drop += [
                node.returns,
                *(a.annotation for a in [*node.args.args, *node.args.kwonlyargs]),
            ]
        elif isinstance(node, ast.AnnAssign):
            drop.append(node.annotation)
        elif isinstance(node, ast.ClassDef):  # a table of types says `total=False`
            drop += [keyword.value for keyword in node.keywords]
        elif (
            isinstance(node, ast.keyword) and node.arg == "strict"
        ):  # of zip: guards later edits only
            drop.append(node)
        elif _silent(node):
            drop.append(node)
        for part in drop:
            if part is not None:
                skipped.update(id(n) for n in ast.walk(part))
        if id(node) not in skipped:
            yield node


def _silent(node: ast.AST) -> bool:
    """Error sentences, decorators' options and what only type checkers see."""
    options = isinstance(node, ast.Call) and _word(node.func) in ("lru_cache", "dataclass", "njit")
    unseen = _word(getattr(node, "test", node)) == "TYPE_CHECKING"
    return options or unseen or isinstance(node, (ast.Raise, ast.JoinedStr))


def _word(node: ast.AST) -> str:
    return (
        node.id
        if isinstance(node, ast.Name)
        else node.attr
        if isinstance(node, ast.Attribute)
        else ""
    )


def _text(node: ast.AST) -> bool:
    return any(isinstance(n, ast.Constant) and isinstance(n.value, str) for n in ast.walk(node))


def _swap(node: ast.BinOp | ast.AugAssign | ast.BoolOp) -> None:
    node.op = SWAPS[type(node.op)]()  # type: ignore[assignment]


def _compare(node: ast.Compare) -> None:
    node.ops[0] = SWAPS[type(node.ops[0])]()  # type: ignore[assignment]


def _drop_sign(node: ast.UnaryOp) -> None:
    node.op = ast.UAdd() if isinstance(node.op, ast.USub) else ast.Not()
    if isinstance(node.op, ast.Not):
        node.operand = ast.UnaryOp(ast.Not(), node.operand)


def _constant(node: ast.Constant) -> None:
    value = node.value
    if isinstance(value, bool):
        node.value = not value
    else:
        node.value = value + 1 if isinstance(value, int) else value * 1.5 or 1.0  # type: ignore[operator]


def _rename(node: ast.Name | ast.Attribute) -> None:
    if isinstance(node, ast.Name):
        node.id = NAMES[node.id]
    else:
        node.attr = NAMES[node.attr]
