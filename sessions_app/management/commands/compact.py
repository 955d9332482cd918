"""Compacts a session by hand and waits for the end."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agent.errors import AgentError
from compaction_app.policy import SHARES
from sessions_app import compactions, limits
from sessions_app.terminal import session_argument
from sessions_app.terminal.compaction_wait import CompactionWait
from sessions_app.terminal.feed import Feed, SessionDeleted

DONE = {"compacted", "nothing_to_compact"}


class Command(BaseCommand):
    help = (
        "Compacts a session: at once, in this process, or after the round of the run that is in "
        "progress elsewhere. Ctrl-C cancels what was started here."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        session_argument.add(parser)
        parser.add_argument("--instructions", default="", help="what the summary should attend to")
        parser.add_argument(
            "--tier", default="", choices=list(SHARES), help="how much is kept, this once"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        session = session_argument.find(options["session"])
        instructions = options["instructions"].strip()
        if problem := limits.too_long(instructions, limits.FOCUS_CHARS):
            raise CommandError(f"--instructions: {problem}")
        with Feed(session.pk) as feed, feed.interruptible():
            try:
                accepted = compactions.request(
                    session_id=session.pk, instructions=instructions, tier=options["tier"]
                )
                outcome = CompactionWait(feed, accepted, self.stdout.write).outcome()
            except AgentError as refusal:
                raise CommandError(refusal.user_message) from refusal
            except SessionDeleted as deleted:
                raise CommandError(str(deleted)) from deleted
        if outcome not in DONE:
            raise CommandError(f"The context was not compacted: {outcome}.")
