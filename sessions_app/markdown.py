"""Renders a model's Markdown as HTML that can do nothing but be read."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import nh3
from django.utils.safestring import SafeString, mark_safe
from linkify_it import LinkifyIt  # type: ignore[import-untyped]
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from sessions_app.visible import visible

SCHEMES = {"http", "https", "mailto"}
TAGS = {
    "p",
    "br",
    "hr",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ul",
    "ol",
    "li",
    "blockquote",
    "pre",
    "code",
    "em",
    "strong",
    "s",
    "a",
    "span",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
}
ATTRIBUTES = {
    "a": {"href"},
    "ol": {"start"},
    "pre": {"data-language"},
    "th": {"align"},
    "td": {"align"},
}
CACHED_TEXTS = 512
LANGUAGE_CHARS = 30  # of a code block's language


def _allowed_link(url: str) -> bool:
    """Whether a link may be one: absolute, of a known scheme. Others stay text, as written."""
    parts = urlsplit(url)
    return parts.scheme in SCHEMES and bool(parts.netloc or parts.scheme == "mailto")


def _host(href: str) -> str:
    parts = urlsplit(href)
    return parts.path.rpartition("@")[2] if parts.scheme == "mailto" else parts.hostname or ""


def _close_link(_renderer: RendererHTML, tokens: Sequence[Token], index: int, *_rest: Any) -> str:
    """The end of a link, followed by the host it leads to, unless its text is the plain address."""
    start = index
    while tokens[start].type != "link_open":
        start -= 1
    href = str(tokens[start].attrGet("href") or "")
    if tokens[start].info == "auto" and "@" not in urlsplit(href).netloc:
        return "</a>"
    host = _host(href)
    return f'</a> <span class="host">({nh3.clean_text(host)})</span>'


def _open_cell(_renderer: RendererHTML, tokens: Sequence[Token], index: int, *_rest: Any) -> str:
    """A table cell; its alignment is an attribute, since the page's policy refuses styles."""
    style = str(tokens[index].attrGet("style") or "")
    align = style.removeprefix("text-align:")
    return f'<{tokens[index].tag} align="{align}">' if align else f"<{tokens[index].tag}>"


def _fence(_renderer: RendererHTML, tokens: Sequence[Token], index: int, *_rest: Any) -> str:
    """A code block, with the language that it names."""
    code = nh3.clean_text(tokens[index].content)
    language = tokens[index].info.strip().partition(" ")[0][:LANGUAGE_CHARS]
    name = f' data-language="{nh3.clean_text(language)}"' if language else ""
    return f"<pre{name}><code>{code}</code></pre>\n"


def _parser() -> MarkdownIt:
    options = {"html": False, "linkify": True, "breaks": True, "maxNesting": 20}
    parser = MarkdownIt("commonmark", options)
    parser.enable(["table", "strikethrough", "linkify"])
    parser.disable(["image", "html_block", "html_inline", "reference"])
    parser.linkify = LinkifyIt(options={"fuzzy_link": False, "fuzzy_email": False})
    parser.validateLink = _allowed_link  # type: ignore[method-assign]
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("link_close", _close_link)
    parser.add_render_rule("th_open", _open_cell)
    parser.add_render_rule("td_open", _open_cell)
    return parser


_markdown = _parser()


@lru_cache(maxsize=CACHED_TEXTS)
def render(text: str) -> SafeString:
    """Sanitised HTML of a Markdown text: no raw HTML, no images, links only to http, https and
    mailto. A line break stays one.

    Each link is followed by its host; hidden characters are shown as `visible` does.
    """
    html = nh3.clean(
        _markdown.render(visible(text)),
        tags=TAGS,
        attributes=ATTRIBUTES,
        allowed_classes={"span": {"host"}},
        url_schemes=SCHEMES,
        url_relative="deny",
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    return mark_safe(html)  # noqa: S308 - sanitised just above
