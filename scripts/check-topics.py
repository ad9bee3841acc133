#!/usr/bin/env python3
"""Lists public symbols that a module's pages leave without a place of their own.

    scripts/check-topics.py ARCHIVE...

ARCHIVE is what `docc convert` writes. DocC puts at the end of a page what nobody has put under its `## Topics`. Looked at are the module's
page, each page that has topics of its own, and what the module adds to types of other modules. Exit status 1: something was left.
"""
import json
import pathlib
import sys

# What DocC makes by itself and needs no place: pages that list what a type has of a protocol, and other modules' names.
UNLISTED = {"Default Implementations", "Extended Modules", "Extended Classes", "Extended Structures", "Extended Protocols",
            "Extended Enumerations"}


def left(page):
    """The symbols that DocC itself has put on the page."""
    content = json.loads(page.read_text())
    kind = content["metadata"].get("symbolKind")
    sections = content.get("topicSections", [])
    if kind not in ("module", "extension") and all(section.get("generated") for section in sections):
        return
    for section in sections:
        if section.get("generated") and section["title"] not in UNLISTED:
            for symbol in section["identifiers"]:
                # Conformances of the standard library's types are found with the protocol.
                if "/Swift/" not in symbol:
                    yield section["title"], symbol.split("/documentation/")[-1]


def main(archives):
    if not archives or archives[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if archives else 2
    found = looked_at = 0
    for archive in archives:
        pages = sorted(pathlib.Path(archive, "data/documentation").rglob("*.json"))
        if not pages:
            print(f"scripts/check-topics.py: there is no documentation in '{archive}'", file=sys.stderr)
            return 2
        for page in pages:
            looked_at += 1
            for title, symbol in left(page):
                print(f"{symbol}: in no topic of a page, and so at the end under {title}")
                found += 1
    print(f"scripts/check-topics.py: {found} of the symbols of {looked_at} pages have no place")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
