from datetime import timedelta

import pytest
from django.utils import timezone, translation

from sessions_app.page import figures


@pytest.mark.parametrize(
    ("tokens", "shown"),
    [
        (0, "0"),
        (999, "999"),
        (1_000, "1.0k"),
        (7_349, "7.3k"),
        (7_350, "7.4k"),
        (79_578, "79.6k"),
        (999_949, "999.9k"),
        (999_950, "1.0M"),
        (1_234_567, "1.2M"),
        (1_250_000, "1.3M"),
    ],
)
def test_a_count_is_short(tokens: int, shown: str) -> None:
    assert figures.short(tokens) == shown


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [(6_031, 131_072, "4.6%"), (34, 131_072, "<0.1%"), (0, 10, "0.0%"), (5, 0, ""), (5, None, "")],
)
def test_a_share_has_one_decimal(part: int, whole: int | None, shown: str) -> None:
    assert figures.percent(part, whole) == shown


def test_a_deviation_has_a_sign() -> None:
    assert figures.signed_percent(79_578, 78_902) == "+0.9%"
    assert figures.signed_percent(78_902, 79_578) == "-0.8%"


@pytest.mark.parametrize(
    ("milliseconds", "shown"), [(14, "14 ms"), (3_200, "3.2 s"), (250_000, "4 min")]
)
def test_a_time_span_has_the_unit_that_fits(milliseconds: int, shown: str) -> None:
    assert figures.duration(milliseconds) == shown


def test_a_moment_reads_in_its_largest_unit() -> None:
    moment = timezone.now() - timedelta(hours=2, minutes=3)
    assert figures.ago(timezone.now()) == "just now"
    assert figures.ago(moment) == "2\xa0hours ago"
    with translation.override("zh-hans"):
        assert figures.ago(moment) == "2\xa0小时前"
