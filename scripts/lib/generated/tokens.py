"""Splits Swift or C into tokens, finds matching brackets, and marks tokens that are not code of the library.

This is not a parser. Text that it mistakes for an operand or a statement makes a mutant that does not compile, or an
odd one. Neither does harm.
"""

import bisect
import re

TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<comment>//[^\n]*)|(?P<block>/\*)"
    r'|(?P<text>"""|#*")'
    r"|(?P<word>[@#$]?[A-Za-z_]\w*|\$\d+|`\w+`)"
    r"|(?P<number>0[xob][0-9A-Fa-f_]+[uUlL]*|\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?[uUlL]*)"
    r"|(?P<operator>[-+*/%<>=!&|^~?.]+)|(?P<mark>[(){}\[\],;:\\#@'])"
)
DIRECTIVE = re.compile(r"(\\\n|[^\n])*")
CHARACTER = re.compile(r"'(\\.|[^'])*'")

OPENS, CLOSES = set("([{"), set(")]}")
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "&+=", "&-=", "<<=", ">>=", "%="}
# An operand starts after these words.
STOPS = {
    "return", "if", "guard", "while", "else", "in", "case", "let", "var", "where", "throw", "try", "await", "try!",
    "for", "switch", "default", "repeat", "do", "defer", "yield",
}
DECLARES = {
    "func", "init", "subscript", "extension", "struct", "class", "enum", "protocol", "actor", "typealias",
    "associatedtype",
}
# Functions that check something and have no effect.
CHECKS = {
    "assert", "precondition", "fatalError", "preconditionFailure", "assertionFailure", "_Static_assert",
    "withExtendedLifetime", "_fixLifetime", "print",
}
DESCRIPTIONS = {"description", "debugDescription", "customMirror"}
# Compilation conditions that are false in the tests, or true only there.
ABSENT = re.compile(r"\bDEBUG\b|canImport \( Darwin|XCTest")


class Token:
    __slots__ = ("kind", "text", "start", "end", "line", "pair", "skipped")

    def __init__(self, kind, text, start, end, line):
        self.kind, self.text, self.start, self.end, self.line = kind, text, start, end, line
        # The index of the matching bracket.
        self.pair = None
        # Whether no mutant may be made of the token.
        self.skipped = False


def end_of_string(text, at, quotes):
    """Returns the end of the string whose opening quotes end at `at`, including interpolations."""
    raw = quotes.count("#")
    escape = "\\" + "#" * raw
    while at < len(text):
        if text.startswith(quotes[::-1], at):
            return at + len(quotes)
        if text.startswith(escape + "(", at):
            depth, at = 1, at + len(escape) + 1
            while depth:
                if text[at] == '"':
                    at = end_of_string(text, at + 1, '"')
                    continue
                depth += (text[at] == "(") - (text[at] == ")")
                at += 1
        else:
            at += 2 if text[at] == "\\" and not raw else 1
    return at


