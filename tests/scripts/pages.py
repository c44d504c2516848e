"""Reads the pages that the program writes. Standard library only."""

import base64
import html.parser
import xml.etree.ElementTree

VOID = {"meta", "img", "br"}  # elements without an end


class Page(html.parser.HTMLParser):
    """The parts of a page. Fails if an element is not closed, or not where it should be."""

    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.texts, self.links, self.pictures, self.cells = [], [], [], [], [], []
        self.code = path.read_text(encoding="utf-8")
        self.feed(self.code)
        self.close()
        assert not self.open, f"{self.open} are not closed"

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "a":
            self.links.append(dict(attributes)["href"])
        if tag == "img":
            self.pictures.append(dict(attributes)["src"])
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> in {self.open}"
        self.open.pop()

    def handle_data(self, data):
        self.texts.append(data)
        if "td" in self.open or "th" in self.open:
            self.cells[-1] += data

    @property
    def text(self):
        return "".join(self.texts)


def svg_of(address):
    """The root of a picture that is part of the page."""
    start = "data:image/svg+xml;base64,"
    assert address.startswith(start), address[:60]
    return xml.etree.ElementTree.fromstring(base64.b64decode(address[len(start):], validate=True))
