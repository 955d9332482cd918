"""Shows frames in a terminal as they come: text as it streams, everything else in a line each."""

from collections.abc import Callable, Mapping
from typing import Any

from sessions_app.terminal import bars, outcomes
from sessions_app.terminal.columns import one_line
from sessions_app.visible import visible

ARGUMENTS_CHARS = 100
RESULT_CHARS = 200
Data = Mapping[str, Any]


class Screen:
    """A frame of type `notice` is shown by `on_notice`, and so on; types without such are not.

    `write` puts text out at once, without adding a newline.
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._column_is_0 = True
        self._shown = 0  # characters of the round's text
        self._request_id: int | None = None  # the round's
        self._stored: set[int | None] = set()  # rounds whose message is stored
        self._ends: set[str] = set()  # executions whose compaction's end was shown
        self._context: Data | None = None

    def show(self, frame: Data) -> None:
        """Show one frame."""
        handler = getattr(self, f"on_{frame['type']}", None)
        if handler is not None:
            handler(frame["data"])

    def show_snapshot(self, snapshot: Data) -> None:
        """Begin with a session as it is."""
        self._context = snapshot["context"]
        partial = snapshot["partial"]
        if partial is not None:
            self._text(partial["requestId"], 0, partial["text"])
            for call in partial["toolCalls"]:
                self._call(call["name"], call["arguments"])

    def line(self, text: str) -> None:
        """A line of its own."""
        self._write(("" if self._column_is_0 else "\n") + text + "\n")
        self._column_is_0 = True

    def level(self) -> None:
        """The water level, where it is known."""
        if self._context is not None:
            self.line(bars.level(self._context))

    # -- text

    def on_content_delta(self, data: Data) -> None:
        """A piece of the answer; the message brings it if it can't be placed."""
        self._text(data["requestId"], data["offset"], data["delta"])

    def on_assistant_message_saved(self, data: Data) -> None:
        """What was not streamed of a message that is complete."""
        request_id = data.get("requestId")
        if request_id != self._request_id:
            self._shown = 0
        self._put(data["message"]["content"][self._shown :])
        self._stored.add(request_id)
        self._shown = 0
        self._end_line()

    def on_llm_retry(self, data: Data) -> None:
        """The answer starts again."""
        self._shown = 0
        self.line(
            f"! {one_line(data['reason'])}; again in {data['delaySeconds']:g} s "
            f"({data['attempt']} of {data['maxRetries']})"
        )

    def _text(self, request_id: int | None, offset: int, text: str) -> None:
        if request_id in self._stored:
            return
        if request_id != self._request_id:
            self._request_id, self._shown = request_id, 0
        if offset == self._shown:
            self._put(text)
            self._shown += len(text)

    def _put(self, text: str) -> None:
        if text:
            self._write(visible(text))
            self._column_is_0 = text.endswith("\n")

    def _end_line(self) -> None:
        if not self._column_is_0:
            self._write("\n")
            self._column_is_0 = True

    # -- everything else

    def on_user_message_saved(self, data: Data) -> None:
        """Somebody said something."""
        self.line(f"> {visible(data['message']['content'])}")

    def on_tool_call_start(self, data: Data) -> None:
        """A tool is at work."""
        self._call(data["tool_name"], data["arguments"])

    def _call(self, name: str, arguments: str) -> None:
        self.line(f"* {one_line(name)} {_cut(arguments, ARGUMENTS_CHARS)}")

    def on_tool_call_result(self, data: Data) -> None:
        """Only what went wrong, or was cut, is worth a line."""
        if data["status"] == "error":
            self.line(f"  ! {_cut(data['result'], RESULT_CHARS)}")
        elif data.get("result_truncated"):
            self.line("  output truncated")

    def on_tool_approval_request(self, data: Data) -> None:
        """The page can answer."""
        self.line(f"? {one_line(data['toolName'])} waits for an approval on the session's page")

    def on_context_window(self, data: Data) -> None:
        """Kept for the next water level."""
        self._context = data

    def on_compaction_queued(self, _: Data) -> None:
        """It was asked for."""
        self.line("* the compaction comes at the end of this round")

    def on_compaction_start(self, data: Data) -> None:
        """It begins."""
        self.line(f"* {outcomes.started(data)}")

    def on_compaction_end(self, data: Data) -> None:
        """It ended."""
        self._ends.add(data["executionId"])
        self.line(f"  {outcomes.ended(data)}")

    def on_compaction_result(self, data: Data) -> None:
        """Shown where there was no end to show: it never began."""
        if data["executionId"] not in self._ends:
            self.line(f"* {one_line(data['message'])}")

    def on_compaction_undone(self, _: Data) -> None:
        """The last one was taken back."""
        self.line("* the last compaction was undone")

    def on_notice(self, data: Data) -> None:
        """Something to know."""
        self.line(f"! {one_line(data['message'])}")

    def on_error(self, data: Data) -> None:
        """Why it ended."""
        self.line(f"! {one_line(data['message'])}")

    def on_cancelled(self, _: Data) -> None:
        """It was stopped."""
        self.line("* cancelled")


def _cut(text: str, length: int) -> str:
    plain = one_line(text)
    return plain if len(plain) <= length else f"{plain[:length]}..."
