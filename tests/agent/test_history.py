import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.history import EMPTY_RESULT, INTERRUPTED_RESULT, History
from agent.messages import Message, ToolCall
from agent.testing import check_pairs, make_history
from agent.tokens import TokenEstimator

CALLS = ["a", "b", "c", ""]


def user(text: str = "hello", id: int | None = None) -> Message:
    return Message("user", text, id=id)


def asks(*ids: str, text: str = "") -> Message:
    return Message("assistant", text, tool_calls=tuple(ToolCall(i, "read", "{}") for i in ids))


def result(call_id: str, text: str = "ok") -> Message:
    return Message("tool", text, tool_call_id=call_id, tool_name="read")


def sent(*messages: Message) -> list[tuple[str, str]]:
    return [(m.role, m.tool_call_id or m.content) for m in make_history(*messages).messages()]


def test_results_stand_behind_their_call_in_its_order() -> None:
    assert sent(user(), asks("a", "b"), result("b"), result("a")) == [
        ("user", "hello"),
        ("assistant", ""),
        ("tool", "a"),
        ("tool", "b"),
    ]


def test_a_call_without_result_gets_a_derived_one() -> None:
    history = make_history(asks("a"), user("next"))
    answer = history.messages()[1]
    assert (answer.content, answer.tool_call_id, answer.id) == (INTERRUPTED_RESULT, "a", None)


def test_an_orphan_result_is_dropped_but_known_as_the_newest() -> None:
    history = make_history(user(id=1), Message("tool", "x", tool_call_id="gone", id=2))
    assert len(history.messages()) == 1
    assert history.last_id == 2


def test_a_late_result_moves_to_its_call_and_earlier_requests_keep_theirs() -> None:
    history = make_history(asks("a"), user("next"))
    before = history.messages()
    history.append(result("a", "late"))
    assert [m.content for m in before] == ["", INTERRUPTED_RESULT, "next"]
    assert [m.content for m in history.messages()] == ["", "late", "next"]


def test_the_second_result_of_a_repeated_id_answers_the_second_call() -> None:
    history = make_history(asks("a"), result("a", "1"), asks("a"), result("a", "2"))
    assert [(m.tool_call_id, m.content) for m in history.messages() if m.role == "tool"] == [
        ("a", "1"),
        ("a_2", "2"),
    ]


def test_a_second_result_of_one_call_is_an_orphan() -> None:
    assert len(make_history(asks("a"), result("a"), result("a")).messages()) == 2


@pytest.mark.parametrize("text", ["", "\n\n", "  "])
def test_blank_assistant_messages_are_dropped(text: str) -> None:
    assert sent(user("q"), Message("assistant", text), user("again")) == [
        ("user", "q"),
        ("user", "again"),
    ]


def test_an_empty_result_gets_a_placeholder() -> None:
    assert make_history(asks("m"), result("m", "")).messages()[1].content == EMPTY_RESULT


def test_an_unchanged_message_is_the_same_object_each_time() -> None:
    history = make_history(user(), asks("a"), result("a"))
    first = history.messages()
    history.append(user("more"))
    assert all(a is b for a, b in zip(first, history.messages(), strict=False))


def test_a_view_does_not_grow_with_its_history() -> None:
    history = make_history(user())
    view = history.messages()
    history.append(user("more"))
    history.messages()
    assert (len(view), [m.content for m in view], list(view[0:9])) == (1, ["hello"], [view[-1]])
    with pytest.raises(IndexError):
        view[1]


def test_views_with_the_same_messages_are_equal() -> None:
    one, other = make_history(user()).messages(), make_history(user()).messages()
    assert one == other
    assert hash(one) == hash(other)
    assert one != "hello"


messages = st.lists(
    st.one_of(
        st.builds(user, st.sampled_from(["hi", "again"])),
        st.builds(
            lambda ids, text: asks(*ids, text=text),
            st.lists(st.sampled_from(CALLS), max_size=4),
            st.sampled_from(["", "text"]),
        ),
        st.builds(result, st.sampled_from([*CALLS, "orphan"]), st.sampled_from(["", "ok"])),
    ),
    max_size=25,
)


@given(messages)
def test_every_request_has_its_pairs_and_counts_what_it_holds(stored: list[Message]) -> None:
    history, estimator = make_history(), TokenEstimator()
    for message in stored:
        history.append(message)
        out = history.messages()
        check_pairs(out)
        assert history.tokens == sum(map(estimator.message, out))
    users = [m.content for m in stored if m.role == "user"]
    assert [m.content for m in history.messages() if m.role == "user"] == users


@given(messages)
def test_appending_one_by_one_is_the_same_as_loading_at_once(stored: list[Message]) -> None:
    grown = make_history()
    for message in stored:
        grown.append(message)
        grown.messages()
    loaded = History(TokenEstimator(), stored)
    assert grown.messages() == loaded.messages()
    assert grown.tokens == loaded.tokens


@given(messages)
def test_each_group_knows_what_lies_before_it(stored: list[Message]) -> None:
    before: list[Message] = []
    for group in make_history(*stored).groups:
        assert group.messages_before == len(before)
        assert group.highest_id_before == max((m.id or 0 for m in before), default=0)
        assert group.tokens_before == sum(map(TokenEstimator().message, before))
        before += group.sent()
