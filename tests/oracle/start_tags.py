"""Where the elements of a configuration have their attributes and texts, strict or in MONC's dialect."""

import re
from dataclasses import dataclass, replace
from xml.sax.saxutils import escape, unescape

VALUE = r"(?:\"[^\"]*\"|'[^']*'|[^\s\"'>/][^\s>/]*)"
TAG = re.compile(
    rf"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<(/?)([\w-]+)((?:\s+[\w:]+\s*=\s*{VALUE})*)\s*(/?)>", re.S
)
ATTRIBUTE = re.compile(r"([\w:]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>/][^\s>/]*))")
TEXT = re.compile(r"\s*(?:<!\[CDATA\[(.*?)\]\]>|([^<]*?))\s*(?=</)", re.S)


@dataclass(frozen=True)
class Attribute:
    """Of a start tag; ``at`` and ``value_at`` are offsets in the text, ``end`` is behind all of it. Without a
    name: the text inside of the element."""

    name: str
    value: str
    at: int
    value_at: int
    end: int

    @property
    def is_quoted(self):
        return self.end > self.value_at + len(self.value)

    @property
    def is_markup(self):
        """Tell whether "<" has to be written in another way in it; not in CDATA."""
        return bool(self.name) or self.at == self.value_at


@dataclass(frozen=True)
class Tag:
    """A start tag; ``end`` is behind it, ``close`` where its end tag begins, or nowhere."""

    name: str
    parent: str
    at: int
    end: int
    close: int | None
    attributes: tuple

    @property
    def written(self):
        """Its attributes, without the text inside."""
        return [one for one in self.attributes if one.name]


def tags_of(text, leaves=frozenset()):
    """All start tags in their order. ``leaves``: elements that need no end, as MONC has it of those that hold
    nothing."""
    tags, around = [], []
    for match in TAG.finditer(text):
        if match[2] is None:
            continue
        if match[1]:
            if match[2] not in leaves:
                index = around.pop()
                tags[index] = replace(tags[index], close=match.start())
            continue
        attributes = []
        for one in ATTRIBUTE.finditer(match[3]):
            group = next(number for number in (2, 3, 4) if one[number] is not None)
            at, value_at, end = (
                match.start(3) + place for place in (one.start(), one.start(group), one.end())
            )
            attributes.append(Attribute(one[1], one[group], at, value_at, end))
        if not match[4] and (inside := TEXT.match(text, match.end())):
            group = 1 if inside[1] is not None else 2
            if inside[group].strip():
                before = len(inside[group]) - len(inside[group].lstrip())
                begin = inside.start(group) + before
                at = begin if group == 2 else inside.start()
                attributes.append(Attribute("", inside[group].strip(), at, begin, inside.end()))
        parent = tags[around[-1]].name if around else ""
        tags.append(Tag(match[2], parent, match.start(), match.end(), None, tuple(attributes)))
        if not match[4] and match[2] not in leaves:
            around.append(len(tags) - 1)
    return tags


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def column_of(text, at):
    """The column, from 1 and in bytes."""
    return len(text[text.rfind("\n", 0, at) + 1 : at].encode()) + 1


def with_expressions_as_text(text):
    """The same configuration: each attribute that is an expression becomes the text of its element, every
    other one as CDATA."""
    for number, tag in enumerate(reversed(tags_of(text))):
        one = next((one for one in tag.attributes if one.name == "expression"), None)
        if tag.name != "diagnostic" or one is None or tag.close is not None or "{" in one.value:
            continue
        meant = unescape(one.value, {"&quot;": '"', "&apos;": "'", "&#10;": "\n"})
        inside = f"<![CDATA[{meant}]]>" if number % 2 else escape(meant)
        before = text[: one.at].rstrip() + text[one.end : tag.end].rstrip().removesuffix("/>").rstrip()
        text = f"{before}>\n{inside}</diagnostic>{text[tag.end :]}"
    return text
