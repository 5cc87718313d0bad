"""The fonts of a drawing, put into its SVG.

The PDF of the same drawing holds each font with just the letters that the drawing has. They are
taken out of it and become `@font-face` rules, so that a page shows the letters with which the
drawing was measured, whichever fonts its reader has. A letter that no font of the drawing has
comes from the reader's.
"""

from __future__ import annotations

import base64
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterator

import vl_convert

from backwater.errors import Unfinished

_OBJECT = re.compile(rb"(\d+) 0 obj\s*(<<.*?>>)\s*(stream\r?\n|endobj)", re.DOTALL)
_MAPPED = re.compile(r"<([0-9a-fA-F]+)>\s*<([0-9a-fA-F]+)>")
_FAMILY = re.compile(r'font-family(="|:)([^";}]*)')


def embedded(svg: str) -> str:
    """The same drawing with the fonts of its letters."""
    # A PDF lists its fonts in no order.
    faces = dict(sorted(_faces(vl_convert.svg_to_pdf(svg))))
    if not faces:
        return svg
    letters = Counter[str]()
    for (family, _, _), font in faces.items():
        letters[family] += len(font)
    # A font that was taken for one letter must not draw the others.
    families = [family for family, _ in letters.most_common()]
    rules = "".join(
        f"@font-face{{font-family:'{family}';font-weight:{weight};font-style:{style};"
        f"src:url(data:font/woff;base64,{base64.b64encode(font).decode()}) format('woff')}}"
        for (family, weight, style), font in faces.items()
    )
    first = ", ".join(families)
    named = _FAMILY.sub(lambda found: f"font-family{found[1]}{first}, {found[2]}", svg)
    head, end, rest = named.partition(">")
    return f"{head}{end}<defs><style>{rules}</style></defs>{rest}"


def _faces(pdf: bytes) -> Iterator[tuple[tuple[str, str, str], bytes]]:
    """The fonts of a PDF by family, weight and style, as WOFF."""
    objects = dict(_objects(pdf))

    def follow(entry: bytes, name: str) -> tuple[bytes, bytes]:
        found = re.search(rf"/{name} \[?(\d+) 0 R".encode(), entry)
        return objects[int(found[1])] if found else (b"", b"")

    for font, _ in objects.values():
        if b"/Subtype /Type0" not in font:
            continue
        descriptor, _ = follow(follow(font, "DescendantFonts")[0], "FontDescriptor")
        _, outlines = follow(descriptor, "FontFile2")
        named = re.search(rb"/FontName /(?:\w+\+)?([\w-]+)", descriptor)
        assert named is not None, "a font has a name"
        family, _, variant = named[1].decode().partition("-")
        if not outlines:
            raise Unfinished(
                f"the letters of the font {family} cannot be put into an SVG",
                fix="write a PDF, or take letters that Liberation Sans has",
            )
        weight = "bold" if "Bold" in variant else "normal"
        style = "italic" if re.search("Italic|Oblique", variant) else "normal"
        _, letters = follow(font, "ToUnicode")
        yield (family, weight, style), _woff(outlines, _letters(letters.decode()))


def _objects(pdf: bytes) -> Iterator[tuple[int, tuple[bytes, bytes]]]:
    """The objects of a PDF by their numbers: what they say, and their stream."""
    at = 0
    while found := _OBJECT.search(pdf, at):
        at, stream = found.end(), b""
        length = re.search(rb"/Length (\d+)", found[2])
        if found[3] != b"endobj" and length is not None:
            stream = pdf[at : at + int(length[1])]
            at += len(stream)
            if b"/FlateDecode" in found[2]:
                stream = zlib.decompress(stream)
        yield int(found[1]), (found[2], stream)


def _letters(table: str) -> dict[int, int]:
    """The number of a glyph by its letter, from a table of a PDF; ligatures have no letter."""
    listed = "".join(re.findall(r"beginbfchar(.*?)endbfchar", table, re.DOTALL))
    read = ((int(glyph, 16), bytes.fromhex(text)) for glyph, text in _MAPPED.findall(listed))
    texts = ((glyph, text.decode("utf-16-be")) for glyph, text in read)
    return {ord(text): glyph for glyph, text in texts if len(text) == 1}


def _woff(outlines: bytes, letters: dict[int, int]) -> bytes:
    """A font file for pages: the tables that a PDF leaves out are made anew."""
    from fontTools.fontBuilder import FontBuilder
    from fontTools.ttLib import TTFont

    font = TTFont(io.BytesIO(outlines), recalcTimestamp=False)
    names = font.getGlyphOrder()
    ascent, descent = font["hhea"].ascent, font["hhea"].descent
    builder = FontBuilder(font=font)
    builder.setupCharacterMap({letter: names[glyph] for letter, glyph in letters.items()})
    builder.setupNameTable({"familyName": "Drawing", "styleName": "Regular"})
    builder.setupOS2(
        sTypoAscender=ascent, sTypoDescender=descent, usWinAscent=ascent, usWinDescent=-descent
    )
    builder.setupPost(keepGlyphNames=False)
    font.flavor = "woff"
    file = io.BytesIO()
    font.save(file)
    return file.getvalue()
