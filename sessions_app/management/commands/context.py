"""The context of a session as it was pushed last: a table with bars, or JSON."""

import shutil
from argparse import ArgumentParser
from typing import Any

import orjson
from django.core.management.base import BaseCommand

from sessions_app import selectors
from sessions_app.terminal import session_argument
from sessions_app.terminal.columns import one_line
from sessions_app.terminal.composition import table


class Command(BaseCommand):
    help = "Shows what the model of a session was given last: each part with its tokens."

    def add_arguments(self, parser: ArgumentParser) -> None:
        session_argument.add(parser)
        parser.add_argument("--json", action="store_true", help="the same as REST gives it")

    def handle(self, *args: Any, **options: Any) -> None:
        session = session_argument.find(options["session"])
        context = selectors.context(session)
        if options["json"]:
            self.stdout.write(orjson.dumps(context, option=orjson.OPT_INDENT_2).decode())
            return
        title = one_line(session.title)
        model = session.model.name if session.model else "the default model"
        self.stdout.write(f"Session {session.pk}: {title} ({one_line(model)})\n\n")
        if context is None:
            self.stdout.write("There was no request yet, so there is no context to show.")
            return
        width = shutil.get_terminal_size().columns
        for line in table(context, width=width, language=session.language):
            self.stdout.write(line)
        self.stdout.write(f"\nEstimates, as of {context['updatedAt']}.")
