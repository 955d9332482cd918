from compaction_app.stack_head import FRAMES, stack_head


def deep(levels: int) -> None:
    if levels == 0:
        raise ValueError("at the bottom")
    deep(levels - 1)


def caught(levels: int) -> ValueError:
    try:
        deep(levels)
    except ValueError as error:
        return error
    raise AssertionError


def test_it_names_the_innermost_frames_first_and_no_folder() -> None:
    lines = stack_head(caught(5)).splitlines()
    assert lines == ["test_stack_head.py:6 deep", *["test_stack_head.py:7 deep"] * (FRAMES - 1)]


def test_an_error_that_was_never_raised_has_none() -> None:
    assert stack_head(ValueError("x")) == ""
