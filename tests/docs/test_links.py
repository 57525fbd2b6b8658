"""Every link of the README and of docs/ leads somewhere: to a file of the repository, and to a heading in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests_support import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "fixtures").rglob("*.md")])
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"!?\[[^\]\n]*\]\(([^)\s]+)\)")


def links(page: Path) -> list[str]:
    return LINK.findall(FENCED.sub("", page.read_text()))


def anchors(page: Path) -> set[str]:
    """The anchors of *page* as GitHub makes them: a heading in lower case, blanks to dashes, punctuation gone."""
    text = FENCED.sub("", page.read_text())
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    made = {re.sub(r"[^\w\- ]", "", re.sub(r"<[^>]*>", "", h).lower()).strip().replace(" ", "-") for h in headings}
    return made | set(re.findall(r'<a id="([^"]+)">', text))


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_link_resolves(page: Path) -> None:
    for link in links(page):
        if re.match(r"[a-z]+:", link):
            continue  # another site: no test may need a network
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), f"{page.name} links to {link}"
        assert ROOT in target.parents, f"{page.name} links to {link}, outside the repository"
        if anchor:
            assert anchor in anchors(target), f"{page.name} links to {link}"


def test_the_pages_have_links_at_all() -> None:
    assert {"README.md", "troubleshooting.md"} <= {page.name for page in PAGES if links(page)}
