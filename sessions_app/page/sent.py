"""One request as it was sent, beside the request before it: what its page shows."""

from dataclasses import dataclass

from sessions_app.models import RequestLog, Session
from sessions_app.page.composition import Composition, kind_of, logged_composition, part_names
from sessions_app.page.line_diff import DiffLine, added_lines, line_diff
from sessions_app.request_detail import (
    comparison,
    history_text,
    part_texts,
    request_before,
    wire_parts,
)
from sessions_app.request_diff import MESSAGES, Change, ChangedPart, Comparison

PREVIEW_CHARS = 2_000  # of a part's text in the page; the rest is one click away
DIFF_CHARS = 20_000  # of all differences in one page, markup included


@dataclass(frozen=True, slots=True)
class SentPart:
    """A part of the request, or (change "gone") of the one before.

    `text` is its beginning, `characters` the length of all of it. `diff` is None where there is
    nothing to compare, or too much. `breaks`: here the two requests part.
    """

    key: str
    label: str
    kind: str
    tokens: int
    change: Change
    text: str
    characters: int
    diff: list[DiffLine] | None
    breaks: bool

    @property
    def folded(self) -> bool:
        """Whether only the beginning is here."""
        return len(self.text) < self.characters


@dataclass(frozen=True, slots=True)
class Sent:
    """`stable_tokens`: what both requests begin with, so that a prompt cache can reuse it.

    `broken_by` is the label of the part that ended it, empty when nothing changed. `moved`: the
    history begins at another message than before. `previous`, `next`: ids of the neighbours.
    """

    log: RequestLog
    before: RequestLog | None
    composition: Composition
    parts: list[SentPart]
    stable_tokens: int
    broken_by: str
    moved: bool
    previous: int | None
    next: int | None


def sent(session: Session, log: RequestLog) -> Sent:
    """The request with its neighbours, in a constant number of queries."""
    before = request_before(log)
    names = part_names()
    compared = comparison(session=session, log=log, before=before, names=names)
    now = wire_parts(log, names)
    parts = _shown(session, log, before, compared)
    ids = session.requests.values_list("pk", flat=True)
    return Sent(
        log=log,
        before=before,
        composition=logged_composition(session, log, now),
        parts=parts,
        stable_tokens=compared.stable_prefix_tokens,
        broken_by=next((part.label for part in parts if part.breaks), ""),
        moved=before is not None and before.first_message_id != log.first_message_id,
        previous=ids.filter(pk__lt=log.pk).order_by("-id").first(),
        next=ids.filter(pk__gt=log.pk).order_by("id").first(),
    )


def sent_text(session: Session, log: RequestLog, key: str) -> str | None:
    """The whole text of the request's part with this key (of the one before, if it is gone), None
    if neither has one.
    """
    before, names = request_before(log), part_names()
    compared = comparison(session=session, log=log, before=before, names=names)
    found = [row.part for row in compared.parts if row.part.key == key]
    return part_texts(session=session, parts=found).get(found[0].identity) if found else None


def _shown(
    session: Session, log: RequestLog, before: RequestLog | None, compared: Comparison
) -> list[SentPart]:
    old = {part.key: part for part in wire_parts(before, part_names())} if before else {}
    fixed = [old[row.part.key] for row in compared.parts if _has_diff(row)]
    now = [row.part for row in compared.parts]
    texts = part_texts(session=session, parts=[*now, *fixed])
    budget = DIFF_CHARS
    parts: list[SentPart] = []
    for row in compared.parts:
        diff: list[DiffLine] | None = None
        if before and row.change == "changed" and row.part.key == MESSAGES:
            diff = _new_messages(session, log, before, budget)
        elif _has_diff(row):
            was, is_now = (texts.get(one.identity, "") for one in (old[row.part.key], row.part))
            diff = line_diff(was, is_now, budget=budget)
        budget = max(0, budget - sum(line.cost for line in diff or ()))
        breaks = before is not None and row.part.key == compared.first_changed_key
        parts.append(_part(row, texts.get(row.part.identity, ""), diff, breaks=breaks))
    return parts


def _has_diff(row: ChangedPart) -> bool:
    """Whether both texts are stored whole; a history is told by its messages instead."""
    return row.change == "changed" and row.part.key != MESSAGES


def _part(row: ChangedPart, text: str, diff: list[DiffLine] | None, *, breaks: bool) -> SentPart:
    return SentPart(
        key=row.part.key,
        label=row.part.label,
        kind=kind_of(row.part.key),
        tokens=row.part.tokens,
        change=row.change,
        text=text[:PREVIEW_CHARS],
        characters=len(text),
        diff=diff,
        breaks=breaks,
    )


def _new_messages(
    session: Session, log: RequestLog, before: RequestLog, budget: int
) -> list[DiffLine] | None:
    """What a history that has only grown has more; None after the boundary has moved."""
    first, last = (before.last_message_id or 0) + 1, log.last_message_id or 0
    if log.first_message_id != before.first_message_id or last < first:
        return None
    return added_lines(history_text(session=session, first=first, last=last), budget=budget)
