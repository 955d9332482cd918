"""What is learnt of a server from its refusals."""

import pytest

from agent.clients.openai_dialect import Dialect

BODY = {"model": "m", "max_tokens": 5, "stream_options": {"include_usage": True}}
NO_MAX_TOKENS = "'max_tokens' is not supported with this model. Use 'max_completion_tokens'."
NO_OPTIONS = "Extra inputs are not permitted: stream_options"


def test_a_server_is_spoken_to_as_it_asked() -> None:
    dialect = Dialect()
    assert dialect.speak(BODY) == BODY
    assert dialect.learn(BODY, 400, NO_MAX_TOKENS)
    assert dialect.learn(dialect.speak(BODY), 422, NO_OPTIONS)
    assert dialect.speak(BODY) == {"model": "m", "max_completion_tokens": 5}


def test_nothing_is_learnt_twice() -> None:
    dialect = Dialect()
    dialect.learn(BODY, 400, NO_OPTIONS)
    assert not dialect.learn(dialect.speak(BODY), 400, NO_OPTIONS)
    assert dialect.speak({"model": "m"}) == {"model": "m"}


@pytest.mark.parametrize(
    ("status", "text"),
    [(500, NO_OPTIONS), (400, "no"), (400, "'max_completion_tokens' is too large: 5000")],
)
def test_other_refusals_teach_nothing(status: int, text: str) -> None:
    assert not Dialect().learn(BODY, status, text)
