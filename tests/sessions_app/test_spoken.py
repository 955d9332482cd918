"""What Vitrine itself writes into frames and rows is in the session's language; providers' words
stay.
"""

from collections.abc import Callable

import pytest

from agent.errors import AgentError, ModelError, NothingToUndo, RoundLimitReached
from agent.loop import out_of_rounds
from agent.phrases import Phrase
from compaction_app.models import SessionCompactionEvent
from sessions_app import claims, interruption, runs
from sessions_app.models import Claim, ModelProfile, RequestLog, Run, Session
from sessions_app.spoken import spoken
from tests.sessions_app.asking import asks, fill, receipts
from tests.sessions_app.running import (
    compact,
    frames,
    run,
    wait_idle,
    wait_until,
    wire_model,
    write,
)
from tests.wire.fixture import Wire

BAD = {"when": "<handoff>", "text": "好的"}
NO_BLOCK = "其中有 0 个完整的交接块，应为一个"


@pytest.fixture
def chinese(make_session: Callable[..., Session], wire: Wire) -> Session:
    """A session in Chinese on the wire server."""
    model = wire_model(wire.base_url, window_tokens=20_000)
    return make_session(model=model, language="zh-hans")


def test_the_reason_why_a_run_failed(make_session: Callable[..., Session], runs_end: None) -> None:
    model = ModelProfile.objects.create(name="x", provider="openai", key_variable="NO_SUCH_KEY")
    session = make_session(model=model, language="zh-hans")
    assert run(session, "你好").phase == Session.Phase.FAILED
    reason = "模型 'x' 没有密钥：请设置环境变量 NO_SUCH_KEY。"
    assert Run.objects.get().error == reason
    error, status = frames(session, "error", "session_status")[-2:]
    assert (error["code"], error["message"], status["error"]) == ("run_failed", reason, reason)
    compact(session)
    end, result = frames(session, "compaction_end", "compaction_result")
    assert end["error"] == SessionCompactionEvent.objects.get().error == reason
    assert result["message"] == f"整理失败，内容未作更改。 {reason}"


@pytest.mark.usefixtures("runs_end")
def test_what_became_of_a_compaction(chinese: Session, wire: Wire) -> None:
    run(chinese, "你好")
    compact(chinese)
    fill(chinese, rounds=4, words=1_000)
    wire.script(BAD, BAD)
    compact(chinese)
    told = [result["message"] for result in frames(chinese, "compaction_result")]
    assert told == ["没有需要整理的内容。", f"整理失败，内容未作更改。 {NO_BLOCK}"]
    assert frames(chinese, "compaction_end")[-1]["error"] == NO_BLOCK


@pytest.mark.usefixtures("runs_end")
def test_the_model_is_told_in_it_too(chinese: Session, wire: Wire) -> None:
    fill(chinese, rounds=4, words=1_700)
    wire.script(asks(reason="满了"), BAD, BAD)
    run(chinese, "继续")
    (receipt,) = receipts(wire)
    assert NO_BLOCK in receipt
    correction = wire.requests()[-2].body["messages"][-1]["content"]
    assert NO_BLOCK in correction


@pytest.mark.usefixtures("runs_end")
def test_a_providers_own_words_stay(chinese: Session, wire: Wire) -> None:
    wire.script({"status": 400, "body": {"error": {"message": "no such parameter"}}})
    run(chinese, "你好")
    assert RequestLog.objects.get().error == "no such parameter (HTTP 400)"
    assert frames(chinese, "error")[0]["message"] == "no such parameter (HTTP 400)"


@pytest.mark.usefixtures("runs_end")
def test_why_a_request_is_tried_again(chinese: Session, wire: Wire) -> None:
    wire.script({"status": 503, "body": ""})
    runs.start(session_id=chinese.pk, content="你好")
    (retry,) = wait_until(lambda: frames(chinese, "llm_retry"))
    wait_idle(chinese)
    assert retry["reason"] == "提供方返回了 HTTP 503，没有说明原因"


@pytest.mark.usefixtures("runs_end")
def test_a_notice(chinese: Session, wire: Wire) -> None:
    write(chinese, "AGENTS.md", "\n".join("rule " * 100 for _ in range(165)))
    run(chinese, "你好")
    (notice,) = frames(chinese, "notice")
    assert notice["message"].startswith("每次请求的固定部分（系统提示、工具、记忆、提示块）约 ")
    assert "16,000：整理无济于事" in notice["message"]


def test_the_end_of_what_died(chinese: Session) -> None:
    for kind in (Claim.Kind.RUN, Claim.Kind.COMPACTION):
        assert claims.take(session_id=chinese.pk, execution_id=kind, kind=kind)
        Claim.objects.filter(session=chinese).update(lease_until_ms=1)
        interruption.sweep()
    notice, end, result = frames(chinese, "notice", "compaction_end", "compaction_result")
    assert notice["message"] == "任务已中断：其进程已结束。已显示完成的内容均已保留。"
    assert (end["error"], result["message"]) == (
        "已中断",
        "整理失败，内容未作更改。 其进程已结束。",
    )


@pytest.mark.parametrize(
    ("error", "english", "chinese"),
    [
        (NothingToUndo(), "There is no compaction to undo.", "没有可撤销的整理。"),
        (ModelError("overloaded %s"), "overloaded %s", "overloaded %s"),
        (
            RoundLimitReached(out_of_rounds(1)),
            "The run was ended after 1 round without an answer.",
            "任务在 1 轮之后未得到回答即被结束。",
        ),
        (
            RoundLimitReached(out_of_rounds(100)),
            "The run was ended after 100 rounds without an answer.",
            "任务在 100 轮之后未得到回答即被结束。",
        ),
    ],
)
def test_an_error_knows_its_words(error: AgentError, english: str, chinese: str) -> None:
    assert str(error) == error.user_message == spoken(error.user_message, "en") == english
    assert spoken(error.user_message, "zh-hans") == chinese


def test_what_stands_in_a_phrase_is_never_taken_for_a_place() -> None:
    phrase = Phrase("connection lost: %(error)s", error="100%(error)s")
    assert spoken(phrase, "en") == str(phrase) == "connection lost: 100%(error)s"
    assert type(spoken(phrase, "en")) is str
