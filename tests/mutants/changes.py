"""Semantic changes of Python source: one place of a syntax tree, one wrong operator, constant, index or statement."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

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
    """One changed source: where, what, and the whole new text."""

    path: Path
    line: int
    what: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}"


def mutants(root: Path, files: list[Path], count: int, seed: int) -> Iterator[Mutant]:
    """`count` random mutants of the files below `root`; the same for the same seed and sources."""
    rng = random.Random(seed)
    places = [
        (path, k)
        for path in sorted(files)
        for k in range(len(_places(ast.parse(path.read_text()))))
    ]
    for path, k in rng.sample(places, min(count, len(places))):
        tree = ast.parse(path.read_text())
        node, change = _places(tree)[k]
        line, what = getattr(node, "lineno", 0), change(rng)
        yield Mutant(
            path.relative_to(root), line, what, ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        )


def _places(tree: ast.Module) -> list[tuple[ast.AST, Callable[[random.Random], str]]]:
    """Every place that can be changed, in a fixed order; calling the second part changes the tree."""
    found: list[tuple[ast.AST, Callable[[random.Random], str]]] = []
    for node in _code(tree):
        arithmetic = (
            isinstance(node, (ast.BinOp, ast.AugAssign))
            and type(node.op) in SWAPS
            and not _text(node)
        )
        if arithmetic or isinstance(node, ast.BoolOp):
            found.append((node, lambda rng, n=node: _swap(n)))
        elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
            found.append((node, lambda rng, n=node: _compare(n)))
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
            found.append((node, lambda rng, n=node: _drop_sign(n)))
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
            found.append((node, lambda rng, n=node: _constant(n)))
        elif isinstance(node, (ast.Name, ast.Attribute)) and _word(node) in NAMES:
            found.append((node, lambda rng, n=node: _rename(n)))
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


def _swap(node: ast.BinOp | ast.AugAssign | ast.BoolOp) -> str:
    before = ast.unparse(node)
    node.op = SWAPS[type(node.op)]()  # type: ignore[assignment]
    return f"{before}  ->  {ast.unparse(node)}"


def _compare(node: ast.Compare) -> str:
    before = ast.unparse(node)
    node.ops[0] = SWAPS[type(node.ops[0])]()  # type: ignore[assignment]
    return f"{before}  ->  {ast.unparse(node)}"


def _drop_sign(node: ast.UnaryOp) -> str:
    before = ast.unparse(node)
    node.op = ast.UAdd() if isinstance(node.op, ast.USub) else ast.Not()
    if isinstance(node.op, ast.Not):
        node.operand = ast.UnaryOp(ast.Not(), node.operand)
    return f"{before}  ->  {ast.unparse(node)}"


def _constant(node: ast.Constant) -> str:
    before = repr(node.value)
    value = node.value
    node.value = (
        not value
        if isinstance(value, bool)
        else value + 1
        if isinstance(value, int)
        else (value * 1.5 if value else 1.0)
    )
    return f"{before}  ->  {node.value!r}"


def _rename(node: ast.Name | ast.Attribute) -> str:
    before = ast.unparse(node)
    if isinstance(node, ast.Name):
        node.id = NAMES[node.id]
    else:
        node.attr = NAMES[node.attr]
    return f"{before}  ->  {ast.unparse(node)}"
