"""The typed readers: defaults for what is unset or blank, values as they are, loud errors."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from hypothesis import given
from hypothesis import strategies as st

from config import env

NAME = "VITRINE_TEST_VALUE"


@pytest.fixture
def given_value(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    return lambda value: monkeypatch.setenv(NAME, value)


@pytest.mark.parametrize("blank", ["", "  "])
def test_it_takes_the_default_for_blank_values(
    given_value: Callable[[str], None], blank: str
) -> None:
    given_value(blank)
    assert env.text(NAME, "a") == "a"
    assert env.boolean(NAME, default=True) is True
    assert env.integer(NAME, 7) == 7
    assert env.optional_integer(NAME) is None
    assert env.seconds(NAME, 1.5) == 1.5
    assert env.ratio(NAME, 0.8) == 0.8
    assert env.words(NAME, ["a"]) == ["a"]
    assert env.url(NAME, schemes=["https"]) == ""


@pytest.mark.parametrize(
    ("value", "expected"),
    [("1", True), ("TRUE", True), ("on", True), ("0", False), ("No", False), ("off", False)],
)
def test_it_reads_booleans(given_value: Callable[[str], None], value: str, expected: bool) -> None:
    given_value(value)
    assert env.boolean(NAME, default=not expected) is expected


def test_it_reads_numbers_words_and_urls(given_value: Callable[[str], None]) -> None:
    given_value(" 42 ")
    assert (env.integer(NAME, 0), env.optional_integer(NAME), env.seconds(NAME, 0)) == (42, 42, 42)
    given_value("0.25")
    assert env.ratio(NAME, 1) == 0.25
    given_value("a, b,,c ")
    assert env.words(NAME) == ["a", "b", "c"]
    given_value("unix:///run/redis.sock")
    assert env.url(NAME, schemes=["redis", "unix"]) == "unix:///run/redis.sock"


@pytest.mark.parametrize(
    ("read", "value", "allowed"),
    [
        (lambda: env.boolean(NAME, default=True), "maybe", "1, true, yes, on, 0, false, no, off"),
        (lambda: env.integer(NAME, 1, minimum=1, maximum=9), "10", "a whole number from 1 to 9"),
        (lambda: env.integer(NAME, 1), "1.5", "a whole number from 0 to 2147483647"),
        (lambda: env.seconds(NAME, 1), "nan", "seconds, more than 0 and at most 86400"),
        (lambda: env.seconds(NAME, 1), "-1", "seconds, more than 0 and at most 86400"),
        (lambda: env.ratio(NAME, 1), "0", "a ratio, more than 0 and at most 1"),
        (lambda: env.ratio(NAME, 1), "inf", "a ratio, more than 0 and at most 1"),
        (lambda: env.choice(NAME, "a", ["a", "b"]), "c", "a, b"),
        (lambda: env.url(NAME, schemes=["http"]), "http://", "http://HOST"),
        (lambda: env.url(NAME, schemes=["http"]), "http://h:port", "http://HOST"),
        (lambda: env.url(NAME, schemes=["redis", "unix"]), "foo", "redis://HOST or unix://PATH"),
        (
            lambda: env.hosts(NAME, []),
            "a.example,*",
            "host names without scheme, separated by commas, never '*'",
        ),
        (
            lambda: env.origins(NAME),
            "example.org",
            "origins like https://example.org, separated by commas",
        ),
    ],
)
def test_it_names_the_variable_the_value_and_what_is_allowed(
    given_value: Callable[[str], None], read: Callable[[], object], value: str, allowed: str
) -> None:
    given_value(value)
    with pytest.raises(ImproperlyConfigured) as caught:
        read()
    assert str(caught.value) == f"{NAME}={value!r} is not valid; allowed: {allowed}."


def test_it_makes_folders_and_says_when_it_cannot(
    given_value: Callable[[str], None], tmp_path: Path
) -> None:
    assert env.folder(NAME, tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").touch()
    given_value(str(tmp_path / "file" / "x"))
    with pytest.raises(ImproperlyConfigured, match=r"file/x' is not valid; allowed: a folder"):
        env.folder(NAME, tmp_path)


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_a_ratio_is_always_above_zero_and_at_most_one(value: float) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(NAME, repr(value))
        try:
            assert 0 < env.ratio(NAME, 0.5) <= 1
        except ImproperlyConfigured:
            assert not 0 < value <= 1
