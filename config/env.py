"""Typed readers of the environment. A bad value stops the start and says what is allowed."""

import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured


def _fail(name: str, value: str, allowed: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{name}={value!r} is not valid; allowed: {allowed}.")


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, "").strip() or default


def boolean(name: str, *, default: bool) -> bool:
    value = text(name)
    if not value:
        return default
    if value.lower() in {"1", "true", "yes", "on"}:
        return True
    if value.lower() in {"0", "false", "no", "off"}:
        return False
    raise _fail(name, value, "1, true, yes, on, 0, false, no, off")


def integer(name: str, default: int, *, minimum: int = 0, maximum: int = 2**31 - 1) -> int:
    value = text(name)
    if not value:
        return default
    try:
        number = int(value)
    except ValueError:
        number = minimum - 1
    if not minimum <= number <= maximum:
        raise _fail(name, value, f"a whole number from {minimum} to {maximum}")
    return number


def optional_integer(name: str, *, minimum: int = 1) -> int | None:
    return integer(name, 0, minimum=minimum) if text(name) else None


def seconds(name: str, default: float, *, maximum: float = 86_400) -> float:
    value = text(name)
    if not value:
        return default
    try:
        number = float(value)
    except ValueError:
        number = 0
    if not 0 < number <= maximum:
        raise _fail(name, value, f"seconds, more than 0 and at most {maximum:g}")
    return number


def ratio(name: str, default: float) -> float:
    value = text(name)
    if not value:
        return default
    try:
        number = float(value)
    except ValueError:
        number = 0
    if not 0 < number <= 1:
        raise _fail(name, value, "a ratio, more than 0 and at most 1")
    return number


def choice(name: str, default: str, allowed: Sequence[str]) -> str:
    value = text(name, default)
    if value not in allowed:
        raise _fail(name, value, ", ".join(allowed))
    return value


def url(name: str, *, schemes: Sequence[str]) -> str:
    value = text(name)
    if value and not _is_url(value, schemes):
        forms = [f"{scheme}://{'PATH' if scheme == 'unix' else 'HOST'}" for scheme in schemes]
        raise _fail(name, value, " or ".join(forms))
    return value


def _is_url(value: str, schemes: Sequence[str]) -> bool:
    try:
        parts = urlsplit(value)
        parts.port  # noqa: B018 - reading it checks it
    except ValueError:
        return False
    return parts.scheme in schemes and bool(
        parts.path if parts.scheme == "unix" else parts.hostname
    )


def words(name: str, default: Sequence[str] = ()) -> list[str]:
    """Values separated by commas."""
    found = [word.strip() for word in text(name).split(",")]
    return [word for word in found if word] or list(default)


def hosts(name: str, default: Sequence[str]) -> list[str]:
    """Host names or addresses without scheme or path; a leading dot stands for all subdomains."""
    found = words(name, default)
    if any(host == "*" or "/" in host for host in found):
        raise _fail(name, text(name), "host names without scheme, separated by commas, never '*'")
    return found


def origins(name: str) -> list[str]:
    """Origins (scheme, host, perhaps port) that may send forms and open sockets."""
    found = words(name)
    if not all(_is_url(origin, ["http", "https"]) for origin in found):
        raise _fail(name, text(name), "origins like https://example.org, separated by commas")
    return found


def folder(name: str, default: Path) -> Path:
    """A folder, made if it is missing."""
    return _made(name, Path(text(name, str(default))).expanduser().resolve())


def folders(name: str, default: Path, *, base: Path) -> list[Path]:
    """Folders separated by commas, made if they are missing; relative ones lie below `base`."""
    found = words(name, [] if text(name) else [str(default)])
    if not found:
        raise _fail(name, text(name), "folders, separated by commas")
    return [_made(name, (base / Path(word).expanduser()).resolve()) for word in found]


def _made(name: str, path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _fail(name, str(path), f"a folder that can be made ({error.strerror})") from error
    return path
