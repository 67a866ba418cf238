"""A sentence for a caller whose words depend on values, kept so that it can be said in another language."""

from typing import Any


class Message(str):
    """An English sentence that knows its template and the values in it.

    It is the sentence itself wherever nobody asks for another language. `Message("Give at most {limit}.", limit=5)`.
    Values that are messages are translated with it.
    """

    template: str
    values: dict[str, Any]

    def __new__(cls, template: str, **values: Any) -> "Message":
        """Make the sentence of a template in the form of `str.format`."""
        made = super().__new__(cls, template.format(**values) if values else template)
        made.template = template
        made.values = values
        return made
