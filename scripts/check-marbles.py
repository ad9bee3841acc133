#!/usr/bin/env python3
"""Checks that the columns of marble diagrams in documentation are aligned.

    scripts/check-marbles.py [--list] [FILE...]

Reads the doc comments of the Swift files below Sources and Packages/*/Sources and the pages of their catalogues, or only the named files.
--list also prints each diagram. Exit status 1: a diagram is wrong.

A diagram is an indented code block of a doc comment (`///     `) or of a page (four spaces) that contains timelines. Fenced blocks are code, or
input of tests. Each line has a label, a colon and a timeline; text after three spaces is a remark:

    source:                 --1-----2---|
    flatMap { --a--b--| }:  ----a--b--a--b--|

A column is a moment; the first column is the subscription. The marks are:

    -                       nothing
    |  #                    the end, an error
    ^                       an observer subscribes
    1  true  "a"  next(1)   an element; so are [1,2] and (1,2)
    (12|)                   several at one moment, without a comma between them

A mark that is wider than a column belongs to the moment of its first column. A line whose label is code, with a ( or a {, is a result, and so
is each line below it. If no label is code, the last line is the result. The lines above are sources.

The rules:

 1. Every line starts in the same column. Only a source that is subscribed to later starts later. It may appear several times in one line,
    separated by spaces; each occurrence starts at a cause, as in rule 2.
 2. Every event of a result has a cause: the subscription, an event of a source, or the start of an observer (^). The event is in the column of
    a cause, or later by a span that a label or remark names: `4 columns`, counted from a cause or from an event of a result. The event may also
    belong to a timeline within a label. Such a timeline may be drawn with long dashes, as ──a──b──|. It starts at a cause or at the end of
    another timeline within a label.
 3. If there are spans, an element of a result does not precede the first source element of the same name.
 4. A line that does not end (| or #) continues to the last column in which anything happens.
 5. Nothing follows an end.
 6. A line with consecutive dashes, outside of quotes, is a line of a diagram, and must be readable as one.

A diagram without a source, such as that of `just`, is not checked for causes, unless it names a span.
"""
import glob
import os
import re
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
CLOSING = {"(": ")", "[": "]", '"': '"'}
ENDS = {"|", "#"}


def balanced(text, start):
    """Returns the index after the bracket or quote that opens at `start`, or None if it is not closed."""
    if text[start] == '"':
        end = text.find('"', start + 1)
        return end + 1 if end > 0 else None
    depth = 0
    for index in range(start, len(text)):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(text[index], 0)
        if depth == 0:
            return index + 1
    return None


def is_tuple(text):
    """Whether a bracket has a comma outside of inner brackets."""
    depth = 0
    for mark in text[1:-1]:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(mark, 0)
        if mark == "," and depth == 0:
            return True
    return False


def marks_of_group(text):
    """Returns the marks of a group: ends and subscriptions, brackets, words, and each digit or letter of a word."""
    marks, index = [], 0
    while index < len(text):
        if text[index] in ENDS or text[index] == "^":
            marks.append(text[index])
            index += 1
        elif text[index] in CLOSING:
            end = balanced(text, index) or len(text)
            marks.append(text[index:end])
            index = end
        elif re.match(r"\w", text[index]):
            word = re.match(r"[\w.]+", text[index:]).group()
            end = index + len(word)
            if end < len(text) and text[end] == "(":
                end = balanced(text, end) or len(text)
                marks.append(text[index:end])
            else:
                marks += [word] if len(word) == 1 else [word, *word]
            index = end
        else:
            index += 1
    return marks


class Run:
    """One timeline: its first column, the column after it, and its marks by column."""

    def __init__(self, text, column):
        self.begin = column
        self.events = []
        self.problem = None
        index = 0
        while index < len(text):
            first = text[index]
            if self.ended and not self.problem:
                self.problem = "something follows the end"
            end = index + 1
            if first in "-─":
                pass
            elif first in ENDS or first == "^":
                self.events.append((column + index, [first]))
            elif first in CLOSING:
                end = balanced(text, index)
                if end is None:
                    raise ValueError
                whole = text[index:end]
                grouped = first == "(" and not is_tuple(whole)
                self.events.append((column + index, marks_of_group(whole[1:-1]) if grouped else [whole]))
            elif re.match(r"\w", first):
                end = index + len(re.match(r"[\w.]+", text[index:]).group())
                if end < len(text) and text[end] == "(":
                    end = balanced(text, end)
                    if end is None:
                        raise ValueError
                self.events.append((column + index, [text[index:end]]))
            else:
                raise ValueError
            index = end
        self.after = column + len(text)

    @property
    def ended(self):
        return any(ENDS & set(marks) for _, marks in self.events)

    @property
    def columns(self):
        return {column for column, _ in self.events}


