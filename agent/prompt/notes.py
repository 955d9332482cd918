"""The marked block at the very end of a request: what the model should know just now."""

from agent.text import clean


def wrap_notes(brief: str, card: str, receipt: str) -> str:
    """The `<context_notes>` block with an element for each text that isn't blank; "" when all are.

    `&` and `<` are escaped as in XML, so that no text can close its element or the block.
    """
    notes = (("brief", brief), ("card", card), ("receipt", receipt))
    elements = [f"<{name}>\n{escaped(text)}\n</{name}>\n" for name, text in notes if text.strip()]
    return f"<context_notes>\n{''.join(elements)}</context_notes>" if elements else ""


def escaped(text: str) -> str:
    """The text as it stands in its element."""
    return clean(text).strip().replace("&", "&amp;").replace("<", "&lt;")
