"""Mentions in the prose of a block: identifiers, wiki links and links to other files."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote

from app.services.parsing.identifiers import find_identifiers, whole_identifier
from app.services.parsing.inline import Link, Prose
from app.services.parsing.text import clean_path

_WIKI = re.compile(r"\[\[(?P<target>[^\[\]|\n]{1,512})(?:\|[^\[\]\n]{0,512})?\]\]")
_MARKDOWN_PATH = re.compile(r"(?P<path>[^#?]{1,1000}\.(?:md|markdown|mdx|rst|txt))(?:[#?].*)?", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"[A-Za-z]{2,16}[-_ ](?:[XNxn#?]{2,}|0+)\W*|[A-Z]{2,16}(?:X{3,}|N{3,}|[#?]+|0+)\W*|[\W_]*"
)
_TEMPLATE = re.compile(r"(?:.*/)?(?:[A-Za-z]{2,16}[-_])?(?:X{3,}|N{3,})[-_.][^/]*")
_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*:|//|\\", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WrittenMention:
    """A mentioned target, its place in the prose, and the relative path when a link names a file."""

    start: int
    end: int
    target: str
    path: str | None = None


def relative_path(href: str) -> str | None:
    """Return the path of a link to a Markdown file of the same tree, without its fragment, or None."""
    if _ABSOLUTE.match(href):
        return None
    match = _MARKDOWN_PATH.fullmatch(unquote(href))
    return clean_path(match["path"]) if match is not None else None


def without_anchor(target: str, prefixes: frozenset[str]) -> str:
    """Drop the heading from `ADR-7#Decision` and `0007-a.md#decision`; keep titles such as `Release #12`."""
    head, hash_sign, _ = target.partition("#")
    if hash_sign and (whole_identifier(head.strip(), prefixes) or relative_path(head) is not None):
        return head.strip()
    return target.strip()


def is_placeholder(text: str) -> bool:
    """Return whether a text is a placeholder for a name: ADR-XXXX, NNNN-title.md, a dash."""
    return _PLACEHOLDER.fullmatch(text) is not None or _TEMPLATE.fullmatch(text) is not None


def find_mentions(prose: Prose, prefixes: frozenset[str]) -> list[WrittenMention]:
    """Return the mentions in the prose, in order; a link counts, and not its label."""
    named = find_identifiers(prose.text, prefixes)
    starts = [mention.start for mention in named]
    linked = {link.start for link in prose.links}  # [[2]] with a definition of [2] is a link in brackets
    found = [
        _link_mention(link, [named[at].text for at in _within(starts, link)])
        for link in prose.links
        if relative_path(link.href) is not None and not _is_template(prose, link)
    ]
    found += [
        _wiki_mention(match, prefixes)
        for match in _WIKI.finditer(prose.text)
        if match.start() + 1 not in linked and not is_placeholder(match["target"].strip())
    ]
    taken = _Ranges((mention.start, mention.end) for mention in found)
    found += [
        WrittenMention(mention.start, mention.end, mention.text)
        for mention in named
        if not taken.hold(mention.start)
    ]
    return sorted(found, key=lambda mention: mention.start)


def _is_template(prose: Prose, link: Link) -> bool:
    label = prose.text[link.start + 1 : link.label_end - 1].strip()
    return is_placeholder(unquote(link.href)) or (label[:1].isalpha() and is_placeholder(label))


def _within(starts: list[int], link: Link) -> range:
    return range(bisect_right(starts, link.start), bisect_right(starts, link.label_end - 1))


def _link_mention(link: Link, labels: list[str]) -> WrittenMention:
    path = relative_path(link.href) or link.href
    return WrittenMention(link.start, link.end, labels[0] if labels else path, path)


def _wiki_mention(match: re.Match[str], prefixes: frozenset[str]) -> WrittenMention:
    """Return the mention of a wiki link, which names a file without its ending and has no path."""
    target = without_anchor(match["target"], prefixes)
    path = relative_path(target)
    return WrittenMention(match.start(), match.end(), target if path is None else path.rpartition(".")[0])


class _Ranges:
    """Ranges of offsets that overlap little, for membership tests."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self._ranges = sorted(ranges)
        self._starts = [start for start, _ in self._ranges]

    def hold(self, place: int) -> bool:
        """Return whether the last range that starts at or before the place reaches over it."""
        at = bisect_right(self._starts, place) - 1
        return at >= 0 and place < self._ranges[at][1]
