import gettext
import os
from pathlib import Path

import pytest

from config.translations import compiled

PO = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "Send"\nmsgstr "{}"\n'


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
    path.parent.mkdir(parents=True)
    path.write_text(PO.format("发送"))
    return path


def translated(folder: Path) -> str:
    with (folder / "zh_Hans" / "LC_MESSAGES" / "django.mo").open("rb") as file:
        return gettext.GNUTranslations(file).gettext("Send")


def test_it_compiles_at_first_need(source: Path, tmp_path: Path) -> None:
    target = compiled(tmp_path / "locale", tmp_path / "var")
    assert target == tmp_path / "var"
    assert translated(target) == "发送"


def test_it_leaves_alone_what_is_fresh(source: Path, tmp_path: Path) -> None:
    target = compiled(tmp_path / "locale", tmp_path / "var")
    result = target / "zh_Hans" / "LC_MESSAGES" / "django.mo"
    before = result.stat().st_ino
    compiled(tmp_path / "locale", tmp_path / "var")
    assert result.stat().st_ino == before


def test_it_compiles_again_after_a_change(source: Path, tmp_path: Path) -> None:
    target = compiled(tmp_path / "locale", tmp_path / "var")
    source.write_text(PO.format("传送"))
    os.utime(source, (1, 1))  # an older file, as a checkout of an older commit leaves it
    compiled(tmp_path / "locale", tmp_path / "var")
    assert translated(target) == "传送"
