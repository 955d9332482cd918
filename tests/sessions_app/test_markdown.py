import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.markdown import ATTRIBUTES, TAGS, render

REL = 'target="_blank" rel="noopener noreferrer nofollow"'
OPENING = re.compile(r"<(?P<tag>\w+)(?P<attributes>[^>]*)>")
ATTRIBUTE = re.compile(r'([\w-]+)="')
ALLOWED = {"a": {"href", "target", "rel"}, "span": {"class"}}


def test_it_renders_what_models_write() -> None:
    html = render("**bold** `code`\n\n1. one\n2. two\n")
    assert html == (
        "<p><strong>bold</strong> <code>code</code></p>\n<ol>\n<li>one</li>\n<li>two</li>\n</ol>\n"
    )


def test_a_line_break_stays_one() -> None:
    assert render("one\ntwo") == "<p>one<br>\ntwo</p>\n"


def test_a_link_shows_its_host() -> None:
    html = render("[good.example](https://evil.example/x)")
    link = f'<a href="https://evil.example/x" {REL}>good.example</a>'
    assert html == f'<p>{link} <span class="host">(evil.example)</span></p>\n'


def test_a_plain_address_is_a_link_without_its_host_again() -> None:
    html = render("see https://ok.example/a.")
    assert html == f'<p>see <a href="https://ok.example/a" {REL}>https://ok.example/a</a>.</p>\n'


def test_an_address_with_a_user_name_shows_where_it_really_leads() -> None:
    assert "(evil.example)" in render("https://bank.example@evil.example/x")


@pytest.mark.parametrize(
    "text",
    [
        "[a](data:text/html,<b>x</b>)",
        "[a](javascript:alert(1))",
        "[a](/admin/)",
        "[a](//evil.example/)",
        "[a](src/file.py)",
        "<https:evil>",
    ],
)
def test_other_links_stay_text(text: str) -> None:
    assert "<a" not in render(text)


def test_an_image_is_a_link_and_never_loaded() -> None:
    html = render("![pixel](https://evil.example/p.png)")
    assert "<img" not in html
    assert f'<a href="https://evil.example/p.png" {REL}>pixel</a>' in html


def test_html_is_text() -> None:
    html = render("<b>x</b>\n\n<svg/onload=alert(1)>")
    assert html == "<p>&lt;b&gt;x&lt;/b&gt;</p>\n<p>&lt;svg/onload=alert(1)&gt;</p>\n"


def test_table_cells_are_aligned_without_a_style() -> None:
    html = render("|a|b|\n|-|-:|\n|1|2|")
    assert '<td align="right">2</td>' in html
    assert "style" not in html


def test_hidden_characters_are_shown() -> None:
    assert render("a\u202eb") == "<p>a⟨U+202E⟩b</p>\n"


@given(st.text(alphabet='<>[]()!"*`|-/:=\n ahrefjsonclickdt&;#', max_size=80))
def test_whatever_comes_only_known_tags_and_attributes_go_out(text: str) -> None:
    for found in OPENING.finditer(render(text)):
        tag = found["tag"]
        names = set(ATTRIBUTE.findall(found["attributes"]))
        assert tag in TAGS
        assert names <= ALLOWED.get(tag, set()) | ATTRIBUTES.get(tag, set())


@pytest.mark.parametrize(
    ("info", "shown"),
    [
        ("python", ' data-language="python"'),
        ("c++ title", ' data-language="c++"'),
        ('x"onload=1', ' data-language="x&quot;onload=1"'),
        ("", ""),
    ],
)
def test_a_code_block_names_its_language(info: str, shown: str) -> None:
    assert render(f"```{info}\na < b\n```") == f"<pre{shown}><code>a &lt; b\n</code></pre>\n"
