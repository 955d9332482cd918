"""Compiles the translations at the first start after they changed; the checkout stays as it is."""

import os
from pathlib import Path


def compiled(sources: Path, target: Path) -> Path:
    """The folder `target` with a fresh .mo file for each .po file below `sources`."""
    for source in sources.glob("*/LC_MESSAGES/*.po"):
        result = target / source.relative_to(sources).with_suffix(".mo")
        if not _is_fresh(result, source):
            _compile(source, result)
    return target


def _is_fresh(result: Path, source: Path) -> bool:
    """A compiled file carries the time of the text it was made from."""
    return result.exists() and result.stat().st_mtime_ns == source.stat().st_mtime_ns


def _compile(source: Path, result: Path) -> None:
    """Make `result` in one step, so that another process never reads half of it."""
    from babel.messages.mofile import write_mo  # noqa: PLC0415 - only needed after a change
    from babel.messages.pofile import read_po  # noqa: PLC0415

    result.parent.mkdir(parents=True, exist_ok=True)
    times = source.stat()
    draft = result.with_name(f"{result.name}.{os.getpid()}")
    with source.open("rb") as text, draft.open("wb") as binary:
        write_mo(binary, read_po(text, locale=source.parts[-3]))
    os.utime(draft, ns=(times.st_atime_ns, times.st_mtime_ns))
    draft.replace(result)
