"""Where an error came from, short enough for a report."""

import traceback
from pathlib import Path

FRAMES = 3


def stack_head(error: BaseException) -> str:
    """The innermost frames, one a line, the innermost first, as `file.py:12 function`.

    File names without folders: a report tells nothing of the machine it was made on.
    """
    frames = reversed(traceback.extract_tb(error.__traceback__)[-FRAMES:])
    return "\n".join(f"{Path(each.filename).name}:{each.lineno} {each.name}" for each in frames)
