"""The rehearsal model in the real loop with the real tools."""

from pathlib import Path

from agent.clients.rehearsal import RehearsalModel
from agent.history import Conversation
from agent.loop import AgentLoop
from agent.messages import Message
from agent.testing import OpenGates, RecordingListener, make_builder, make_conversation
from agent.tools.executor import ToolExecutor
from agent.tools.paths import Workspace
from agent.tools.registry import workspace_tools


async def run(said: str, folder: Path) -> list[Message]:
    tools = ToolExecutor(workspace_tools(Workspace(folder)))
    listener = RecordingListener([Message("user", said, id=1)])
    conversation: Conversation = make_conversation(*listener.messages)
    await AgentLoop(
        client=RehearsalModel(pause=0),
        tools=tools,
        listener=listener,
        gates=OpenGates(),
        builder=make_builder(tools=tools.definitions),
        conversation=conversation,
    ).run()
    return listener.messages


async def test_a_tour_reads_every_file_of_a_folder(tmp_path: Path) -> None:
    for name in ("a.md", "b c.md", "sub/d.md", "e.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"I am {name}\n")
    messages = await run("tour **/*.md\nsearch I am", tmp_path)
    results = [message.content for message in messages if message.role == "tool"]
    assert [name in result for name, result in zip(("a", "b c", "d"), results[1:4], strict=True)]
    assert all("I am" in result for result in results[1:])
    assert messages[-1].content == "Done: 5 tool calls, 0 failed, 0 with a cut result."


async def test_a_tool_that_fails_is_told_of(tmp_path: Path) -> None:
    messages = await run("read nothing.md\nrun ls", tmp_path)
    assert "skip: `run ls`" in messages[-1].content
    assert "Done: 1 tool call, 1 failed" in messages[-1].content
