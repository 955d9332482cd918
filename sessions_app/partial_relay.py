"""What a run in another process streams: its stored partial, seen again and again, as deltas."""

import time
from collections.abc import Iterator, Mapping
from typing import Any

from sessions_app import stream
from sessions_app.hub import Delta

KINDS = {"thinking": "thinking_delta", "text": "content_delta"}


class PartialRelay:
    """Remembers how much of the partial was passed on; a new round or a retry starts at 0."""

    def __init__(self, session_id: int) -> None:
        self._session_id = session_id
        self._request_id: int | None = None
        self._told = dict.fromkeys(KINDS, 0)

    def deltas(
        self, partial: Mapping[str, Any], *, execution_id: str, after_seq: int
    ) -> Iterator[Delta]:
        """What is new since the last look, in code points; `partial` as `Partial.as_dict`."""
        if partial["requestId"] != self._request_id or self._shrank(partial):
            self._request_id = partial["requestId"]
            self._told = dict.fromkeys(KINDS, 0)
        for key, type_ in KINDS.items():
            offset, text = self._told[key], partial[key]
            if offset < len(text):
                self._told[key] = len(text)
                frame = stream.delta_text(
                    self._session_id, type_, text[offset:], offset, self._request_id, execution_id
                )
                yield Delta(frame, after_seq, time.monotonic_ns())

    def _shrank(self, partial: Mapping[str, Any]) -> bool:
        return any(len(partial[key]) < told for key, told in self._told.items())
