"""Makes characters visible that would hide, reorder or forge text on a page."""

import re

# C0 without tab and newline, DEL, C1; then what has no ink or changes direction: soft hyphen,
# Arabic letter mark, Mongolian separator, zero-width space, direction marks, line and paragraph
# separators, embeddings, overrides, isolates, invisible operators, BOM, interlinear marks, and the
# tag characters that can smuggle text. Joiners (U+200C, U+200D) stay: Persian and emoji need them.
HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
DELETE = 0x7F


def _shown(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    if code == DELETE:
        return "\u2421"
    return f"\u27e8U+{code:04X}\u27e9"


def visible(text: str) -> str:
    """The text with hidden characters replaced: C0 and DEL by control pictures, others by ⟨U+202E⟩
    and the like.

    CR LF becomes LF; tabs and newlines stay. The static file `visible.js` does the same in the
    browser.
    """
    return HIDDEN.sub(_shown, text.replace("\r\n", "\n"))
