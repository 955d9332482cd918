"""Nobody speaks for the user: held by the shape of the code. Tests of runs scan the database."""

import ast
import re
from collections.abc import Iterator

from tests.source_tree import code, nodes

MESSAGE_WRITER = "sessions_app/services/transcript.py"
USER_WRITER = "user_message_create"
# Where a person's own words come in; nothing else starts a run.
DOORS = [
    "sessions_app/api/messages.py",
    "sessions_app/consumers.py",
    "sessions_app/message_views.py",
    "sessions_app/terminal/chat.py",
]
WRITES = r"(?:a?bulk_|a?get_or_|a?update_or_|a)?create|a?bulk_update|a?update"


def tree(path: str) -> ast.Module:
    return dict(code())[path]


def message_names(module: ast.Module) -> set[str]:
    """What a module calls the message table."""
    return {
        alias.asname or alias.name
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith("sessions_app.models")
        for alias in node.names
        if alias.name == "Message"
    }


def writes(module: ast.Module) -> list[str]:
    """Calls that make or change message rows: of the table, of a session's, or of a row's class."""
    tables = message_names(module)
    rows = "|".join([r"\w+\.messages", *(rf"{each}\.\w+" for each in tables)])
    query = re.compile(rf"(?:{rows})\b.*\.(?:{WRITES})", re.DOTALL)
    called = [node.func for node in ast.walk(module) if isinstance(node, ast.Call)]
    return [
        ast.unparse(func)
        for func in called
        if (isinstance(func, ast.Name) and func.id in tables) or query.fullmatch(ast.unparse(func))
    ]


def references(to: str) -> Iterator[str]:
    """The files with code that names this function, once for each time."""
    for path, node in nodes((ast.Attribute, ast.Name)):
        if isinstance(node, ast.Attribute | ast.Name) and ast.unparse(node) == to:
            yield path


def test_messages_are_written_in_one_place() -> None:
    assert {path for path, module in code() if writes(module)} == {MESSAGE_WRITER}


def test_every_way_to_write_one_would_be_seen() -> None:
    program = """
from sessions_app.models import Message as Row
Row(session=session).save()
Row.objects.acreate(role="user")
Row.objects.filter(pk=1).update(role="user")
Row._base_manager.bulk_create([])
session.messages.create(role="user")
session.messages.filter(pk=1).aupdate(role="user")
Row.objects.filter(pk=1).exists()
"""
    assert len(writes(ast.parse(program))) == 6


def test_the_role_user_is_given_in_one_function() -> None:
    speakers = {
        function.name
        for function in tree(MESSAGE_WRITER).body
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if (isinstance(node, ast.Attribute) and node.attr == "USER")
        or (isinstance(node, ast.Constant) and node.value == "user")
    }
    assert speakers == {USER_WRITER}


def test_a_users_words_are_stored_where_a_run_starts_and_nowhere_else() -> None:
    assert list(references(f"transcript.{USER_WRITER}")) == ["sessions_app/runs.py"]
    assert list(references(USER_WRITER)) == []
    (start,) = [
        function.name
        for function in tree("sessions_app/runs.py").body
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        and USER_WRITER in ast.unparse(function)
    ]
    assert start == "start"


def test_runs_are_started_by_people_only() -> None:
    assert sorted(references("runs.start")) == DOORS
    importers = [
        path
        for path, node in nodes(ast.ImportFrom)
        if isinstance(node, ast.ImportFrom) and node.module == "sessions_app.runs"
    ]
    assert importers == []
