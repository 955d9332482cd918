"""What a snapshot's partial and the deltas after it share, so that nothing is sent twice."""

from dataclasses import replace
from typing import Any

import orjson

from sessions_app import stream
from sessions_app.hub import Delta
from sessions_app.session_snapshot import Resumption

KEYS = {"content_delta": "text", "thinking_delta": "thinking"}


class Overlap:
    """Cuts from deltas what the snapshot had already. Done as soon as `remainder` passed each kind.

    The run puts a text into the partial first and sends it as a delta up to 40 ms later, so the
    first deltas after a snapshot often begin inside of what it showed.
    """

    def __init__(self, resumption: Resumption) -> None:
        partial: dict[str, Any] = resumption.data["partial"] or {}
        self._seq: int = resumption.data["seq"]
        self._request_id = partial.get("requestId")
        self._known = {key: len(partial.get(key) or "") for key in KEYS.values()} if partial else {}

    @property
    def is_over(self) -> bool:
        """Whether every further delta is new as a whole."""
        return not self._known

    def remainder(self, delta: Delta) -> Delta | None:
        """The delta without what the snapshot had; None if that was all of it."""
        # The run has told of something since, be it an answer or a retry: this is another text.
        if delta.after_seq > self._seq:
            self._known = {}
        return delta if self.is_over else self._cut(delta)

    def _cut(self, delta: Delta) -> Delta | None:
        frame = orjson.loads(delta.text)
        data = frame["data"]
        key = KEYS[frame["type"]]
        if data["requestId"] != self._request_id or key not in self._known:
            return delta
        surplus = self._known[key] - data["offset"]
        if surplus <= 0:
            del self._known[key]
            return delta
        if surplus >= len(data["delta"]):
            return None
        data["delta"] = data["delta"][surplus:]
        data["offset"] += surplus
        text = stream.frame_text(frame["type"], frame["sessionId"], None, data)
        return replace(delta, text=text)
