"""Builds a model request and, in the same object, the manifest that says where its tokens come
from.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from agent.history import Conversation
from agent.manifest import ContextManifest, PromptPart, SectionStat, ToolsStat
from agent.messages import Message, ModelSpec, ToolDefinition
from agent.tokens import MESSAGE_OVERHEAD, TokenEstimator

SAFETY_TOKENS = 1_024  # "fits" means estimate + this <= window


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """Everything that goes to the model, before it takes a provider's wire form.

    On the wire: system, `handoff` (as a user message), `messages`, `notes` (in the role
    `spec.notes_role`), `instruction` (as a user message; summary requests only). Empty texts are
    not there.
    """

    spec: ModelSpec
    parts: tuple[PromptPart, ...]
    system: str
    conversation: Conversation
    messages: Sequence[Message]
    tools: tuple[ToolDefinition, ...]
    max_output_tokens: int
    manifest: ContextManifest
    notes: str = ""
    instruction: str = ""
    instruction_tokens: int = 0  # as sent; the manifest is of the session, and has none

    @property
    def handoff(self) -> str:
        """The summary as sent, wrapped; empty without one."""
        return self.conversation.handoff

    @property
    def estimated(self) -> int:
        """Estimated tokens of the prompt, before calibration."""
        return self.manifest.estimated + self.instruction_tokens


@dataclass(frozen=True, slots=True)
class RequestBuilder:
    """What stays the same for all requests of a run. `labels` names handoff, messages and
    context_notes.
    """

    spec: ModelSpec
    estimator: TokenEstimator
    parts: tuple[PromptPart, ...]
    tools: tuple[ToolDefinition, ...]
    labels: dict[str, str]
    memory_ids: tuple[int, ...] = ()
    compact_at_tokens: int | None = None
    _fixed: tuple[SectionStat, ...] = field(init=False, repr=False, default=())
    _tools: ToolsStat = field(init=False, repr=False, default=ToolsStat(0, 0))
    _system: str = field(init=False, repr=False, default="")
    floor: int = field(init=False, default=0)  # tokens that nothing removes: prompt and tools

    def __post_init__(self) -> None:
        count = self.estimator.section
        stats = tuple(SectionStat(p.key, p.label, count(p.text), p.count) for p in self.parts)
        object.__setattr__(self, "_fixed", stats)
        object.__setattr__(self, "_tools", self._tools_stat())
        object.__setattr__(self, "_system", "".join(part.text for part in self.parts))
        object.__setattr__(self, "floor", sum(row.tokens for row in stats) + self._tools.tokens)

    def estimate(self, conversation: Conversation, *, notes: str = "") -> int:
        """Estimated tokens of the request that `build` would make, without making it."""
        handoff = self._handoff_tokens(conversation)
        return self.floor + handoff + conversation.history.tokens + self.notes_tokens(notes)

    def notes_tokens(self, notes: str) -> int:
        """Estimated tokens of the notes as sent."""
        return self.estimator.lines(notes) + MESSAGE_OVERHEAD if notes else 0

    def build(self, conversation: Conversation, *, notes: str = "") -> ModelRequest:
        """The request for this state of the conversation; costs only what is new since the last."""
        history = conversation.history
        return self._request(conversation, history.messages(), history.tokens, notes=notes)

    def build_summary(
        self,
        conversation: Conversation,
        instruction: str,
        *,
        messages: int,
        tokens: int,
        limit: int,
    ) -> ModelRequest:
        """A summary request: a prefix of the ordinary one, the same objects, plus one instruction.

        So a provider's prompt cache, filled by the run, serves it too. The prefix is the first
        `messages` messages with `tokens` tokens; `limit` is the most that the summary may have.
        """
        prefix = conversation.history.messages()[:messages]
        request = self._request(conversation, prefix, tokens, notes="")
        return self.instructed(replace(request, max_output_tokens=limit), instruction)

    def instructed(self, request: ModelRequest, instruction: str) -> ModelRequest:
        """The summary request with this instruction at its end, in place of another."""
        tokens = self.estimator.lines(instruction) + MESSAGE_OVERHEAD
        return replace(request, instruction=instruction, instruction_tokens=tokens)

    def _request(
        self, conversation: Conversation, messages: Sequence[Message], tokens: int, *, notes: str
    ) -> ModelRequest:
        grown = [SectionStat("messages", self.labels["messages"], tokens, len(messages))]
        if conversation.handoff:
            grown.insert(0, self._stat("handoff", self._handoff_tokens(conversation)))
        if notes:
            grown.append(self._stat("context_notes", self.notes_tokens(notes)))
        estimated = self.floor + sum([section.tokens for section in grown])
        manifest = ContextManifest(
            sections=(*self._fixed, *grown),
            tools=self._tools,
            memory_ids=self.memory_ids,
            window_tokens=self.spec.window_tokens,
            compact_at_tokens=self.compact_at_tokens,
        )
        return ModelRequest(
            spec=self.spec,
            parts=self.parts,
            system=self._system,
            conversation=conversation,
            messages=messages,
            tools=self.tools,
            max_output_tokens=output_budget(self.spec, estimated),
            manifest=manifest,
            notes=notes,
        )

    def _stat(self, key: str, tokens: int) -> SectionStat:
        return SectionStat(key, self.labels[key], tokens)

    def _handoff_tokens(self, conversation: Conversation) -> int:
        handoff = conversation.handoff
        return self.estimator.section(handoff) + MESSAGE_OVERHEAD if handoff else 0

    def _tools_stat(self) -> ToolsStat:
        servers: dict[str, int] = {}
        for tool in self.tools:
            if tool.server:
                servers[tool.server] = servers.get(tool.server, 0) + self.estimator.tool(tool)
        total = self.estimator.tools(self.tools)
        return ToolsStat(total, len(self.tools), tuple(servers.items()))


def fits(estimated: int, window: int | None) -> bool:
    """Whether a prompt of this estimate leaves room to answer; an unknown window always fits."""
    return window is None or estimated + SAFETY_TOKENS <= window


def output_budget(spec: ModelSpec, estimated: int) -> int:
    """The request's max output: the model's, lowered to what the window leaves, never below 1
    token.
    """
    if spec.window_tokens is None:
        return spec.max_output_tokens
    return max(1, min(spec.max_output_tokens, spec.window_tokens - estimated))
