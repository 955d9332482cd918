"""Small wrong changes to the code around compaction, and the tests that must notice each."""

from tests.compaction_mutants import COMPACTION
from tests.mutant import UNIT, WIRE, Mutant

COMPACT_CONTEXT = "compaction_app/compact_context.py"
GATES = "compaction_app/gates.py"
INTENTS = "compaction_app/intents.py"
TEACHING = "compaction_app/teaching.py"
TEXTS = "agent/prompt/texts/"

TOOL = [
    Mutant(
        "the tool raises",
        COMPACT_CONTEXT,
        'return ToolOutcome({"ok": False, "error": problem}, is_error=True)',
        "raise ValueError(problem)",
        UNIT + "test_compact_context.py",
    ),
    Mutant(
        "a deep argument breaks the tool",
        COMPACT_CONTEXT,
        "must be a text, not {short(value)}",
        "must be a text, not {value!r:.80}",
        UNIT + "test_compact_context.py",
    ),
    Mutant(
        "an unknown tier is registered",
        COMPACT_CONTEXT,
        "if tier in SHARES:",
        "if tier:",
        UNIT + "test_compact_context.py",
    ),
    Mutant(
        "set-tier compacts too",
        COMPACT_CONTEXT,
        'if action == "set-tier":',
        'if action == "set-nothing":',
        UNIT + "test_compact_context.py",
    ),
    Mutant(
        "the tool's name stands a second time",
        "sessions_app/context_tool.py",
        "INTENTS = Intents()",
        'NAME = "compact_context"\nINTENTS = Intents()',
        "tests/test_architecture.py",
    ),
    Mutant(
        "the tool is offered only with automatic compaction",
        "sessions_app/run_tools.py",
        "(*workspace_tools(workspace), tool_of(teaching), SaveMemory(proposals))",
        "(*workspace_tools(workspace), *([tool_of(teaching)] if "
        '__import__("django.conf").conf.settings.COMPACTION_ENABLED else []), '
        "SaveMemory(proposals))",
        WIRE + "test_compact_context_fails.py",
    ),
]

INTENT = [
    Mutant(
        "intents never lapse",
        INTENTS,
        "now - intent.settled_at > INTENT_TTL_S",
        "now < 0",
        UNIT + "test_intents.py",
    ),
    Mutant(
        "an intent gets younger",
        INTENTS,
        "if intent is not None and intent.settled_at is None:",
        "if intent is not None:",
        UNIT + "test_intents.py",
    ),
    Mutant(
        "an intent is not consumed",
        TEACHING,
        "return self.intents.take(self.session_id)",
        "return self.intents.peek(self.session_id)",
        UNIT + "test_gates.py",
    ),
    Mutant(
        "an intent is consumed before it is possible",
        TEACHING,
        "if not possible or self.intents.peek(self.session_id) is None:",
        "if self.intents.peek(self.session_id) is None:",
        UNIT + "test_gates.py",
    ),
    Mutant(
        "an intent is consumed without a counter",
        TEACHING,
        '        await self.count("intents")\n',
        "",
        UNIT + "test_teaching.py",
    ),
    Mutant(
        "an intent is consumed without a receipt",
        GATES,
        "        await self.teaching.answered(report)\n",
        "",
        UNIT + "test_gates.py",
    ),
    Mutant(
        "an intent outlives its run",
        "sessions_app/runs.py",
        "            await self.teaching.drop_intent()\n",
        "            self.teaching.settle()\n",
        WIRE + "test_compact_context_fails.py",
    ),
    Mutant(
        "the line is looked at before the intent",
        GATES,
        "        conversation = await self._by_intent(conversation, possible=complete)\n",
        "        conversation = await self._keep_below_line(conversation, Trigger.MID_LOOP)\n"
        "        conversation = await self._by_intent(conversation, possible=complete)\n",
        UNIT + "test_gates.py",
    ),
    Mutant(
        "an intent acts over the line only",
        GATES,
        "        if intent is None:\n",
        "        if intent is None or not self.over_line(conversation):\n",
        UNIT + "test_gates.py",
    ),
    Mutant(
        "an intent needs automatic compaction",
        GATES,
        "        if intent is None:\n",
        "        if intent is None or not self.settings.enabled:\n",
        UNIT + "test_gates_line.py",
    ),
    Mutant(
        "the model's reason is given as the user's wish",
        GATES,
        "reason=intent.reason",
        "focus=intent.reason",
        UNIT + "test_gates.py",
    ),
]

TOLD = [
    Mutant(
        "a receipt goes out twice",
        TEACHING,
        "            await self.receipt.told(receipt)\n",
        "",
        UNIT + "test_teaching.py",
    ),
    Mutant(
        "a receipt is lost with a request that fails",
        TEACHING,
        "            self._sent = (level.active, receipt)\n",
        "            self._sent = (level.active, receipt)\n            self.receipt.text = ''\n",
        UNIT + "test_teaching.py",
    ),
    Mutant(
        "the card does not say: don't stop",
        TEXTS + "en/compact_card.md",
        "keep working, do not stop;",
        "keep working;",
        UNIT + "test_teaching.py",
    ),
    Mutant(
        "the description does not say: no automatic resume",
        TEXTS + "en/compact_description.md",
        "do not stop, there is no automatic resume.",
        "do not stop.",
        UNIT + "test_teaching.py",
    ),
    Mutant(
        "one of the texts promises a resume",
        TEXTS + "zh_hans/compact_brief.md",
        "没有任何自动拉起",
        "稍后会自动拉起",
        UNIT + "test_teaching.py",
    ),
    Mutant(
        "every run is briefed",
        "sessions_app/context_tool.py",
        "briefed=services.knows_of_the_tool(",
        "briefed=False and services.knows_of_the_tool(",
        WIRE + "test_compact_context.py",
    ),
]

SPOKEN = [
    Mutant(
        "a compaction ends with words of the user",
        "sessions_app/compaction_records.py",
        "            return done, [end_frame(done)",
        '            Message.objects.create(session_id=self.session_id, role="user", content="!")\n'
        "            return done, [end_frame(done)",
        WIRE + "test_compact_context_tiers.py",
    ),
    Mutant(
        "messages are written in a second place",
        "sessions_app/compaction_records.py",
        "            return done, [end_frame(done)",
        '            Message(session_id=self.session_id, role="user", content="Go on.").save()\n'
        "            return done, [end_frame(done)",
        "tests/test_user_messages.py",
    ),
    Mutant(
        "a compaction resumes the session with a run",
        "sessions_app/compactions.py",
        '        log.warning("compaction %s lost its claim at its end", execution_id)\n',
        "        from sessions_app import runs\n\n"
        '        runs.start(session_id=session_id, content="Continue.")\n',
        "tests/test_user_messages.py",
    ),
    Mutant(
        "the handoff is stored as the user's message",
        "sessions_app/services/transcript.py",
        "        role=Message.Role.ASSISTANT,\n",
        '        role="user" if message.content.startswith("## ") else Message.Role.ASSISTANT,\n',
        "tests/test_user_messages.py",
    ),
]

MUTANTS = [*TOOL, *INTENT, *TOLD, *COMPACTION, *SPOKEN]
