#!/usr/bin/env python3
"""Draws the speed and the memory of a soak from its report, for light and for dark pages.

    scripts/draw-soak.py REPORT [INTO]

REPORT is the folder that `scripts/stress.sh --report REPORT` has written. The pictures, soak.svg and soak~dark.svg, go to INTO (default: the
pictures of the documentation). A report of a failed soak is rejected. Exit status 2: the report cannot be drawn.
"""
import html
import json
import math
import pathlib
import sys

PICTURES = pathlib.Path(__file__).resolve().parent.parent / "Sources/RxSwift/RxSwift.docc/Resources"
THEMES = {
    "soak.svg": {"text": "#1f2328", "faint": "#59636e", "grid": "#d1d9e0", "band": "#f6f8fa", "ink": "#0969da", "ink2": "#8250df"},
    "soak~dark.svg": {"text": "#f0f6fc", "faint": "#9198a1", "grid": "#3d444d", "band": "#151b23", "ink": "#58a6ff", "ink2": "#bc8cff"},
}
WIDTH, LEFT, RIGHT, PANEL, GAP, TOP = 760, 62, 14, 130, 44, 74


def round_step(most):
    """Returns a step that makes about four grid lines up to `most`."""
    power = 10 ** math.floor(math.log10(most / 4))
    return next(power * step for step in (1, 2, 2.5, 5, 10) if power * step * 4 >= most)


def panel(theme, title, top, points, bands, ink, label, span):
    """Draws one curve over the whole soak; its axis starts at zero."""
    step = round_step(max(y for _, y in points))
    most = step * 4
    def x(value):
        return round(LEFT + value / span * (WIDTH - LEFT - RIGHT), 1)
    def y(value):
        return round(top + PANEL - value / most * PANEL, 1)
    parts = [f'<text x="{LEFT}" y="{top - 10}" font-size="13">{title}</text>']
    for index, begin in enumerate(bands):
        end = bands[index + 1] if index + 1 < len(bands) else span
        if index % 2 == 0:
            parts.append(f'<path d="M{x(begin)} {top}H{x(end)}V{top + PANEL}H{x(begin)}z" fill="{theme["band"]}"/>')
    for tick in range(5):
        at = y(step * tick)
        parts.append(f'<path d="M{LEFT} {at}H{WIDTH - RIGHT}" stroke="{theme["grid"]}"/>'
                     f'<text x="{LEFT - 8}" y="{at + 4}" text-anchor="end" fill="{theme["faint"]}">{label(step * tick)}</text>')
    line = " ".join(f"{x(at)},{y(value)}" for at, value in points)
    return parts + [f'<polyline points="{line}" fill="none" stroke="{ink}" stroke-width="1.5" stroke-linejoin="round"/>']


def thinned(points, count=700):
    """Returns a limited number of points, each the mean of a period."""
    size = max(1, math.ceil(len(points) / count))
    parts = [points[i : i + size] for i in range(0, len(points), size)]
    return [(sum(at for at, _ in part) / len(part), sum(value for _, value in part) / len(part)) for part in parts]


def draw(report, theme):
    scenarios = [scenario for scenario in report["scenarios"] if scenario["samples"]]
    samples = [sample for scenario in scenarios for sample in scenario["samples"]]
    span = max(sample["seconds"] for sample in samples)
    bands = [0 if i == 0 else scenario["samples"][0]["seconds"] for i, scenario in enumerate(scenarios)]
    operations = sum(scenario["operations"] for scenario in scenarios)
    subscriptions = sum(scenario["subscriptions"] for scenario in scenarios)
    memory = thinned([(sample["seconds"], sample["residentBytes"] / 1048576) for sample in samples])
    speed = thinned([(sample["seconds"], sample["operationsPerSecond"] / 1e6) for sample in samples])
    words = (f"{len(scenarios)} scenarios, {report['threads']} threads, {operations / 1e6:.0f} million operations, "
             f"{subscriptions / 1e6:.1f} million subscriptions in {report['seconds']:.0f} seconds: no promise was broken")
    below = TOP + PANEL + GAP
    height = below + PANEL + 30
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="system-ui, sans-serif" font-size="12" '
             f'fill="{theme["text"]}" role="img" aria-label="A soak: {html.escape(words)}">',
             f'<text x="16" y="22" font-size="13">{html.escape(words)}</text>',
             f'<text x="16" y="42" fill="{theme["faint"]}">each stripe is a scenario</text>']
    parts += panel(theme, "million operations a second", TOP, speed, bands, theme["ink"], lambda value: f"{value:g}", span)
    parts += panel(theme, "resident memory", below, memory, bands, theme["ink2"], lambda value: f"{value:g} MiB", span)
    parts += [f'<text x="{LEFT}" y="{height - 12}" fill="{theme["faint"]}">0 s</text>',
              f'<text x="{WIDTH - RIGHT}" y="{height - 12}" text-anchor="end" fill="{theme["faint"]}">{span:.0f} s</text>', "</svg>", ""]
    return "\n".join(parts)


def main(arguments):
    if arguments in (["-h"], ["--help"]):
        return print(__doc__.strip())
    if not 1 <= len(arguments) <= 2 or arguments[0].startswith("-"):
        print("scripts/draw-soak.py: takes the folder of a report and, optionally, the output folder", file=sys.stderr)
        return 2
    try:
        report = json.loads(pathlib.Path(arguments[0], "soak.json").read_text())
    except (OSError, ValueError) as error:
        print(f"scripts/draw-soak.py: {error}", file=sys.stderr)
        return 2
    if not report["passed"]:
        print(f"scripts/draw-soak.py: {report['verdict']}", file=sys.stderr)
        return 2
    for name, theme in THEMES.items():
        pathlib.Path(arguments[1] if len(arguments) > 1 else PICTURES, name).write_text(draw(report, theme))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
