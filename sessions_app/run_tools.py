"""The tools of a run. Imported with the first one: a server starts without what their arguments are
checked by, which takes as long to load as all of our own code.
"""

from agent.protocols import Tool
from agent.tools.paths import Workspace
from agent.tools.registry import workspace_tools
from agent.tools.save_memory import SaveMemory
from compaction_app.teaching import Teaching
from sessions_app.context_tool import tool_of
from sessions_app.memory_proposals import RunProposals
from sessions_app.models import Session


def run_tools(
    session: Session, execution_id: str, workspace: Workspace, teaching: Teaching
) -> tuple[Tool, ...]:
    """Those of the workspace, then those that know session and execution, in a fixed order."""
    proposals = RunProposals(session.owner_id, session.pk, session.project_key, execution_id)
    return (*workspace_tools(workspace), tool_of(teaching), SaveMemory(proposals))
