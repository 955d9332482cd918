"""One request of the log as it was sent, compared with the request before."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Sum

from agent.prompt.labels import labels
from sessions_app.models import PromptPart, RequestLog, Session
from sessions_app.request_diff import MESSAGES, Comparison, Part, compare
from sessions_app.request_text import readable

AFTER_MESSAGES = {"context_notes", "instruction"}


def request_detail(*, session: Session, log: RequestLog) -> dict[str, Any]:
    """What `GET .../requests/{id}` adds to the row, against the run request before.

    `parts` in wire order, each with text and change; `stablePrefixTokens`, those of what both
    requests begin with; `firstChangedKey`, None when nothing changed.
    """
    names = labels(session.language)
    compared = comparison(session=session, log=log, before=request_before(log), names=names)
    texts = part_texts(session=session, parts=[row.part for row in compared.parts])
    return {
        "parts": [
            {
                "key": row.part.key,
                "label": row.part.label,
                "tokens": row.part.tokens,
                "text": texts.get(row.part.identity, ""),
                "change": row.change,
            }
            for row in compared.parts
        ],
        "stablePrefixTokens": compared.stable_prefix_tokens,
        "firstChangedKey": compared.first_changed_key,
    }


def request_before(log: RequestLog) -> RequestLog | None:
    """The run request before this one in its session, which it is compared with."""
    earlier = RequestLog.objects.filter(session_id=log.session_id, pk__lt=log.pk)
    return earlier.filter(kind=RequestLog.Kind.RUN).first()


def comparison(
    *, session: Session, log: RequestLog, before: RequestLog | None, names: Mapping[str, str]
) -> Comparison:
    """The request's parts in wire order against those of the one before; `names` by key."""
    return compare(
        wire_parts(log, names),
        wire_parts(before, names) if before else (),
        common_message_tokens=_common_message_tokens(session, log, before),
    )


def wire_parts(log: RequestLog, names: Mapping[str, str]) -> list[Part]:
    """The stored parts, and the history in its place: its tokens are the rest of the estimate.

    A part whose key `names` does not have keeps the name that it was stored with.
    """
    parts = [
        Part(key, names.get(key) or label or key, tokens, digest)
        for key, label, tokens, digest in log.parts
    ]
    if log.first_message_id is not None:
        left = max(0, log.estimated - sum(part.tokens for part in parts))
        place = next((i for i, part in enumerate(parts) if part.key in AFTER_MESSAGES), len(parts))
        identity = f"{log.first_message_id}-{log.last_message_id}"
        parts.insert(place, Part(MESSAGES, names[MESSAGES], left, identity))
    return parts


def _common_message_tokens(session: Session, now: RequestLog, before: RequestLog | None) -> int:
    """Tokens of the messages that both histories begin with; none after the boundary has moved."""
    if before is None or now.first_message_id is None:
        return 0
    if now.first_message_id != before.first_message_id:
        return 0
    last = min(now.last_message_id or 0, before.last_message_id or 0)
    common = session.messages.filter(id__range=(now.first_message_id, last))
    return int(common.aggregate(tokens=Sum("tokens"))["tokens"] or 0)


def part_texts(*, session: Session, parts: Sequence[Part]) -> dict[str, str]:
    """Text by the part's identity: stored by hash, or the history put together now."""
    digests = [part.identity for part in parts if part.key != MESSAGES]
    texts = dict(PromptPart.objects.filter(hash__in=digests).values_list("hash", "text"))
    for part in parts:
        if part.key == MESSAGES:
            first, last = map(int, part.identity.split("-"))
            texts[part.identity] = history_text(session=session, first=first, last=last)
    return texts


def history_text(*, session: Session, first: int, last: int) -> str:
    """The stored messages with ids from `first` to `last` as text for people."""
    newest_first = session.messages.filter(id__range=(first, last)).order_by("-id")
    return readable(newest_first.iterator(chunk_size=50))
