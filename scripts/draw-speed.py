#!/usr/bin/env python3
"""Draws the table of SpeedComparison.md that compares RxLinux with other libraries, for light and for dark pages.

    scripts/draw-speed.py [--check]

All figures come from the table. With --check, nothing is written. Exit status 1: a picture does not match the table, or the table is
missing. Exit status 2: wrong usage.
"""
import html
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "Sources/RxSwift/RxSwift.docc/SpeedComparison.md"
PICTURES = ROOT / "Sources/RxSwift/RxSwift.docc/Resources"
HEAD = ["", "RxLinux", "OpenCombine", "async sequences", "closures by hand"]
THEMES = {
    "speed.svg": {"text": "#1f2328", "faint": "#59636e", "grid": "#d1d9e0", "ink": ["#0969da", "#bc4c00", "#8250df", "#59636e"]},
    "speed~dark.svg": {"text": "#f0f6fc", "faint": "#9198a1", "grid": "#3d444d", "ink": ["#58a6ff", "#f0883e", "#bc8cff", "#9198a1"]},
}
LEFT, RIGHT, TOP, ROW, WIDTH = 312, 16, 82, 19, 760
LEAST, MOST = 1, 20_000


def rows():
    """Yields the rows of the table: a name, and a figure or None for each column."""
    lines = iter(PAGE.read_text().splitlines())
    for line in lines:
        if cells(line) == HEAD:
            next(lines)
            break
    for line in lines:
        if not line.startswith("|"):
            return
        name, *figures = cells(line)
        yield name.replace("`", ""), [float(figure.strip("*")) if figure else None for figure in figures]


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []


def x(value):
    share = (math.log10(value) - math.log10(LEAST)) / (math.log10(MOST) - math.log10(LEAST))
    return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)


def mark(column, at, y, ink):
    """Returns a shape that differs for each column, so that colours are not needed to distinguish them."""
    if column == 0:
        return f'<circle cx="{at}" cy="{y}" r="5" fill="{ink}"/>'
    if column == 1:
        return f'<path d="M{at - 4:.1f} {y - 4}h8v8h-8z" fill="none" stroke="{ink}" stroke-width="1.6"/>'
    if column == 2:
        return f'<path d="M{at:.1f} {y - 5}l5 9h-10z" fill="none" stroke="{ink}" stroke-width="1.6"/>'
    return f'<path d="M{at:.1f} {y - 5}v10" stroke="{ink}" stroke-width="2.4"/>'


def draw(table, theme):
    height = TOP + ROW * len(table) + 14
    text, faint, grid, inks = theme["text"], theme["faint"], theme["grid"], theme["ink"]
    label = "Nanoseconds for each element or subscription, of RxLinux, OpenCombine, async sequences and closures by hand"
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="system-ui, sans-serif" '
             f'font-size="12" fill="{text}" role="img" aria-label="{label}">']
    at = 16
    for column, name in enumerate(HEAD[1:]):
        parts += [mark(column, at, 16, inks[column]), f'<text x="{at + 11}" y="20">{name}</text>']
        at += 34 + 7 * len(name)
    parts.append(f'<text x="16" y="42" fill="{faint}">nanoseconds; each line is ten times the one before, and further left is faster</text>')
    for power in range(int(math.log10(MOST)) + 1):
        value = 10 ** power
        parts += [f'<path d="M{x(value)} {TOP - 12}V{height - 12}" stroke="{grid}"/>',
                  f'<text x="{x(value)}" y="{TOP - 16}" fill="{faint}" text-anchor="middle">{value:,}</text>'.replace(",", " ")]
    for index, (name, figures) in enumerate(table):
        y = TOP + ROW * index + 6
        there = [figure for figure in figures if figure]
        parts += [f'<text x="{LEFT - 12}" y="{y + 4}" text-anchor="end">{html.escape(name)}</text>',
                  f'<path d="M{x(min(there))} {y}H{x(max(there))}" stroke="{grid}" stroke-width="1.5"/>']
        # RxLinux is drawn last, on top.
        parts += [mark(column, x(figures[column]), y, inks[column]) for column in (3, 2, 1, 0) if figures[column]]
    return "\n".join(parts + ["</svg>", ""])


def main(arguments):
    if arguments in (["-h"], ["--help"]):
        return print(__doc__.strip())
    if arguments not in ([], ["--check"]):
        print(f"scripts/draw-speed.py: takes only --check, not '{arguments[0]}'", file=sys.stderr)
        return 2
    table = list(rows())
    if not table:
        return f"scripts/draw-speed.py: {PAGE.name} has no table with the columns {', '.join(HEAD[1:])}"
    for name, theme in THEMES.items():
        picture, path = draw(table, theme), PICTURES / name
        if not arguments:
            path.write_text(picture)
        elif not path.exists() or path.read_text() != picture:
            return f"{path.relative_to(ROOT)} does not match the table of {PAGE.name}; run scripts/draw-speed.py"
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
