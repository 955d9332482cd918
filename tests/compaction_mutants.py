"""Small wrong changes to the one path of compactions."""

from tests.mutant import UNIT, WIRE, Mutant

COMPACTOR = "compaction_app/compactor.py"

COMPACTION = [
    Mutant(
        "a compaction that died leaves no event",
        "sessions_app/endings.py",
        "    compaction_services.event_create(session_id=session_id, "
        "execution_id=execution_id, report=end)\n",
        "",
        WIRE + "test_compaction_endings.py",
    ),
    Mutant(
        "the size after a compaction lacks the notes",
        "compaction_app/at_hand.py",
        "self.builder.build(conversation, notes=self.notes(conversation))",
        "self.builder.build(conversation)",
        WIRE + "test_compaction_sizes.py",
    ),
    Mutant(
        "a stopped safety net holds the next compaction back",
        "compaction_app/services.py",
        "        outcome__in=[Outcome.COMPACTED.value, Outcome.FAILED.value],\n"
        "    ).first()\n"
        "    if event is None:\n"
        "        return None\n"
        "    failed = event.outcome == Outcome.FAILED.value\n",
        "    ).first()\n"
        "    if event is None:\n"
        "        return None\n"
        "    failed = event.outcome != Outcome.COMPACTED.value\n",
        WIRE + "test_compactions_automatic.py",
    ),
    Mutant(
        "a share is wrong",
        "compaction_app/policy.py",
        '"standard": 0.16',
        '"standard": 0.26',
        UNIT + "test_ranges.py",
    ),
    Mutant(
        "the cut lies inside a batch",
        "compaction_app/ranges.py",
        "boundary_id=kept.highest_id_before,",
        "boundary_id=groups[k - 1].head.id or 0,",
        UNIT + "test_ranges.py",
    ),
    Mutant(
        "the cut lies between a call and its late result",
        "compaction_app/ranges.py",
        "0 < kept.highest_id_before < (kept.head.id or 0)",
        "0 < kept.highest_id_before",
        UNIT + "test_ranges.py",
    ),
    Mutant(
        "messages without an answer stick together",
        "compaction_app/ranges.py",
        'head.role == "user" and kept.head.role != "user"',
        'head.role == "user"',
        UNIT + "test_ranges.py",
    ),
    Mutant(
        "a summary may be as long as it likes",
        "compaction_app/writing.py",
        "        if tokens > (",
        "        if tokens > 10**9 + (",
        UNIT + "test_writing.py",
    ),
    Mutant(
        "an automatic compaction may make the context larger",
        COMPACTOR,
        "if not (report.order.trigger.wished or",
        "if not (True or",
        UNIT + "test_writing.py",
    ),
    Mutant(
        "an overflow has no extract to fall back on",
        COMPACTOR,
        "if report.order.trigger != Trigger.OVERFLOW:",
        "if report.order.trigger != Trigger.IDLE:",
        UNIT + "test_compactor.py",
    ),
    Mutant(
        "nothing new is summarised again",
        COMPACTOR,
        "if self._nothing_new(history) and not order.smallest:",
        "if not history.groups:",
        UNIT + "test_gates.py",
    ),
    Mutant(
        "there is no second compaction with the smallest tail",
        COMPACTOR,
        "if self._nothing_new(history) and not order.smallest:",
        "if self._nothing_new(history):",
        UNIT + "test_gates_line.py",
    ),
    Mutant(
        "the commit does not compare",
        "compaction_app/services.py",
        "            session_id=session_id, last_compacted_msg_id=report.previous_boundary_id\n",
        "            session_id=session_id\n",
        UNIT + "test_services.py",
    ),
    Mutant(
        "writes are not fenced",
        "sessions_app/listener.py",
        "            claims.fence(session_id=self.session_id, execution_id=self.execution_id)\n",
        "",
        WIRE + "test_late_writes.py",
    ),
    Mutant(
        "the handoff is told by its heading",
        "agent/request.py",
        "        if conversation.handoff:\n",
        '        if any(each.content.startswith("## Session handoff") for each in messages):\n',
        WIRE + "test_runs.py",
    ),
]
