"""Everything that can go wrong in a run, as a small family. `code` travels to frames and REST."""

from agent.phrases import Phrase


class AgentError(Exception):
    """Base of all. `retryable`: the same request may succeed later. `user_message` is shown to
    people.
    """

    code = "agent_error"
    retryable = False

    @property
    def user_message(self) -> str:
        """The text shown on the page: a `Phrase` where the words are ours."""
        return self.args[0] if self.args else ""


class ModelError(AgentError):
    """The provider refused or failed; carries its HTTP status, None when there was no answer."""

    code = "model_error"

    def __init__(self, message: str, *, status_code: int | None = None) -> None:
        super().__init__(message)
        self.status_code = status_code


class ModelUnavailable(ModelError):
    """Rate limit, overload, 5xx, timeout or a lost connection: worth another try."""

    code = "model_unavailable"
    retryable = True

    def __init__(
        self, message: str, *, status_code: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message, status_code=status_code)
        self.retry_after = retry_after  # seconds the provider asked for


class QuotaExceeded(ModelError):
    """The account has no budget left; waiting does not help."""

    code = "quota_exceeded"


class ContextOverflow(ModelError):
    """The prompt does not fit the window; sizes in tokens where the provider named them."""

    code = "context_overflow"

    def __init__(
        self,
        message: str,
        *,
        status_code: int | None = None,
        limit: int | None = None,
        requested: int | None = None,
    ) -> None:
        super().__init__(message, status_code=status_code)
        self.limit = limit
        self.requested = requested


class OutputBudgetOverflow(ContextOverflow):
    """The prompt fits, prompt + max output does not: ask for less output."""

    code = "output_budget_overflow"


class PayloadTooLarge(ModelError):
    """The request has too many bytes for the provider; tokens are not the problem."""

    code = "payload_too_large"


class ModelOutputInvalid(ModelError):
    """The model answered with something unusable (no text and no call, a broken tool call)."""

    code = "model_output_invalid"
    retryable = True


class NothingGained(AgentError):
    """A summary would take no less room than what it would stand for."""

    code = "nothing_gained"


class RoundLimitReached(AgentError):
    """The run used all its rounds without an answer."""

    code = "round_limit"


class ConfigurationError(AgentError):
    """A model, key or setting is missing or wrong; names it."""

    code = "configuration_error"


class ToolError(AgentError):
    """A tool cannot do what it was asked; the text goes to the model as the call's result."""

    code = "tool_error"


class ClaimLost(AgentError):
    """The run's claim is gone or carries another execution id: this run may write nothing more."""

    code = "claim_lost"


class SessionAlreadyRunning(AgentError):
    """Another run or compaction holds the session; `execution_id` says which."""

    code = "session_already_running"

    def __init__(self, execution_id: str) -> None:
        super().__init__(Phrase("The session is busy: another run or compaction is in progress."))
        self.execution_id = execution_id


class EventIdReused(AgentError):
    """The same event id came again with another text."""

    code = "event_id_reused"

    def __init__(self, event_id: str) -> None:
        super().__init__(
            Phrase("eventId %(id)s was used before with another text.", id=repr(event_id))
        )


class NothingToUndo(AgentError):
    """No compaction is in force that could be taken back."""

    code = "nothing_to_undo"

    def __init__(self) -> None:
        super().__init__(Phrase("There is no compaction to undo."))
