"""The websocket of one session: client frames come in here, frames for it go out by its writer."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

from channels.consumer import get_handler_name
from channels.generic.websocket import AsyncWebsocketConsumer

from agent.errors import AgentError, SessionAlreadyRunning
from sessions_app import (
    compactions,
    idle,
    interruption,
    runs,
    session_snapshot,
    socket_auth,
    socket_frames,
    stream,
)
from sessions_app.daphne_pacing import paced
from sessions_app.models import Session
from sessions_app.run_loop import database
from sessions_app.socket_auth import NO_SUCH_SESSION, Admission, SocketRefused
from sessions_app.socket_frames import BadFrame, Cancel, CompactNow, Ping, SendMessage, Subscribe
from sessions_app.socket_loop import SocketLoop
from sessions_app.socket_writer import SocketWriter

MAX_BAD_FRAMES = 20
TOO_MANY_BAD_FRAMES = 4400


class SessionSocket(AsyncWebsocketConsumer):
    """One client's socket. A frame of type `ping` is handled by `on_ping`, and so on.

    The scope holds `credential` (from `SocketAuth`) and the route's `session_id`.
    """

    # No layer: what is new comes from the hub, and a channel of its own costs memory per socket.
    channel_layer_alias = "none"
    writer: SocketWriter | None = None
    bad_frames = 0

    async def __call__(
        self, scope: Any, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Any]
    ) -> None:
        """Serve the socket until it is closed, however that happens."""
        try:
            await super().__call__(scope, receive, paced(send))
        finally:
            if self.writer is not None:
                self.writer.stop()

    async def dispatch(self, message: Mapping[str, Any]) -> None:
        """As Channels does it, but without a detour through the thread that all views share: our
        database connections live in the pool of `run_loop`.
        """
        await getattr(self, get_handler_name(dict(message)))(message)

    # -- the socket

    async def connect(self) -> None:
        """Accept first, so that a close code arrives; then see who it is, and send the snapshot."""
        await self.accept()
        try:
            admission = await database(self._admit)
            writer = SocketLoop.current().join(admission, self.base_send)
        except SocketRefused as refusal:
            await self.close(refusal.code, refusal.reason)
            return
        self.writer = writer
        await database(interruption.sweep, admission.session_id)
        await self._place(writer, None)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Take one client frame. Who it is and whose session this is are asked anew each time."""
        writer = self.writer
        if writer is None or writer.is_closing:
            return
        try:
            await database(self._admit)
            type_, frame = socket_frames.parse(text_data)
            await getattr(self, f"on_{type_}")(writer, frame)
        except SocketRefused as refusal:
            writer.close(refusal.code, refusal.reason)
        except Session.DoesNotExist:  # deleted since a moment ago
            writer.close(NO_SUCH_SESSION, "no such session")
        except BadFrame as error:
            self._count_bad_frame(writer, error)

    # -- client frames

    async def on_send_message(self, writer: SocketWriter, frame: SendMessage) -> None:
        """Start a run. Its frames tell the rest; only a refusal is answered here."""
        session_id = writer.admission.session_id
        with self._refusals(writer):
            await idle.make_way(session_id)
            await database(
                runs.start, session_id=session_id, content=frame.content, event_id=frame.event_id
            )

    async def on_cancel(self, writer: SocketWriter, frame: Cancel) -> None:
        """Ask the run to stop; without one, nothing happens."""
        await database(runs.cancel, session_id=writer.admission.session_id)

    async def on_compact_now(self, writer: SocketWriter, frame: CompactNow) -> None:
        """Compact now, or after the running round. Its frames tell the rest."""
        session_id = writer.admission.session_id
        with self._refusals(writer):
            await database(
                compactions.request,
                session_id=session_id,
                instructions=frame.instructions,
                tier=frame.tier,
            )

    async def on_subscribe(self, writer: SocketWriter, frame: Subscribe) -> None:
        """The snapshot, then the stored frames after the one the client names."""
        await self._place(writer, frame.after)

    async def on_ping(self, writer: SocketWriter, frame: Ping) -> None:
        """Still here."""
        self._reply(writer, "pong", {})

    # -- behind it

    def _admit(self) -> Admission:
        scope = cast("dict[str, Any]", self.scope)
        session_id = scope["url_route"]["kwargs"].get("session_id")
        return socket_auth.admit(scope["credential"], session_id)

    async def _place(self, writer: SocketWriter, after: int | None) -> None:
        """No frame goes out between the snapshot's taking and its sending."""
        writer.hold()
        try:
            resumption = await database(session_snapshot.resume, writer.admission.session_id, after)
        except Session.DoesNotExist:
            writer.close(NO_SUCH_SESSION, "no such session")
            return
        text = self._frame(writer, "session_snapshot", resumption.data)
        writer.place(resumption, text)

    @contextmanager
    def _refusals(self, writer: SocketWriter) -> Iterator[None]:
        """Answer this socket when what is done inside is refused."""
        try:
            yield
        except SessionAlreadyRunning as error:
            data = {"executionId": error.execution_id, "message": error.user_message}
            self._reply(writer, "session_already_running", data)
        except AgentError as error:
            self._reply(writer, "error", {"code": error.code, "message": error.user_message})

    def _count_bad_frame(self, writer: SocketWriter, error: BadFrame) -> None:
        self._reply(writer, "error", {"code": "bad_frame", "message": str(error)})
        self.bad_frames += 1
        if self.bad_frames >= MAX_BAD_FRAMES:
            writer.close(TOO_MANY_BAD_FRAMES, f"{MAX_BAD_FRAMES} bad frames")

    def _reply(self, writer: SocketWriter, type_: str, data: Mapping[str, Any]) -> None:
        writer.reply(self._frame(writer, type_, data))

    def _frame(self, writer: SocketWriter, type_: str, data: Mapping[str, Any]) -> str:
        return stream.frame_text(type_, writer.admission.session_id, None, data)
