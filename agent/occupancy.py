"""How full the window is: the last measurement and what came after, or the estimate of all."""

from dataclasses import dataclass

from agent.history import History


@dataclass(slots=True)
class Occupancy:
    """The anchor of a session: the measured prompt of its last request and the last message in it.

    `measured` None: the provider does not report; 0 without a message: void since a compaction, an
    undo, or a change of model, tools or prompt.
    """

    measured: int | None = None
    covered_id: int | None = None
    calibration: float = 1.0  # measured / estimated, of the model; applied in decisions only

    def measure(self, prompt_tokens: int | None, *, covered_id: int | None) -> None:
        """A response came with its usage."""
        self.measured = prompt_tokens
        self.covered_id = covered_id if prompt_tokens is not None else None

    def void(self) -> None:
        """What was measured is no measure of the next request."""
        self.measured, self.covered_id = 0, None

    def active(self, estimated: int, history: History) -> int:
        """Active tokens: measured + estimate of what came after, or the whole estimate if more."""
        whole = round(estimated * self.calibration)
        if not self.measured or self.covered_id is None:
            return whole
        after = round(history.tokens_after(self.covered_id) * self.calibration)
        return max(whole, self.measured + after)
