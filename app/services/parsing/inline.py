"""Reading the prose of a block: its text, with code, comments and addresses covered, and its links."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, autolink, backtick, html_inline, image, link

COVER = "\ufffc"
"""Replaces a character that is no prose, so that offsets in the prose are offsets in the content."""

_STRETCH = 4_000
_MARKUP = ("`", "<", "](", "://", "~~")
_MARKUP_BESIDE_DEFINITIONS = ("`", "<", "]", "://", "~~")
_STRUCK = re.compile(r"~~(?=\S)[^~]{1,2000}~~")
_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{1,15}://[^\s<>\ufffc]+", re.IGNORECASE)
_TAG = re.compile(r"<(?P<end>/?)(?P<name>code|kbd|pre|samp|tt)(?=[\s/>])", re.IGNORECASE)
_NOT_LINE_END = re.compile(r"[^\n]")

Rule = Callable[[StateInline, bool], bool]


@dataclass(frozen=True, slots=True)
class Link:
    """A link in prose: where it starts and ends, where its label ends, and what it points to."""

    start: int
    label_end: int
    end: int
    href: str


@dataclass(frozen=True, slots=True)
class Prose:
    """Text of the same length as the content it was read from, and the links in it."""

    text: str
    links: tuple[Link, ...] = ()


def read_prose(content: str, definitions: dict[str, Any]) -> Prose:
    """Read the inline Markdown of one block; takes any text, in time that grows with its length."""
    markup = _MARKUP_BESIDE_DEFINITIONS if definitions.get("references") else _MARKUP
    if not _has_any(markup, content):
        return Prose(content)
    covers: list[tuple[int, int]] = []
    links: list[Link] = []
    for start, stretch in _stretches(content):
        if _has_any(markup, stretch):
            found = _InlineReport(start, covers, links)
            _INLINE.inline.parse(stretch, _INLINE, {**definitions, "found": found}, [])
            covers += _between_tags(content, found.tags)
    text = _cover(content, covers)
    for mark, unread in (("://", _ADDRESS), ("~~", _STRUCK)):
        if mark in text:
            text = unread.sub(lambda match: _NOT_LINE_END.sub(COVER, match[0]), text)
    return Prose(text, tuple(link for link in links if text[link.start] != COVER))


def _has_any(marks: tuple[str, ...], text: str) -> bool:
    return any(mark in text for mark in marks)


def plain_text(content: str) -> str:
    """Return the text of inline Markdown as a reader sees it, on one line."""
    tokens: list[Any] = []
    for _, stretch in _stretches(content):
        _PLAIN.inline.parse(stretch, _PLAIN, {}, tokens)
    shown = (" " if token.type in ("softbreak", "hardbreak") else token.content for token in tokens)
    visible = ("" if token.type == "html_inline" else text for token, text in zip(tokens, shown, strict=True))
    return " ".join("".join(visible).split())


@dataclass(frozen=True, slots=True)
class _InlineReport:
    """The findings of the inline rules while one stretch is parsed."""

    offset: int
    covers: list[tuple[int, int]]
    links: list[Link]
    tags: list[tuple[int, int]] = field(default_factory=list)


def _stretches(content: str) -> Iterator[tuple[int, str]]:
    start = 0
    while start < len(content):
        end = start + _STRETCH
        if end < len(content):
            space = max(content.rfind(" ", start + 1, end), content.rfind("\n", start + 1, end))
            end = space if space > 0 else end
        yield start, content[start:end]
        start = end


def _cover(content: str, covers: list[tuple[int, int]]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end in sorted(covers):
        if end <= done:
            continue
        pieces.append(content[done : max(start, done)])
        pieces.append(_NOT_LINE_END.sub(COVER, content[max(start, done) : end]))
        done = end
    return "".join((*pieces, content[done:]))


def _cover_rule(rule: Rule) -> Rule:
    def covered(state: StateInline, silent: bool) -> bool:
        start = state.pos
        matched = rule(state, silent)
        found = state.env.get("found")
        if matched and not silent and found is not None:
            found.covers.append((found.offset + start, found.offset + state.pos))
        return matched

    return covered


def _record_tag(state: StateInline, silent: bool) -> bool:
    start = state.pos
    matched = html_inline(state, silent)
    found = state.env.get("found")
    if matched and not silent and found is not None:
        found.tags.append((found.offset + start, found.offset + state.pos))
    return matched


def _between_tags(content: str, tags: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the tags, and the ranges between two tags that mark code."""
    opened: dict[str, int] = {}
    for start, end in tags:
        yield start, end
        tag = _TAG.match(content, start)
        if tag is not None and not tag["end"]:
            opened.setdefault(tag["name"].lower(), start)
        elif tag is not None:
            yield opened.pop(tag["name"].lower(), start), end


def _record_link(state: StateInline, silent: bool) -> bool:
    start = state.pos
    tokens = len(state.tokens)
    if not link(state, silent):
        return False
    found = state.env.get("found")
    if not silent and found is not None:
        opened = next((token for token in state.tokens[tokens:] if token.type == "link_open"), None)
        end, state.pos = state.pos, start
        label_end = state.md.helpers.parseLinkLabel(state, start) + 1
        state.pos = end
        href = str(opened.attrGet("href") or "") if opened is not None else ""
        found.links.append(Link(found.offset + start, found.offset + label_end, found.offset + end, href))
        found.covers.append((found.offset + label_end, found.offset + end))
    return True


def _parser_that_reports() -> MarkdownIt:
    parser = MarkdownIt("commonmark").disable(["balance_pairs", "emphasis", "fragments_join"])
    parser.inline.ruler.at("backticks", _cover_rule(backtick))
    parser.inline.ruler.at("html_inline", _record_tag)
    parser.inline.ruler.at("autolink", _cover_rule(autolink))
    parser.inline.ruler.at("image", _cover_rule(image))
    parser.inline.ruler.at("link", _record_link)
    return parser


_INLINE = _parser_that_reports()
_PLAIN = MarkdownIt("commonmark")
