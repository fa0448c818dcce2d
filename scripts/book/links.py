"""Checks that every link of a folder of HTML pages leads to a file and, where it names one, to a heading."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The ids and the links of one page."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.update(attributes[name] for name in ("id", "name") if attributes.get(name))
        link = attributes.get("href" if tag in ("a", "link") else "src")
        if link:
            self.links.append(link)


def broken(root):
    """Pairs of a page and a link of it that leads nowhere."""
    pages = {path.resolve(): Page(path.read_text()) for path in sorted(root.rglob("*.html"))}
    # Complete pages of examples stand by themselves; the page for printing repeats all others.
    own = {path: page for path, page in pages.items() if path.name not in ("print.html", "404.html", "toc.html")}
    for path, page in own.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target = target / "index.html"
            if not target.exists():
                yield path, link
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
                yield path, link


def main():
    root = Path(sys.argv[1]).resolve()
    found = list(broken(root))
    for path, link in found:
        print(f"{path.relative_to(root)}: {link} leads nowhere", file=sys.stderr)
    print(f"{sum(1 for _ in root.rglob('*.html'))} pages, {len(found)} broken links")
    sys.exit(1 if found else 0)


main()
