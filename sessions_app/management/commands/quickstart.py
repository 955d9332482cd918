"""Everything for a first look in one command: database, user, session, server, sign-in link."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError
from django.urls import reverse

from agent import tokens
from sessions_app import local_server, selectors, signin
from sessions_app.models import ModelProfile, Session
from sessions_app.services import demo

NO_LINK = (
    "A sign-in link works on this machine only, and HOST={host} does not listen on a loopback "
    "address. Use HOST=0.0.0.0, or give the user a password: manage.py changepassword {user}"
)


class Command(BaseCommand):
    help = (
        "Prepares the database, a first user and a session on this checkout, serves them on "
        "HOST:PORT (environment; 127.0.0.1:8000) and prints a sign-in link that works once."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        only = parser.add_mutually_exclusive_group()
        only.add_argument("--prepare-only", action="store_true", help="prepare, don't serve")
        only.add_argument("--link", action="store_true", help="print a new link, don't serve")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            address = local_server.resolve(settings.HOST)
            if not (options["prepare_only"] or options["link"]):
                local_server.require_free(address, settings.PORT)
        except local_server.AddressUnusable as error:
            raise CommandError(str(error)) from error
        try:
            session = self._prepare()
        except OperationalError as error:
            raise CommandError(f"The database of DATABASE_URL can't be used: {error}") from error
        if options["link"]:
            self.stdout.write(_link(session, address))
        elif not options["prepare_only"]:
            self._serve(session, address)

    def _prepare(self) -> Session:
        call_command("migrate", interactive=False, verbosity=0)
        for name in tokens.VOCABULARIES:
            if tokens.install_vocabulary(name, tokens.vocabulary_folder()) is None:
                self.stderr.write(f"The vocabulary {name} is not there: tokens are bytes / 3.")
        return demo.session_create(owner=demo.user_create())

    def _serve(self, session: Session, address: str) -> None:
        served = local_server.served_file()

        def announce() -> None:
            served.write_text(f"{address} {settings.PORT}")
            self.stdout.write(
                f"Vitrine listens on {address}, port {settings.PORT}. Ctrl-C stops it."
            )
            self.stdout.write(model_line())
            self.stdout.write("Sign in (one use, within an hour, from this machine):")
            self.stdout.write(_link(session, address))
            self.stdout.flush()

        try:
            local_server.serve(address, settings.PORT, on_ready=announce)
        finally:
            served.unlink(missing_ok=True)


def _link(session: Session, address: str) -> str:
    origin = local_server.loopback_origin(*local_server.served(address, settings.PORT))
    if origin is None:
        return NO_LINK.format(host=settings.HOST, user=session.owner.get_username())
    return origin + signin.path(session.owner, next_path=reverse("session_page", args=[session.pk]))


def model_line() -> str:
    """Which model new sessions get, in one line."""
    model = selectors.default_model(selectors.offered_models())
    if model is None:
        return "No model is offered: enable one in the admin."
    if model.provider != ModelProfile.Provider.REHEARSAL:
        return f"New sessions use the model {model.name}."
    return (
        "The built-in rehearsal model answers (no LLM). For a real one set OPENAI_API_KEY, "
        "OPENAI_BASE_URL or ANTHROPIC_API_KEY."
    )
