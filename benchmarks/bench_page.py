"""The session page and its updates: what a long session costs more than a short one."""

from collections.abc import Callable
from html.parser import HTMLParser

from benchmarks import database  # first of what needs Django: it chooses the database

# isort: split
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from benchmarks.figures import Figure, at_most, hand_over
from benchmarks.measure import medians, ratio
from sessions_app.models import Message, Session

SMALL, LARGE = 1_000, 10_000


class Counter(HTMLParser):
    """Elements and texts of a page, and the rows of its conversation."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements = self.texts = self.rows = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element."""
        del tag
        self.elements += 1
        self.rows += "data-message-id" in dict(attrs)

    def handle_data(self, data: str) -> None:
        """A text; white space between elements is not counted."""
        self.texts += bool(data.strip())


def prepared(count: int) -> Session:
    """A session with its requests, at rest."""
    session = database.session(count)
    database.log_requests(session)
    database.release_claim(session)
    return session


def getting(client: Client, address: str) -> Callable[[], str]:
    """Gets what is at the address."""

    def get() -> str:
        answer = client.get(address)
        assert answer.status_code == 200, answer
        return answer.content.decode()

    return get


def page(client: Client, session: Session) -> Callable[[], str]:
    """Gets the session's page."""
    return getting(client, f"/sessions/{session.pk}")


def update(client: Client, session: Session) -> Callable[[], str]:
    """Gets what an open page asks for after each frame."""
    last = Message.objects.filter(session=session).order_by("-id").values_list("id", flat=True)[0]
    return getting(client, f"/sessions/{session.pk}/parts?after={last}&boundary=0")


def queries(work: Callable[[], object]) -> int:
    """How often it asks the database."""
    with CaptureQueriesContext(connection) as captured:
        work()
    return len(captured)


def figures() -> list[Figure]:
    """All of them, with a client in this process: no server's time is in them."""
    small, large = prepared(SMALL), prepared(LARGE)
    client = Client(headers={"host": "localhost"})
    client.force_login(large.owner)
    get, get_small = page(client, large), page(client, small)
    html = get()
    counted = Counter(html)
    [large_s] = medians(get)
    more_queries = queries(get) - queries(get_small)
    return [
        at_most("session page, n = 10,000 against n = 1,000", 1.2, ratio(get, get_small)),
        at_most(
            "update of an open page, n = 10,000 against n = 1,000",
            1.2,
            ratio(update(client, large), update(client, small)),
        ),
        at_most("session page, n = 10,000: server's CPU time", 200, large_s * 1_000, " ms"),
        at_most("... its size", 300, len(html.encode()) / 1_000, " kB"),
        at_most("... its messages", 200, counted.rows, ""),
        at_most("... its elements and texts", 3_000, counted.elements + counted.texts, ""),
        at_most("... its queries beyond those for n = 1,000", 0, more_queries, ""),
    ]


if __name__ == "__main__":
    database.prepare()
    hand_over(figures())
