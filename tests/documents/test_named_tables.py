"""Tables of things by name: all of one kind, or each name with its own; what is refused and what the schema says."""

from __future__ import annotations

from typing import Any

import pytest

import gough
from gough.documents import kinds as k
from gough.documents.reader import Keyed, Named, Tagged, read_document


def read(kind: Any, text: str) -> Any:
    table = Keyed("sample", {"things": kind}, lambda things=None: things)
    return read_document(table, text, "a.toml")


SAME, OWN = Named(k.scalar("length")), Named({"a": k.scalar("length"), "b": k.text})
TAGGED = Tagged("kind", {"one": Keyed("one", {"x": k.scalar("length")}, lambda x=0.0: x)})


def test_names_with_one_kind_or_their_own() -> None:
    assert read(SAME, "things = { p = 1, q = '2 mm' }") == {"p": 1.0, "q": 0.002}
    assert read(OWN, "things = { a = 1, b = 'x' }") == {"a": 1.0, "b": "x"}
    assert read(TAGGED, "things = { kind = 'one', x = 3 }") == 3.0


@pytest.mark.parametrize(
    ("kind", "text", "word"),
    [
        (SAME, "things = 3", "must be a table"),
        (OWN, "things = 3", "must be a table"),
        (TAGGED, "things = 3", "must be a table"),
        (TAGGED, "things = { kind = 'two' }", "must be one of one"),
        (OWN, "things = { c = 1 }", "unknown key"),
        (SAME, "things = { p = 'x' }", "p"),
    ],
)
def test_what_is_no_such_table(kind: Any, text: str, word: str) -> None:
    with pytest.raises(gough.InputError, match=word):
        read(kind, text)


def test_schemas_of_named_tables() -> None:
    definitions: dict[str, Any] = {}
    assert "additionalProperties" in SAME.schema(definitions)
    own = OWN.schema(definitions)
    assert set(own["properties"]) == {"a", "b"}
    assert own["additionalProperties"] is False
    assert len(TAGGED.schema(definitions)["anyOf"]) == 1
    assert definitions["one"]["properties"]["kind"] == {"const": "one", "type": "string"}
