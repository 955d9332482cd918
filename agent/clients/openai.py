"""Chat Completions, streamed: OpenAI and every server that speaks like it."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import orjson

from agent.clients.base import Deadlines, with_deadlines
from agent.clients.openai_body import read_chunks
from agent.clients.openai_dialect import Dialect
from agent.clients.openai_sdk import OPENAI_BASE_URL, HttpRefusal, load_sdk, sdk_client
from agent.clients.openai_stream import StreamAssembler
from agent.clients.openai_wire import MessageCache, Wire, names_on_return, request_body
from agent.clients.overflow import classify
from agent.errors import AgentError, ModelUnavailable
from agent.messages import StreamEvent
from agent.phrases import Phrase
from agent.request import ModelRequest

if TYPE_CHECKING:
    import httpx2

OWN_HOSTS = ("api.openai.com", ".openai.azure.com")
SHORTEST_HIDDEN_KEY = 8


class OpenAIClient:
    """A `ModelClient` for one server and key; an empty `base_url` means OpenAI itself.

    Make one per run: it keeps the wire form of the last request's messages and what it learnt of
    the server's dialect. The connections behind it are shared (see `openai_sdk`).
    """

    def __init__(
        self, *, api_key: str, base_url: str = "", deadlines: Deadlines | None = None
    ) -> None:
        self._api_key = api_key.strip()
        self._base_url = base_url or OPENAI_BASE_URL
        self._deadlines = deadlines or Deadlines()
        self._own_api = (urlsplit(self._base_url).hostname or "").endswith(OWN_HOSTS)
        self._cache = MessageCache()
        self._dialect = Dialect()

    def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent, None]:
        """Send the request; deltas as they come, the `ModelResponse` last.

        Raises the `AgentError` that `overflow.classify` finds, `ModelUnavailable` for deadlines
        and lost connections, `ModelOutputInvalid` for an empty answer. Closing the iterator closes
        the connection.
        """
        return with_deadlines(self._events(request), self._deadlines)

    async def _events(self, request: ModelRequest) -> AsyncGenerator[StreamEvent | None, None]:
        assembler = StreamAssembler(names_on_return(request.tools), _seed(request))
        response = await self._send(request)
        try:
            reading = read_chunks(response, lambda: assembler.has_stop_reason)
            async with aclosing(reading) as chunks:
                async for chunk in chunks:
                    for event in assembler.feed(chunk):
                        yield event
            for last in assembler.finish():
                yield last
        finally:
            await response.aclose()

    async def _send(self, request: ModelRequest) -> "httpx2.Response":
        history = self._cache.history(request.messages, vision=request.spec.vision)
        body = request_body(request, own_api=self._own_api, history=history)
        while True:
            spoken = self._dialect.speak(body)
            try:
                return await self._post(spoken)
            except HttpRefusal as refusal:
                if not self._dialect.learn(spoken, refusal.status, refusal.text):
                    raise self._classified(refusal, request) from refusal

    async def _post(self, body: Wire) -> "httpx2.Response":
        """Sent as bytes: the SDK's own method walks through the whole history to transform it."""
        await load_sdk()
        from openai import APIConnectionError, AsyncStream, Timeout  # noqa: PLC0415 - loaded lazily

        client = sdk_client(self._base_url, self._api_key)
        try:
            stream = await client.post(
                "/chat/completions",
                cast_to=object,
                content=orjson.dumps(body),
                options={
                    "headers": {"Content-Type": "application/json"},
                    "timeout": Timeout(self._deadlines.total, connect=self._deadlines.connect),
                },
                stream=True,
                stream_cls=AsyncStream[object],
            )
        except APIConnectionError as error:
            raise self._not_connected(error.__cause__ or error) from error
        return stream.response

    def _not_connected(self, cause: BaseException) -> AgentError:
        name, host = type(cause).__name__, urlsplit(self._base_url).netloc
        if name == "ConnectTimeout":
            seconds = self._deadlines.connect
            return ModelUnavailable(
                Phrase(
                    "%(host)s passed the connect deadline of %(seconds)s s",
                    host=host,
                    seconds=f"{seconds:g}",
                )
            )
        return ModelUnavailable(
            Phrase(
                "no connection to %(host)s: %(error)s",
                host=host,
                error=f"{name} {self._hidden(str(cause))}",
            )
        )

    def _classified(self, refusal: HttpRefusal, request: ModelRequest) -> AgentError:
        text = self._hidden(refusal.text)
        try:
            body = json.loads(text)
        except (ValueError, RecursionError):
            body = text
        window = request.spec.window_tokens
        occupancy = request.estimated * request.spec.calibration / window if window else None
        return classify(refusal.status, body, refusal.headers, occupancy=occupancy)

    def _hidden(self, text: str) -> str:
        """The text without our key, which some servers repeat."""
        if len(self._api_key) < SHORTEST_HIDDEN_KEY:
            return text
        return text.replace(self._api_key, "[key]")


def _seed(request: ModelRequest) -> str:
    """Different for each round of a session, the same when a round is sent again."""
    last = request.messages[-1].id if request.messages else None
    return f"{len(request.messages)}:{last}"
