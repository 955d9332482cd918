"""Why a memory is not written."""


class MemoryRefused(ValueError):
    """A value that a memory can't have; `field` is its REST name, the text says what is allowed."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
