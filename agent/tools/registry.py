"""Which tools a workspace offers. A new tool is one file and one line here."""

from agent.protocols import Tool
from agent.tools.glob_search import GlobSearch
from agent.tools.grep_search import GrepSearch
from agent.tools.paths import Workspace
from agent.tools.read_file import ReadFile
from agent.tools.ripgrep import Ripgrep, find_ripgrep
from agent.tools.search_engine import LiteralSearch


def workspace_tools(workspace: Workspace) -> tuple[Tool, ...]:
    """The tools on the files of a workspace, in the fixed order in which they are offered."""
    program = find_ripgrep()
    return (
        ReadFile(workspace),
        GrepSearch(workspace, Ripgrep(program) if program else LiteralSearch()),
        GlobSearch(workspace),
    )
