"""What every tool of ours is made of: a name, a description and checked arguments."""

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from agent.errors import ToolError
from agent.messages import ToolDefinition
from agent.protocols import ToolOutcome
from agent.tools.paths import Workspace

SHOWN_VALUE_CHARS = 200  # of a refused argument's value in the error text


class ToolArguments(BaseModel):
    """Base of all argument models: unknown names are refused; every field needs a description."""

    model_config = ConfigDict(extra="forbid", frozen=True)


ArgumentsT = TypeVar("ArgumentsT", bound=ToolArguments)


class _PlainSchema(GenerateJsonSchema):
    """JSON Schema as tools need it: no titles made of the names, no null beside a type."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - pydantic calls it
        """Never: a title says nothing that the name does not."""
        return False

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        """Only the type: an argument that is not given is left out."""
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """A default of None says nothing either."""
        plain = super().default_schema(schema)
        return {key: value for key, value in plain.items() if (key, value) != ("default", None)}


class TypedTool(ABC, Generic[ArgumentsT]):
    """A tool with a pydantic model for arguments. Subclasses set three attributes and `call`."""

    name: ClassVar[str]
    description: ClassVar[str]
    Arguments: type[ArgumentsT]

    @property
    def definition(self) -> ToolDefinition:
        """Name, description and argument schema; made once per class."""
        return _definition(type(self))

    async def run(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Check the arguments, then do it. Raises `ToolError` with a text for the model."""
        return await self.call(self.parse(arguments))

    def parse(self, arguments: Mapping[str, Any]) -> ArgumentsT:
        """The checked arguments; null counts as "not given".

        Raises `ToolError` with the argument, its value and what is allowed.
        """
        given = {key: value for key, value in arguments.items() if value is not None}
        try:
            return self.Arguments.model_validate(given)
        except ValidationError as error:
            allowed = ", ".join(self.Arguments.model_fields)
            problems = [_problem(dict(item), allowed) for item in error.errors(include_url=False)]
            raise ToolError("\n".join(problems)) from error

    @abstractmethod
    async def call(self, arguments: ArgumentsT) -> ToolOutcome:
        """Do it; must not block the event loop."""


class WorkspaceTool(TypedTool[ArgumentsT]):
    """A tool that works on the files of one workspace, in a thread."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    async def call(self, arguments: ArgumentsT) -> ToolOutcome:
        """Run `work` in a thread; when the call is cancelled, tell the thread to stop."""
        cancelled = threading.Event()
        try:
            return await asyncio.to_thread(self.work, arguments, cancelled)
        finally:
            cancelled.set()

    @abstractmethod
    def work(self, arguments: ArgumentsT, cancelled: threading.Event) -> ToolOutcome:
        """Do it, blocking; anything that takes long looks at `cancelled`."""


@cache
def _definition(tool: type[TypedTool[Any]]) -> ToolDefinition:
    """The definition of a tool class; the argument model's own docstring is for developers."""
    schema = tool.Arguments.model_json_schema(schema_generator=_PlainSchema)
    schema.pop("title", None)
    schema.pop("description", None)
    return ToolDefinition(tool.name, tool.description, schema)


def _problem(error: dict[str, Any], allowed: str) -> str:
    """One refused argument: its name, its value and what is allowed."""
    name = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return f'argument "{name}" is unknown; allowed: {allowed}'
    if error["type"] == "missing":
        return f'argument "{name}" is missing; arguments: {allowed}'
    value = repr(error["input"])
    if len(value) > SHOWN_VALUE_CHARS:
        value = f"{value[:SHOWN_VALUE_CHARS]}... ({len(value):,} characters)"
    message = (
        error["msg"].replace("Input should", "it should").replace("String should", "it should")
    )
    return f'argument "{name}" is {value}: {message}'
