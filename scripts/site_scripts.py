"""What pages of the site do by themselves, without another host: a hook of MkDocs.

Drawings in Mermaid's language need its program, which `npm ci` puts into web/node_modules; where it
is absent the text stays as it is written. The playground stands on the home page where
`make web` has built it. Controls of the theme that are labels get names, and keys reach them.
"""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import dirname, relpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
MERMAID = ROOT / "web/node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js"
PLAYGROUND = ROOT / "out/playground.html"
# Where they lie in the site.
SCRIPT, LIVING = "assets/mermaid.js", "playground.html"
DRAWING = '<pre class="mermaid">'
# The content of the home page in place of the living figure, and how to get that figure.
PICTURE = '<p><img alt="A switch pauses three hosts'
BUILD = "<p><code>make web</code>"
# Labels that are buttons, by the box that each stands for; the theme shows them on narrow screens.
BUTTONS = {"__drawer": "Menu", "__search": "Search"}
# The space bar presses a label that is a button; the theme does so for Enter.
KEYS = """<script>document.addEventListener("keydown",event=>{\
if(event.key===" "&&event.target.matches("label[role=button]"))\
{event.preventDefault();event.target.click()}})</script>"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds what has been installed and built."""
    for path, file in ((SCRIPT, MERMAID), (LIVING, PLAYGROUND)):
        if file.is_file():
            files.append(File.generated(config, path, content=file.read_bytes()))
    return files


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Names the script before the theme's own, which would load it from another host."""
    if DRAWING in output:
        if MERMAID.is_file():
            script = relpath(SCRIPT, dirname(page.file.dest_uri) or ".")
            first, mark, rest = output.rpartition('<script src="')
            output = f'{first}<script src="{script}"></script>{mark}{rest}'
        else:
            output = output.replace(DRAWING, "<pre>")
    if page.is_homepage and PLAYGROUND.is_file():
        output = living(output)
    return reachable(output)


def reachable(output: str) -> str:
    """A page whose controls have names and are reached by keys; its icons are no pictures."""
    for box, name in BUTTONS.items():
        output = output.replace(f' id="{box}"', f' id="{box}" aria-label="{name}"')
        button = f'<label class="md-header__button md-icon" for="{box}"'
        output = output.replace(button, f'{button} role="button" tabindex="0" aria-label="{name}"')
    output = output.replace(' aria-label="Clear" tabindex="-1"', ' aria-label="Clear"')
    icons = re.compile(r'<svg(?= xmlns="http://www\.w3\.org/2000/svg" viewBox="0 0 \d+ \d+")')
    output = icons.sub('<svg aria-hidden="true"', output)
    return output.replace("</body>", f"{KEYS}</body>")


def living(output: str) -> str:
    """The home page with the playground in place of its picture."""
    before, picture, after = output.partition(PICTURE)
    if not picture:
        return output
    frame = '<iframe class="living" src="playground.html?alone" title="PAUSE and its victim"'
    more = '<a href="playground.html">Eight more networks</a> in a page of their own.'
    after = after.partition("</p>")[2]
    if after.strip().startswith(BUILD):
        after = after.partition("</p>")[2]
    return f"{before}<p>{frame}></iframe>{more}</p>{after}"
