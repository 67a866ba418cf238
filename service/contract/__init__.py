"""The OpenAPI contract, made from the declarations of the handlers."""
