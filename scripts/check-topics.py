#!/usr/bin/env python3
"""Lists public symbols that no page of a module has under a topic.

    scripts/check-topics.py ARCHIVE...

ARCHIVE is the output of `docc convert`. DocC appends symbols that are missing under `## Topics` to the end of a page. The check covers the
module's page, each page with topics, and the module's extensions of other modules. Exit status 1: a symbol is missing.
"""
import json
import pathlib
import sys

# These sections need no topic: members that a type inherits from a protocol, and names of other modules.
UNLISTED = {"Default Implementations", "Extended Modules", "Extended Classes", "Extended Structures", "Extended Protocols",
            "Extended Enumerations"}


def left(page):
    """Yields the symbols that DocC has appended to the page."""
    content = json.loads(page.read_text())
    kind = content["metadata"].get("symbolKind")
    sections = content.get("topicSections", [])
    if kind not in ("module", "extension") and all(section.get("generated") for section in sections):
        return
    for section in sections:
        if section.get("generated") and section["title"] not in UNLISTED:
            for symbol in section["identifiers"]:
                # Conformances of the standard library's types are listed with the protocol.
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
                print(f"{symbol}: in no topic of a page; DocC lists it under {title}")
                found += 1
    print(f"scripts/check-topics.py: symbols in no topic: {found}; pages checked: {looked_at}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
