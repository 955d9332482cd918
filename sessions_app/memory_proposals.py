"""Where a run's `save_memory` calls go: into proposals that know session and message."""

from dataclasses import dataclass

from agent.errors import ToolError
from agent.tools.save_memory import Proposal
from memory_app import services
from memory_app.errors import MemoryRefused
from memory_app.models import MemoryItem
from sessions_app import claims, transactions
from sessions_app.models import Message
from sessions_app.run_loop import database

PROJECT = MemoryItem.Scope.PROJECT


@dataclass(frozen=True, slots=True)
class RunProposals:
    """The proposals of one run; written only while it holds its claim."""

    owner_id: int
    session_id: int
    project_key: str
    execution_id: str

    async def propose(self, content: str, scope: str) -> Proposal:
        """Keep the proposal. Raises ToolError when it can't be a memory, with what is allowed."""
        if scope == PROJECT and not self.project_key:
            raise ToolError(
                'argument "scope" is PROJECT: this session has no project; allowed: USER'
            )
        try:
            return await database(transactions.run, lambda: self._write(content, scope))
        except MemoryRefused as refused:
            raise ToolError(f'argument "{refused.field}": {refused}') from refused

    def _write(self, content: str, scope: str) -> Proposal:
        claims.fence(session_id=self.session_id, execution_id=self.execution_id)
        item, is_new = services.memory_propose(
            owner_id=self.owner_id,
            content=content,
            scope=scope,
            project_key=self.project_key if scope == PROJECT else "",
            session_id=self.session_id,
            message_id=self._calling_message(),
        )
        return Proposal(item.pk, item.status, is_new)

    def _calling_message(self) -> int | None:
        """The response that holds the call: stored before its tools start, and the run's newest."""
        answers = Message.objects.filter(
            session_id=self.session_id,
            execution_id=self.execution_id,
            role=Message.Role.ASSISTANT,
        )
        return answers.order_by("-id").values_list("pk", flat=True).first()
