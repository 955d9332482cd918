"""Server-sent events from bytes that may be cut anywhere."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServerSentEvent:
    """One event: `data` lines joined with line feeds, `name` of its `event:` field or empty."""

    data: str
    name: str = ""


class SseDecoder:
    """Feed it bytes, get the events they complete. Lines end with CR, LF or CRLF, also mixed.

    Bytes are decoded line by line, so that a character cut by the network arrives whole.
    """

    def __init__(self) -> None:
        self._line = bytearray()
        self._after_cr = False
        self._data: list[str] = []
        self._name = ""

    def feed(self, chunk: bytes) -> list[ServerSentEvent]:
        """The events that end within these bytes."""
        if self._after_cr and chunk[:1] == b"\n":
            chunk = chunk[1:]
            self._after_cr = False
        if chunk:
            self._after_cr = chunk.endswith(b"\r")
        # bytes.splitlines knows exactly the line ends of the format: LF, CR, CRLF
        events = []
        for line in chunk.splitlines(keepends=True):
            self._line += line
            if line[-1:] in b"\r\n":
                events.append(self._take_line())
        return [event for event in events if event]

    def close(self) -> list[ServerSentEvent]:
        """What is left at the end of the bytes: some servers leave out the last blank line."""
        self._take_line()
        last = self._dispatch()
        return [last] if last else []

    def _take_line(self) -> ServerSentEvent | None:
        line = self._line.rstrip(b"\r\n").decode("utf-8", "replace").removeprefix("\ufeff")
        self._line.clear()
        if not line:
            return self._dispatch()
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._name = value
        return None

    def _dispatch(self) -> ServerSentEvent | None:
        data, name = self._data, self._name
        self._data, self._name = [], ""
        return ServerSentEvent("\n".join(data), name) if data else None
