#!/usr/bin/env python3
"""Removes the text marble diagrams that have a picture from symbol graphs, so that a page of the site shows each once.

    scripts/lib/pictures.py FOLDER...

Changes the *.symbols.json files in the folders. A text diagram is the indented block directly above the line
`![...](marble-...)` of a doc comment. Quick help in an editor shows the text, because it reads the source.
Prints the number of diagrams that it removed. Exit status 1: it found none.
"""
import json
import pathlib
import sys


def without_text(lines):
    """The lines of a doc comment without the blocks above its pictures, and the number of those blocks."""
    kept, removed = [], 0
    for line in lines:
        if line["text"].startswith("![") and "](marble-" in line["text"]:
            end = len(kept)
            while end and not kept[end - 1]["text"].strip():
                end -= 1
            begin = end
            while begin and kept[begin - 1]["text"].startswith("    "):
                begin -= 1
            if begin < end:
                del kept[begin:]
                removed += 1
        kept.append(line)
    return kept, removed


def main(folders):
    if not folders or folders[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if folders else 2
    total = 0
    for path in sorted(path for folder in folders for path in pathlib.Path(folder).glob("*.symbols.json")):
        graph, found = json.loads(path.read_text()), 0
        for symbol in graph["symbols"]:
            if "docComment" in symbol:
                symbol["docComment"]["lines"], removed = without_text(symbol["docComment"]["lines"])
                found += removed
        if found:
            path.write_text(json.dumps(graph))
        total += found
    print(f"scripts/lib/pictures.py: text diagrams removed: {total}")
    return 0 if total else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