def pieces(text, column):
    """Returns the words of the text with their columns. Spaces in brackets and quotes do not separate words."""
    found, begin, index = [], None, 0
    while index <= len(text):
        if index == len(text) or text[index] == " ":
            if begin is not None:
                found.append((text[begin:index], column + begin))
            begin = None
            index += 1
            continue
        begin = index if begin is None else begin
        index = (balanced(text, index) or index + 1) if text[index] in CLOSING else index + 1
    return found


def timelines(text, column):
    """Returns the timelines of a text and the remark three spaces after them; None for other text."""
    runs = []
    for piece, begin in pieces(text, column):
        drawn = piece in ENDS or re.fullmatch(r"\(.*[|#]\)", piece) or sum(piece.count(dash) for dash in "-─") >= 2
        try:
            if not drawn:
                raise ValueError
            runs.append(Run(piece, begin))
        except ValueError:
            return (runs, text[begin - column :]) if runs and begin - runs[-1].after >= 3 else None
    return (runs, "") if runs else None


class Line:
    """A label and its timelines."""

    def __init__(self, number, label, runs, remark):
        self.number, self.label, self.runs = number, label, runs
        self.is_code = bool(re.search(r"[({]", label))
        # spans: the columns that the label or the remark names. inner: the columns of events in timelines in the label.
        self.spans = {int(n) for n in re.findall(r"(\d+)(?=(?:(?:,| and) \d+)* columns?\b)", f"{label} {remark}")}
        self.inner = set()
        for text in re.findall(r"(?:--|──)[^\s)}]*", label):
            try:
                self.inner |= Run(text, 0).columns
            except ValueError:
                pass

    @classmethod
    def read(cls, number, text):
        """Reads a line of a diagram; None for other text. The label ends at the last colon before a timeline."""
        for colon in [match.start() for match in re.finditer(r":(?= )", text)][::-1]:
            rest = text[colon + 1 :]
            begin = colon + 1 + len(rest) - len(rest.lstrip())
            found = timelines(text[begin:], begin)
            if found:
                label = text[:colon].strip()
                # Two diagrams side by side are not checked.
                return None if "  " in label else cls(number, label, *found)
        return None

    @property
    def columns(self):
        return set().union(*(run.columns for run in self.runs))

    @property
    def last(self):
        """The column of the last event; if the line does not end, the last column drawn."""
        return max(max(run.columns) if run.ended else run.after - 1 for run in self.runs)


def has_dashes(text):
    return re.search(r"--", re.sub(r'"[^"]*"|//.*', "", text)) is not None


