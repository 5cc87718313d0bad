"""A study's Markdown as HTML, with results where the author placed them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from backwater.study.markdown import PLACEHOLDER

# Kind and name to HTML; the first for a paragraph of its own, the second inside a sentence.
Place = Callable[[str, str], str]


@dataclass(frozen=True)
class Prose:
    """HTML, the first heading of level one, and the headings of level two with their anchors."""

    html: str
    title: str
    headings: list[tuple[str, str]]


def render(text: str, block: Place, inline: Place) -> Prose:
    """Renders Markdown, HTML in it as text; `block` and `inline` fill the placeholders."""
    reader = MarkdownIt("commonmark", {"html": False, "typographer": False}).enable("table")
    reader.inline.ruler.push("placeholder", _read_placeholder)
    reader.core.ruler.push("placeholder_blocks", lambda state: _lift(state, block))

    def draw(
        self: RendererHTML,
        tokens: Sequence[Token],
        index: int,
        options: OptionsDict,
        env: EnvType,
    ) -> str:
        meta = tokens[index].meta
        return inline(meta["kind"], meta["name"])

    reader.add_render_rule("placeholder", draw)
    tokens = reader.parse(text)
    title, tokens = _take_title(tokens)
    headings = _anchors(tokens)
    return Prose(reader.renderer.render(tokens, reader.options, {}), title, headings)


def _read_placeholder(state: StateInline, silent: bool) -> bool:
    found = PLACEHOLDER.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        token = state.push("placeholder", "", 0)
        token.meta = {"kind": found[1], "name": found[2] or ""}
    state.pos = found.end()
    return True


def _lift(state: StateCore, block: Place) -> None:
    """A paragraph that is nothing but a placeholder becomes a block."""
    lifted: list[Token] = []
    tokens = state.tokens
    at = 0
    while at < len(tokens):
        inside = tokens[at + 1] if tokens[at].type == "paragraph_open" else None
        children = (inside.children or []) if inside is not None else []
        if len(children) == 1 and children[0].type == "placeholder":
            meta = children[0].meta
            html = Token("html_block", "", 0)
            html.content = block(meta["kind"], meta["name"]) + "\n"
            lifted.append(html)
            at += 3
        else:
            lifted.append(tokens[at])
            at += 1
    state.tokens = lifted


def _take_title(tokens: list[Token]) -> tuple[str, list[Token]]:
    for at, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h1":
            return tokens[at + 1].content, tokens[:at] + tokens[at + 3 :]
    return "", tokens


def _anchors(tokens: Sequence[Token]) -> list[tuple[str, str]]:
    headings: list[tuple[str, str]] = []
    taken: set[str] = set()
    for at, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag in ("h2", "h3"):
            words = re.sub(r"[`*_]", "", tokens[at + 1].content)
            anchor = "s-" + re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")
            while anchor in taken:
                anchor += "-again"
            taken.add(anchor)
            token.attrSet("id", anchor)
            if token.tag == "h2":
                headings.append((anchor, words))
    return headings
