"""Implements scripts/check-prose.sh, which checks the arguments: --since REVISION, --list [PATH...] or --record."""
import pathlib
import re
import subprocess
import sys

RATES = pathlib.Path("scripts/lib/prose.txt")
SKIPPED = re.compile(r"/bundled/|/Corpus/|^LICENSE$")
# Shorter lines are headings, names and the last words of a sentence.
FEWEST_WORDS = 4

START = r"(?:^|[.:;,(]\s)"
# A phrase, and advice for the writer.
PHRASES = [
    (START + r"what (?!(?:is|are) the\b|do\b|does\b|if\b)\w", "name the thing instead of 'what'"),
    (r"(?:" + START + r"|\b(?:by|for|from|of|than|that|to|and|with) )who (?!can\b)\w", "name the thread or caller instead of 'who'"),
    (r"(?:" + START + r"|\b(?:by|for|from|of|to|with) )who(?:m|se|ever)\b", "name the thread or caller"),
    (r"\b(?:am|are|be|been|being|is|was|were) told\b|\btells?\b", "notify, report, configure, pass"),
    (r"\b(?:let|lets|letting)(?: \w+)? go\b|\bgoes silently\b", "release, free, end"),
    (r"\bbut for\b", "except"),
    (r"\b(?:as|so) many\b(?! as\b)", "name the number"),
    (r"\bbecomes? of\b", "say what happens"),
    (r"\bmeanwhile\b", "at the same time, until then"),
    (r"\b(?:said|says?)\b", "state, print, log, return, specify"),
    (r"\banew\b", "again"),
    (r"\b(?:any|no|some)body\b", "name the thread or caller"),
    (r"\b(?:are|is|was|were) to be\b", "must, will"),
    (r", too\b", "also"),
    (r"\b(?:the|what) others\b", "name them"),
    (r"\bhand(?:ed|ing|s)?(?: it| them)? on\b", "pass, forward"),
    (r"\bwithout (?:a )?words?\b", "without a message"),
    (r"\bas good as\b", "almost"),
]
PHRASES = [(re.compile(pattern, re.IGNORECASE), advice) for pattern, advice in PHRASES]

COMMENT = {
    **dict.fromkeys((".swift", ".c", ".h", ".pml"), re.compile(r"^\s*(?://+|/?\*+)\s+(.*)|.*?\S\s+//\s+(.*)")),
    **dict.fromkeys((".awk", ".py", ".sh"), re.compile(r"^\s*#\s+(.*)")),
    ".md": None,
}
CODE = re.compile(r"`[^`]*`|\]\([^)]*\)|<doc:[^>]*>")
TEST = re.compile(r"@Test\b.*?\bfunc (\w+)", re.DOTALL)
ODD_NAME = re.compile(r"(?:that|what|where|who)[A-Z]")


def git(*arguments):
    return subprocess.run(["git", *arguments], capture_output=True, check=True).stdout.decode(errors="replace")


def files(paths):
    for path in filter(None, git("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths).split("\0")):
        if pathlib.Path(path).suffix in COMMENT and not SKIPPED.search(path) and pathlib.Path(path).is_file():
            yield path


def prose_of_page(text):
    """Yields the number and the text of each line outside code blocks."""
    is_code = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code and not line.startswith("    "):
            yield number, CODE.sub("x", line).strip(" |#-*0123456789.")


def prose_of_code(text, comment):
    """Yields the number and the text of each comment line."""
    for number, line in enumerate(text.split("\n"), 1):
        if match := comment.match(line):
            yield number, CODE.sub("x", next(filter(None, match.groups()), ""))


def lines_of(path):
    """Yields (kind, line number, whether it is hard to read, text, advice) for each line of prose and each test name of a file."""
    text = pathlib.Path(path).read_text(errors="replace")
    comment = COMMENT[pathlib.Path(path).suffix]
    kind, prose = ("code", prose_of_code(text, comment)) if comment else ("pages", prose_of_page(text))
    for number, line in prose:
        if len(line.split()) >= FEWEST_WORDS:
            advice = [advice for phrase, advice in PHRASES if phrase.search(line)]
            yield kind, number, bool(advice), line, "; ".join(advice)
    if path.endswith(".swift"):
        for match in TEST.finditer(text):
            number = text.count("\n", 0, match.start(1)) + 1
            yield "test-names", number, bool(ODD_NAME.match(match[1])), match[1], "subject, condition, result"


def rates():
    found, total = {}, {}
    for path in files([]):
        for kind, _, is_hard, _, _ in lines_of(path):
            total[kind] = total.get(kind, 0) + 1
            found[kind] = found.get(kind, 0) + is_hard
    # Rounded up, so that the repository satisfies the rate.
    return {kind: -(-1000 * found[kind] // total[kind]) / 10 for kind in sorted(total)}


def recorded():
    rows = [line.split() for line in RATES.read_text().splitlines() if line and not line.startswith("#")]
    return {kind: float(rate) for kind, rate in rows}


def record():
    allowed, now = recorded(), rates()
    head = [line for line in RATES.read_text().splitlines() if line.startswith("#")]
    rows = [f"{kind} {min(rate, allowed.get(kind, rate))}" for kind, rate in now.items()]
    RATES.write_text("\n".join(head + rows) + "\n")
    print("\n".join(rows))
    return report_rates(now, recorded())


def report_rates(now, allowed):
    failed = False
    for kind, rate in now.items():
        limit = allowed.get(kind, 0.0)
        failed |= rate > limit
        note = "too high" if rate > limit else "lower it with --record" if rate < limit else "as recorded"
        print(f"{kind}: {rate} % of lines, {limit} % allowed: {note}")
    return int(failed)


def added_since(revision):
    """Returns the numbers of the lines added to each file since the revision; None for an untracked file."""
    added, path = {}, None
    for line in git("diff", "-U0", "--no-color", "--no-ext-diff", "--find-renames", revision).split("\n"):
        if line.startswith("+++ "):
            path = line[6:] if line.startswith("+++ b/") else None
        elif path and (match := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)):
            first, count = int(match[1]), int(match[2] or 1)
            added.setdefault(path, set()).update(range(first, first + count))
    for path in filter(None, git("ls-files", "-z", "--others", "--exclude-standard").split("\0")):
        added[path] = None
    return added


def print_hard(path, numbers=None):
    count = 0
    for _, number, is_hard, line, advice in lines_of(path):
        if is_hard and (numbers is None or number in numbers):
            print(f"{path}:{number}: {line}   [{advice}]")
            count += 1
    return count


def since(revision):
    added = added_since(revision)
    count = sum(print_hard(path, added[path]) for path in files([]) if path in added)
    if count:
        print(f"{count} added line{'' if count == 1 else 's'} with a phrase that is hard to read")
    return int(report_rates(rates(), recorded()) or count > 0)


def main(command, *arguments):
    if command == "--list":
        for path in files(arguments):
            print_hard(path)
        return 0
    return record() if command == "--record" else since(*arguments)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