class Diagram:
    def __init__(self, lines, unread):
        self.lines, self.unread = lines, unread
        code = next((index for index, line in enumerate(lines) if line.is_code), len(lines) - 1)
        self.sources, self.results = lines[:code], lines[code:]
        self.origin = min((line.runs[0].begin for line in lines), default=0)

    def caused(self):
        """Returns the columns in which events may happen; None if the diagram has neither sources nor spans."""
        once = set().union(*(line.spans for line in self.lines))
        inner = set().union(*(line.inner for line in self.lines)) - {0}
        if not self.sources and not once | inner:
            return None
        runs = [run for line in self.lines for run in line.runs]
        causes = {self.origin} | {column for run in runs for column, marks in run.events if "^" in marks}
        causes = causes.union(*(line.columns for line in self.sources))
        from_results = set().union(*(line.columns for line in self.results))
        caused = causes | {column + span for column in causes | from_results for span in once}
        # A timeline in a label may start at a cause other than the subscription, or at the end of another timeline.
        last, begins, waiting = max(line.last for line in self.lines), set(), list(caused - {self.origin})
        while waiting and inner:
            column = waiting.pop()
            if column <= last and column not in begins:
                begins.add(column)
                waiting.append(column + max(inner))
        caused |= {column + offset for column in begins for offset in inner}
        return caused

    def problems(self):
        """Yields the problems with their line numbers."""
        for number, text in self.unread:
            yield number, f"this cannot be read as a label and a timeline: {text.strip()}"
        if not self.lines:
            return
        caused = self.caused()
        last = max(line.last for line in self.lines)
        for line in self.lines:
            for run in line.runs:
                yield from ((line.number, what) for what in self.problems_of_run(line, run, last, caused))
        for line in self.results:
            for run in line.runs:
                yield from ((line.number, what) for what in self.problems_of_events(run, caused))

    def problems_of_run(self, line, run, last, caused):
        if run.problem:
            yield run.problem
        elif run is line.runs[-1] and not run.ended and run.after - 1 != last:
            yield f"it does not end, and stops {columns(last + 1 - run.after)} before the diagram does"
        if run.begin == self.origin:
            return
        if line in self.results:
            yield f"a timeline begins {columns(run.begin - self.origin)} after the first"
        elif caused is not None and run.begin not in caused:
            yield f"nothing causes the timeline that begins in column {run.begin - self.origin}"

    def problems_of_events(self, run, caused):
        named = self.named() if any(line.spans or line.inner for line in self.lines) else {}
        for column, marks in run.events:
            what = f"what is in column {column - self.origin}, {marks[0]},"
            if caused is not None and column not in caused:
                near = min(caused, key=lambda cause: abs(cause - column)) - column
                yield f"{what} has no cause; the nearest is {columns(abs(near))} {'after' if near > 0 else 'before'} it"
            if any(column < named.get(mark, column) for mark in marks):
                yield f"{what} comes before its source"

    def named(self):
        """Returns the first column of each element of the sources."""
        named = {}
        for line in self.sources:
            for run in line.runs:
                for column, marks in run.events:
                    for mark in set(marks) - ENDS - {"^"}:
                        named[mark] = min(column, named.get(mark, column))
        return named


def columns(count):
    return f"{count} column{'' if count == 1 else 's'}"


def blocks(path):
    """Yields the indented, unfenced code blocks of a file, as lists of line numbers with texts."""
    is_page = path.endswith(".md")
    prefix = re.compile(r"^ {4}(.*)" if is_page else r"^\s*/// {5}(.*)")
    outside = re.compile(r"^(\S.*)" if is_page else r"^\s*/// ?(\S.*)")
    block, fenced, follows = [], False, True
    with open(path, encoding="utf-8") as file:
        for number, text in enumerate(file.read().split("\n"), 1):
            if re.match(r"^\s*(?:///)?\s*```", text):
                fenced = not fenced
                continue
            match = None if fenced else prefix.match(text)
            # An indented line below prose or a list item continues that text.
            if match and (block or follows):
                block.append((number, match.group(1)))
                continue
            if block:
                yield block
            block, follows = [], not outside.match(text)
    if block:
        yield block


def diagrams(path):
    for block in blocks(path):
        read = [(number, text, Line.read(number, text)) for number, text in block]
        lines = [line for _, _, line in read if line]
        unread = [(number, text) for number, text, line in read if not line and (lines or has_dashes(text))]
        if lines or unread:
            yield Diagram(lines, unread), block


def files():
    for folder in ["Sources", *glob.glob("Packages/*/Sources")]:
        for kind in ["*.swift", "*.docc/**/*.md"]:
            yield from glob.glob(f"{folder}/**/{kind}", recursive=True)


def main(arguments):
    if arguments and arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0
    lists = "--list" in arguments
    paths = [argument for argument in arguments if argument != "--list"]
    for path in paths:
        if path.startswith("-") or not os.path.isfile(path):
            what = "takes no" if path.startswith("-") else "there is no file"
            print(f"scripts/check-marbles.py: {what} '{path}'; see --help", file=sys.stderr)
            return 2
    if not paths:
        os.chdir(ROOT)
        paths = sorted(files())
    count, wrong = 0, 0
    for path in paths:
        for diagram, block in diagrams(path):
            count += 1
            problems = sorted(set(diagram.problems()))
            wrong += bool(problems)
            if problems or lists:
                print(f"\n{path}:{block[0][0]}:")
                print("\n".join("    " + text for _, text in block))
            for number, problem in problems:
                print(f"{path}:{number}: {problem}")
    if count == 0:
        print("no marble diagram was found", file=sys.stderr)
        return 1
    print(f"{count} marble diagrams, {wrong} of them wrong" if wrong else f"{count} marble diagrams, all aligned")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
