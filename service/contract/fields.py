"""What the contract says of fields: the docstring that stands below a field in the source of its struct.

Where none stands there, what the field's type says, and otherwise what its name means everywhere (`words`).
"""

import ast
import inspect
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.registry import CURRENT
from domain.table.views import EventSeen, TablePublic, You
from service.api.types.tables import EVENTS, TABLES, YOUS
from service.contract.words import WORDS

_MADE_AFTER: Final[dict[type, type]] = {
    made[key]: model for made, model in ((TABLES, TablePublic), (YOUS, You), (EVENTS, EventSeen)) for key in CURRENT
}
"""Types that are made once for each game have no source; these stand for them."""


def describe_fields(types: Iterable[Any], components: dict[str, Any]) -> None:
    """Put the docstrings of fields into the schemas of `types` and of all structs in them."""
    for struct in structs_in(types):
        properties = components.get(struct.__name__, {}).get("properties", {})
        texts = field_texts(struct)
        for name, field in properties.items():
            text = texts.get(name) or _said(field) or WORDS.get(name)
            if text is not None:
                properties[name] = {**field, "description": text}


def _said(field: dict[str, Any]) -> str | None:
    """What a type says of its field; one with a name of its own only says what it is itself."""
    return None if "title" in field else field.get("description")


def structs_in(types: Iterable[Any]) -> Iterator[type[Struct]]:
    """Every struct that the types are made of, once."""
    seen: set[type] = set()
    waiting: list[Any] = list(msgspec.inspect.multi_type_info(types))
    while waiting:
        info = waiting.pop()
        if isinstance(info, msgspec.inspect.StructType):
            if info.cls in seen:
                continue
            seen.add(info.cls)
            yield info.cls
        if isinstance(info, tuple):
            waiting += info
        elif isinstance(info, msgspec.inspect.Type | msgspec.inspect.Field):
            waiting += [getattr(info, name) for name in info.__struct_fields__]


def field_texts(struct: type[Struct]) -> dict[str, str]:
    """The docstrings below the fields of a struct and of what it inherits from, by their names in JSON."""
    texts: dict[str, str] = {}
    for base in reversed(_MADE_AFTER.get(struct, struct).__mro__):
        texts |= _texts_of_module(base.__module__).get(base.__name__, {})
    return {field.encode_name: texts[field.name] for field in msgspec.structs.fields(struct) if field.name in texts}


@cache
def _texts_of_module(name: str) -> dict[str, dict[str, str]]:
    """For each class of one of our modules the docstrings of its fields."""
    if name.partition(".")[0] not in ("domain", "projections", "service"):
        return {}
    tree = ast.parse(inspect.getsource(sys.modules[name]))
    return {node.name: dict(_texts_of_class(node)) for node in tree.body if isinstance(node, ast.ClassDef)}


def _texts_of_class(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, below in zip(node.body, node.body[1:], strict=False):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, " ".join(text.split()).replace("None", "null")