class Source:
    def __init__(self, path, text):
        self.path, self.text, self.swift = path, text, path.endswith(".swift")
        self.lines = [0] + [match.end() for match in re.finditer("\n", text)]
        self.tokens = list(self.read())
        self.pair_up()
        self.skip_compilation()
        self.skip_others()

    def line(self, at):
        return bisect.bisect_right(self.lines, at)

    def read(self):
        at, text = 0, self.text
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                at += 1
                continue
            kind, end = match.lastgroup, match.end()
            if kind == "block":
                end = text.index("*/", end) + 2
            elif kind == "text":
                end = end_of_string(text, end, match[0])
            elif not self.swift and match[0] == "'":
                kind, end = "text", CHARACTER.match(text, at).end()
            elif not self.swift and match[0].startswith("#"):
                kind, end = "comment", DIRECTIVE.match(text, at).end()
            if kind not in ("space", "comment", "block"):
                yield Token(kind, text[at:end], at, end, self.line(at))
            at = end

    def pair_up(self):
        opened = []
        for index, token in enumerate(self.tokens):
            if token.kind == "mark" and token.text in OPENS:
                opened.append(index)
            elif token.kind == "mark" and token.text in CLOSES and opened:
                token.pair = opened.pop()
                self.tokens[token.pair].pair = index

    # Code without mutants

    def leave(self, begin, end):
        for token in self.tokens[begin:end]:
            token.skipped = True

    def skip_compilation(self):
        """Skips compilation conditions, and code that is not compiled or is only for checks."""
        tokens, branches = self.tokens, []
        for index, token in enumerate(tokens):
            if token.text not in ("#if", "#elseif", "#else", "#endif"):
                continue
            end = index
            while end < len(tokens) and tokens[end].line == token.line:
                end += 1
            self.leave(index, end)
            condition = " ".join(each.text for each in tokens[index:end])
            absent, debug = ABSENT.search(condition) is not None, "DEBUG" in condition
            if token.text != "#if" and branches:
                begin, was_absent, debug = branches.pop()
                if was_absent or debug:
                    self.leave(begin, index)
            if token.text != "#endif":
                branches.append((end, absent, debug))

    def skip_others(self):
        """Skips attributes, checks, descriptions, patterns, generic constraints, and declarations in C."""
        tokens = self.tokens
        for index, token in enumerate(tokens[:-1]):
            after = tokens[index + 1]
            if token.kind != "word":
                continue
            if token.text.startswith("@"):
                has_arguments = after.text == "(" and after.start == token.end
                self.leave(index, after.pair + 1 if has_arguments else index + 1)
            elif token.text in CHECKS and after.text == "(":
                self.leave(index, after.pair + 1)
            elif token.text in DESCRIPTIONS and tokens[index - 1].text == "var":
                block = next(at for at in range(index, len(tokens)) if tokens[at].text in "{}")
                if tokens[block].text == "{":
                    self.leave(block, tokens[block].pair)
            elif token.text in ("import", "operator"):
                self.leave(index, index + 3)
            elif token.text == "case" and self.swift:
                self.leave(index, self.until(index, (":", "=", "where", "}", "in")))
            elif token.text == "where" and self.constrains(index):
                self.leave(index, self.until(index, ("{", "}")))
            elif token.text in ("enum", "struct", "union") and not self.swift:
                block = index + 1
                while tokens[block].kind == "word":
                    block += 1
                if tokens[block].text == "{":
                    self.leave(block, tokens[block].pair)
            elif token.text == "func" and after.kind == "operator":
                after.skipped = True

    def until(self, index, ends):
        """Returns the first of `ends` after a token, or the end of its statement."""
        at = index + 1
        while at < len(self.tokens) and self.tokens[at].text not in ends and not self.breaks(at):
            at = self.over(at)
        return at

    def constrains(self, index):
        """Whether a `where` constrains generics."""
        at = index - 1
        while at >= 0:
            text = self.tokens[at].text
            if text in ("for", "case", "catch", ";"):
                return False
            if text in DECLARES or text in "{}":
                return True
            at = self.back(at) - 1
        return True

    # Boundaries of expressions and statements

    def over(self, index):
        """Returns the index after a token, or after the bracket that it opens."""
        token = self.tokens[index]
        return token.pair + 1 if token.text in OPENS and token.pair is not None else index + 1

    def back(self, index):
        """Returns the index of a token, or of the opening bracket if it is a closing one."""
        token = self.tokens[index]
        return token.pair if token.text in CLOSES and token.pair is not None else index

    def level(self, begin, end):
        """Yields the tokens of a range that are not within an inner bracket."""
        while begin < end:
            yield begin
            begin = self.over(begin)

    def text_of(self, begin, end):
        return self.text[self.tokens[begin].start : self.tokens[end - 1].end]

    def spaced_before(self, index):
        return self.text[self.tokens[index].start - 1].isspace()

    def is_binary(self, index):
        """Whether the token is an operator between spaces."""
        token = self.tokens[index]
        return token.kind == "operator" and self.spaced_before(index) and self.text[token.end : token.end + 1].isspace()

    def breaks(self, index):
        """Whether a Swift statement may start with the token, because the token is the first of a line."""
        if index == 0 or index >= len(self.tokens):
            return True
        before, token = self.tokens[index - 1], self.tokens[index]
        if self.line(before.end) == token.line:
            return False
        if self.is_binary(index) or (token.kind == "operator" and token.text[0] in ".?"):
            return False
        if before.kind == "operator" and before.text not in ("!", "?") and self.spaced_before(index - 1):
            return False
        return token.text not in (":", ",", "where", "else", "{") and before.text not in (",", ":")

    def leftmost(self, index, operators):
        """Returns the start of the operand that ends before a token. `operators` are not part of it."""
        at = index
        while at > 0:
            before = self.tokens[at - 1]
            if before.text in OPENS or before.text in ",;:" or before.text in STOPS or before.text in ASSIGNMENTS:
                break
            if self.is_binary(at - 1) and (before.text in operators or before.text == "?"):
                break
            if self.swift and (before.text == "->" or (at != index and self.breaks(at))):
                break
            at = self.back(at - 1)
        return at

    def rightmost(self, index, operators):
        """Returns the end of the operand that starts with a token. `operators` are not part of it."""
        at = index
        while at < len(self.tokens):
            token = self.tokens[at]
            if token.text in CLOSES or token.text in ",;:{" or token.text in ("else", "in", "where"):
                break
            if token.text in ASSIGNMENTS or (at > index and self.swift and self.breaks(at)):
                break
            if self.is_binary(at) and (token.text in operators or token.text == "?"):
                break
            at = self.over(at)
        return at
