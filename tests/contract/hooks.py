"""What Schemathesis is told beside the contract and its configuration (deploy/adr on contract testing)."""

from typing import Any

import schemathesis

_OPTIONS = ("createTable", "changeOptions")


@schemathesis.hook
def map_body(context: schemathesis.HookContext, body: Any) -> Any:
    """Change a generated body where the contract cannot say what the service wants, or a check needs it.

    Options: JSON Schema takes 4.0 for the integer 4, the rules of the games do not (H-7, Z-46, V-77).
    Tables: of a public one everybody may see much; whether others see what is not theirs shows at private ones.
    """
    operation = context.operation
    name = operation.definition.raw.get("operationId") if operation is not None else None
    if name in _OPTIONS:
        body = _whole(body)
    if name == "createTable" and isinstance(body, dict) and body.get("visibility", "public") == "public":
        body = {**body, "visibility": "private"}
    return body


def _whole(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {name: _whole(item) for name, item in value.items()}
    return value
