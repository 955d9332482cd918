"""A plain chat in the terminal."""

import readline  # noqa: F401 - gives input() a line that can be edited
import sys
from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from agent.errors import AgentError
from sessions_app.models import Session
from sessions_app.services import sessions
from sessions_app.terminal import session_argument
from sessions_app.terminal.chat import COMMANDS, Chat, LeftEarly
from sessions_app.terminal.columns import one_line
from sessions_app.terminal.compaction_wait import INTERRUPTED
from sessions_app.terminal.feed import Feed, SessionDeleted
from sessions_app.terminal.screen import Screen


class Command(BaseCommand):
    help = f"Talk to a session. Ctrl-C cancels a run. Commands: {COMMANDS}."

    def add_arguments(self, parser: ArgumentParser) -> None:
        session_argument.add(parser, optional=True)
        parser.add_argument(
            "--user", help="whose a new session is; needed where there are several users"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        session = self._session(options["session"], options["user"])
        model = session.model.name if session.model else "the default model"
        title = one_line(session.title) or "untitled"
        self.stdout.write(f"Session {session.pk}: {title} ({one_line(model)}). {COMMANDS}")
        try:
            with Feed(session.pk) as feed:
                Chat(feed, Screen(self._put), self._read).run()
        except SessionDeleted as deleted:
            raise CommandError(str(deleted)) from deleted
        except LeftEarly as early:
            raise CommandError(str(early), returncode=INTERRUPTED) from early

    def _session(self, session_id: int | None, username: str | None) -> Session:
        if session_id is not None:
            return session_argument.find(session_id)
        try:
            with session_argument.readable():
                return sessions.create(owner=_owner(username), fields={})
        except AgentError as error:
            raise CommandError(error.user_message) from error

    def _put(self, text: str) -> None:
        self.stdout.write(text, ending="")
        self.stdout.flush()

    def _read(self) -> str:
        self.stdout.flush()
        line = input("> ")
        if not sys.stdin.isatty():  # nobody has typed it
            self.stdout.write(line)
        return line


def _owner(username: str | None) -> User:
    """The named user, or the only one."""
    users = User.objects.filter(is_active=True).order_by("pk")
    found = users if username is None else users.filter(username=username)
    if len(found) == 1:
        return found[0]
    names = ", ".join(users.values_list("username", flat=True)[: session_argument.SHOWN])
    asked = "--user is needed" if username is None else f"There is no user {username!r}"
    raise CommandError(f"{asked}; there are: {names or 'none, see manage.py createsuperuser'}.")
