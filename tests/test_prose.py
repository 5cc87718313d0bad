"""The prose of a study in its report: Markdown without raw HTML."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from backwater.present.report.prose import render

# The tags that Markdown itself makes, and those that the test puts in a placeholder's place.
MADE = {"p", "em", "strong", "code", "pre", "a", "img", "h2", "ul", "li", "blockquote", "hr", "b"}
HOSTILE = [
    "<script>run()</script>",
    "<SCRIPT src=x.js></SCRIPT>",
    "text <script>run()</script> text",
    "<img src=x onerror=run()>",
    "<img src=x onerror=run() ",
    "<svg onload=run()>",
    "<svg><script>run()</script></svg>",
    "<iframe src='javascript:run()'></iframe>",
    "<object data=x.swf></object>",
    "<embed src=x>",
    "<style>body { display: none }</style>",
    "<link rel=stylesheet href=x.css>",
    "<meta http-equiv=refresh content='0;url=x'>",
    "<base href='https://example.org/'>",
    "<form action=x><button>go</button></form>",
    "<details open ontoggle=run()>",
    "<a href='javascript:run()'>x</a>",
    "<!-- --><script>run()</script>",
    "<?php run() ?>",
    "<![CDATA[<script>run()</script>]]>",
    "<div\nonclick=run()>x</div>",
    "</p><script>run()</script>",
    "[x](javascript:run())",
    "[x](JaVaScRiPt:run())",
    "[x](&#106;avascript:run())",
    "[x](data:text/html,<script>run()</script>)",
    "[x](vbscript:run())",
    "<javascript:run()>",
    "![x](javascript:run())",
    '![x" onerror="run()](x.png)',
    '[x](y "t\\" onclick=\\"run()")',
    "## <script>run()</script>",
    "`</code><script>run()</script>`",
]


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_study_becomes_a_program(text: str) -> None:
    reader = _Tags()
    reader.feed(render(text, lambda kind, name: "", lambda kind, name: "").html)
    for tag, attributes in reader.found:
        assert tag in MADE
        assert not [name for name in attributes if name.startswith("on")]
        for target in (attributes.get("href"), attributes.get("src")):
            assert not (target or "").lower().startswith(("javascript:", "vbscript:", "data:"))


def test_results_keep_their_tags() -> None:
    made = render("{{claim c1}}\n\nsee {{claim c1}}", lambda *_: "<b>1</b>", lambda *_: "<b>2</b>")
    assert "<b>1</b>" in made.html
    assert "<b>2</b>" in made.html
