"""The rules that make the mutants of a source. Each mutant inserts text before some tokens and after them.

    rules.py FILE    lists the mutants of a file

    condition true, condition false    of if, guard, while, ?:, where, an operand of && or ||, a returned Bool
    bound                              < and <=, > and >=
    equality                           == and !=, unless it is a condition
    number                             n + 1, and 0 for 1
    flag                               true and false
    sign                               + and -
    default                            a ?? b is b
    extreme                            min and max
    nil                                an argument `error` is nil
    statement                          a call or an assignment is removed
    jump                               a return, continue or break is removed
    loop                               the body of a for does not run
"""

import re
import sys

sys.dont_write_bytecode = True
from tokens import ASSIGNMENTS, CHECKS, DECLARES, STOPS, Source

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "===": "!==", "!==": "==="}
SIGNS = {"+": "-", "-": "+", "&+": "&-", "&-": "&+"}
LOGIC = {"&&", "||"}
# Operators that bind less tightly than comparisons, than `??`, and than signs.
ABOVE_COMPARISONS = LOGIC | {"?"}
ABOVE_DEFAULTS = ABOVE_COMPARISONS | set(COMPARISONS)
ABOVE_SIGNS = ABOVE_DEFAULTS | {"...", "..<", "??"}
BINDS = ("let", "var", "case", "#available", "#unavailable")
# Words that do not start a removable statement.
NO_STATEMENT = STOPS | DECLARES | {
    "public", "private", "internal", "fileprivate", "open", "package", "static", "final", "override", "mutating",
    "nonmutating", "lazy", "weak", "unowned", "required", "convenience", "dynamic", "nonisolated", "isolated",
    "indirect", "deinit", "import", "get", "set", "willSet", "didSet", "_read", "_modify", "prefix", "infix",
    "postfix", "operator", "break", "continue", "fallthrough", "catch", "some", "any", "unsafe", "__consuming",
    "consuming", "borrowing", "goto", "union", "sizeof", "typedef", "const", "unsigned", "void", "int", "extern",
}
# Keywords of C whose blocks start like functions, with a word and parentheses.
CONTROLS = ("if", "for", "while", "switch")
# Larger numbers are sizes and times that no test checks exactly.
LARGEST = 100


def made(path, text, first):
    """Returns the mutants of a file, numbered from `first`."""
    maker = Maker(Source(path, text), first)
    # The larger mutants come first. A mutant that crosses an earlier one is left out.
    maker.statements()
    maker.conditions_of_keywords()
    maker.conditions_of_results()
    maker.conditions_of_operators()
    maker.operators()
    maker.words()
    return maker.found


class Maker:
    def __init__(self, source, first):
        self.source, self.tokens, self.number = source, source.tokens, first
        self.found, self.spans, self.conditions, self.handled = [], set(), set(), set()
        self.functions = list(self.named_blocks())

    def named_blocks(self):
        """Yields the start, the end and the name of each block of a function or property. Inner ones come last."""
        for block, token in enumerate(self.tokens):
            if token.text == "{" and token.pair is not None and (name := self.name_of(block)):
                yield block, token.pair, name

    def name_of(self, block):
        """Returns the name of the function or property whose body the block is; None for other blocks."""
        words = self.head(block)
        if not self.source.swift:
            name = words[-2] if words[-1:] == ["("] and len(words) > 2 else ""
            return name if re.fullmatch(r"\w+", name) and name not in CONTROLS else None
        for word in ("func", "var"):
            if word in words[:-1] and "=" not in words:
                return words[words.index(word) + 1]
        return next((word for word in ("init", "deinit", "subscript") if word in words and "." not in words), None)

    def function_at(self, index):
        return next((name for begin, end, name in reversed(self.functions) if begin <= index <= end), "")

    def add(self, kind, begin, end, before, behind, new, old=None):
        """Adds a mutant that inserts `before` and `behind` around the tokens, with N for its number."""
        if end <= begin or self.tokens[begin].skipped or self.tokens[end - 1].skipped:
            return
        start, stop = self.tokens[begin].start, self.tokens[end - 1].end
        if any(a < start < b < stop or start < a < stop < b for a, b in self.spans):
            return
        self.spans.add((start, stop))
        old = self.source.text_of(begin, end) if old is None else old
        self.found.append({
            "number": self.number, "file": self.source.path, "line": self.tokens[begin].line, "kind": kind,
            "function": self.function_at(begin), "words": self.words_of(begin, end),
            "old": shortened(old), "new": shortened(new), "start": start, "stop": stop,
            "before": before.replace("N", str(self.number)), "behind": behind,
        })
        self.number += 1

    def words_of(self, begin, end):
        """Returns the words among the tokens."""
        return [token.text for token in self.tokens[begin:end] if token.kind == "word"]

    def choice(self, kind, begin, end, new):
        if new is not None and "N" not in new:
            self.add(kind, begin, end, f"(crx_mutant(N) ? {new} : ", ")", new)

    def on_one_line(self, begin, end):
        """Returns the text joined to one line; None if it has a comment or a multi-line string."""
        text = self.source.text_of(begin, end) if begin < end else ""
        return None if not text or re.search(r'//|/\*|"""', text) else re.sub(r"\s*\n\s*", " ", text)

    # Conditions

    def force(self, begin, end, value):
        self.add("condition " + value, begin, end, f"crx_{value}(N, ", ")", value)

    def parts(self, begin, end, operator):
        """Returns the operands of an operator; the whole range if there is none."""
        parts, first = [], begin
        for at in self.source.level(begin, end):
            if self.source.is_binary(at) and self.tokens[at].text == "?":
                return [(begin, end)]
            if self.tokens[at].text == operator and (operator == "," or self.source.is_binary(at)):
                self.handled.add(at)
                parts.append((first, at))
                first = at + 1
        return parts + [(first, end)]

    def condition(self, begin, end, true=True, false=True):
        """Adds mutants that make a Bool expression, and its operands, true or false."""
        while begin < end and self.tokens[begin].text in ("try", "await"):
            begin += 1
        if begin >= end or (begin, end) in self.conditions:
            return
        self.conditions.add((begin, end))
        if end - begin == 1 and self.tokens[begin].text in ("true", "false"):
            return
        alternatives = self.parts(begin, end, "||")
        if len(alternatives) > 1:
            if true:
                self.force(begin, end, "true")
            for part in alternatives:
                self.condition(*part, true=False)
            return
        parts = self.parts(begin, end, "&&")
        if false:
            self.force(begin, end, "false")
        if len(parts) > 1:
            for part in parts:
                self.condition(*part, true=true, false=False)
        elif true:
            self.force(begin, end, "true")

    def list_of_conditions(self, begin, end, true):
        """Adds mutants of the conditions of an if, guard or while. Makes only the first false, because another false
        condition would have the same effect."""
        for index, (first, last) in enumerate(self.parts(begin, end, ",")):
            if first >= last:
                continue
            if self.tokens[first].text not in BINDS:
                self.condition(first, last, true=true, false=index == 0)
            elif index == 0 and not self.tokens[first].text.startswith("#"):
                # The pattern stays; a false condition is inserted before it.
                was, self.tokens[first].skipped = self.tokens[first].skipped, False
                self.add("condition false", first, first + 1, "!crx_mutant(N), ", "", "false",
                         self.source.text_of(begin, end))
                self.tokens[first].skipped = was

    def conditions_of_keywords(self):
        source, tokens = self.source, self.tokens
        for index, token in enumerate(tokens):
            if token.kind != "word" or token.skipped:
                continue
            if source.swift and token.text in ("if", "guard", "while"):
                end = index + 1
                while end < len(tokens) and tokens[end].text not in ("{", "else", "}"):
                    if token.text == "while" and source.breaks(end):
                        break
                    end = source.over(end)
                self.list_of_conditions(index + 1, end, true=token.text != "while")
            elif source.swift and token.text == "where":
                self.condition(index + 1, source.rightmost(index + 1, ()))
            elif not source.swift and tokens[index + 1].text == "(":
                end = tokens[index + 1].pair
                if token.text in ("if", "while"):
                    self.condition(index + 2, end, true=token.text == "if")
                elif token.text == "for":
                    semicolons = [at for at in range(index + 2, end) if tokens[at].text == ";"]
                    self.condition(semicolons[0] + 1, semicolons[1], true=False)

    def conditions_of_results(self):
        """Adds mutants of the values that functions and properties of type Bool return."""
        source, tokens = self.source, self.tokens
        for index, token in enumerate(tokens[:-3]):
            if token.skipped:
                continue
            if source.swift:
                if token.text != "Bool" or tokens[index - 1].text not in ("->", ":"):
                    continue
                block = index + 1
            else:
                if token.text != "bool" or tokens[index + 1].kind != "word" or tokens[index + 2].text != "(":
                    continue
                block = tokens[index + 2].pair + 1
            if tokens[block].text != "{":
                continue
            end = tokens[block].pair
            is_expression = tokens[block + 1].kind != "word" or tokens[block + 1].text not in NO_STATEMENT
            if source.swift and is_expression and not any(source.breaks(at) for at in range(block + 2, end)):
                self.condition(block + 1, end)
            for at in range(block + 1, end):
                if tokens[at].text == "return" and tokens[at + 1].text not in (";", "}") and not source.breaks(at + 1):
                    self.condition(at + 1, source.rightmost(at + 1, ()))

    def conditions_of_operators(self):
        """Adds mutants of conditions before a question mark, and of the remaining operands of && and ||."""
        binary = [at for at, token in enumerate(self.tokens) if not token.skipped and self.source.is_binary(at)]
        for at in binary:
            if self.tokens[at].text == "?":
                self.condition(self.source.leftmost(at, {"?"}), at)
        for at in binary:
            if self.tokens[at].text in LOGIC and at not in self.handled:
                self.condition(self.source.leftmost(at, {"?"}), self.source.rightmost(at + 1, {"?"}))

    # Expressions

    def operators(self):
        source, tokens = self.source, self.tokens
        for index, token in enumerate(tokens):
            if token.skipped or not source.is_binary(index):
                continue
            if token.text in COMPARISONS:
                begin, end = source.leftmost(index, ABOVE_DEFAULTS), source.rightmost(index + 1, ABOVE_DEFAULTS)
                if token.text[-1] == "=" and token.text[0] in "=!":
                    if (begin, end) not in self.conditions:
                        self.add("equality", begin, end, "crx_not(N, ", ")", COMPARISONS[token.text])
                else:
                    self.other_sign("bound", begin, index, end, COMPARISONS[token.text])
            elif token.text in SIGNS:
                begin, end = source.leftmost(index, ABOVE_SIGNS), source.rightmost(index + 1, ABOVE_SIGNS | set(SIGNS))
                # Numbers have other mutants.
                if end - index > 2 or tokens[index + 1].kind != "number":
                    self.other_sign("sign", begin, index, end, SIGNS[token.text])
            elif token.text == "??":
                begin, end = source.leftmost(index, ABOVE_DEFAULTS), source.rightmost(index + 1, ABOVE_DEFAULTS)
                default = self.on_one_line(index + 1, end)
                if default and not default.startswith(("fatalError", "{", "try")):
                    self.choice("default", begin, end, f"({default})")

    def other_sign(self, kind, begin, index, end, sign):
        left, right = self.on_one_line(begin, index), self.on_one_line(index + 1, end)
        if left and right:
            self.choice(kind, begin, end, f"{left} {sign} {right}")

    def words(self):
        tokens = self.tokens
        for index, token in enumerate(tokens[:-1]):
            if token.skipped:
                continue
            before, after = tokens[index - 1], tokens[index + 1]
            if token.text in ("true", "false") and before.text not in (".", "while"):
                other = "false" if token.text == "true" else "true"
                self.add("flag", index, index + 1, "(crx_mutant(N) != ", ")", other)
            elif token.kind == "number" and before.text != "." and (self.source.swift or before.text != "["):
                self.numbers(index)
            elif token.text in ("min", "max") and after.text == "(" and after.start == token.end and self.source.swift:
                begin = index - 2 if before.text == "." and tokens[index - 2].text == "Swift" else index
                arguments = self.on_one_line(index + 1, after.pair + 1)
                if (begin < index or before.text not in (".", "func")) and arguments and "{" not in arguments:
                    other = "max" if token.text == "min" else "min"
                    self.choice("extreme", begin, after.pair + 1, other + arguments)
            elif token.text == "error" and before.text in ("(", ",", ":") and after.text in (")", ","):
                opens = next(at for at in range(index, -1, -1) if tokens[at].text == "(" or at == 0)
                called = tokens[opens - 1].text
                # These calls need an error, or nil would have another type.
                if called not in ("error", "failure", "throwing", "Failure") and tokens[index - 2].text != "of":
                    self.choice("nil", index, index + 1, "nil")

    def numbers(self, index):
        match = re.fullmatch(r"([\d_]+)([uUlL]*)", self.tokens[index].text)
        value = int(match[1].replace("_", "")) if match else LARGEST + 1
        if value <= LARGEST:
            self.choice("number", index, index + 1, f"{value + 1}{match[2]}")
            if value == 1:
                self.choice("number", index, index + 1, f"0{match[2]}")

    # Statements

    def head(self, block):
        """Returns the words before a block, which determine its kind."""
        source, tokens = self.source, self.tokens
        begin = block
        while begin > 0:
            before = tokens[begin - 1].text
            if before in "([{" or ((before in ";}" or begin != block) and source.breaks(begin)):
                break
            begin = source.back(begin - 1)
        return [tokens[at].text for at in source.level(begin, block)]

    def kind_of_block(self, block):
        """Returns the kind of a block: `value` or `void` by its result, or a more specific one."""
        words, first = self.head(block), self.head(block)[:1]
        behind = self.tokens[self.tokens[block].pair + 1 :][:1]
        has_else = bool(behind) and behind[0].text == "else"
        if not self.source.swift:
            return "if" if "if" in words and "else" not in words and not has_else else "void"
        if first == ["guard"] or (words[-1:] == ["else"] and ("guard" in words or self.ends_guard(block))):
            return "guard"
        if first == ["if"] and "else" not in words:
            return "void" if has_else else "if"
        if "else" in words or first and first[0] in ("do", "catch", "defer", "repeat", "for", "while", "}"):
            return "void"
        if "func" in words:
            return "value" if "->" in words else "void"
        if "init" in words or "convenience" in words:
            return "init"
        if "deinit" in words or words[-1:] in (["set"], ["didSet"], ["willSet"]):
            return "void"
        if any(word in DECLARES for word in words):
            return "value" if "subscript" in words else "type"
        if "var" in words and "=" not in words or words[-1:] in (["get"], ["_read"]):
            return "value"
        return "switch" if "switch" in words else "closure"

    def ends_guard(self, block):
        """Whether the block is that of an `else` whose `guard` is on an earlier line."""
        at = block - 2
        while at >= 0 and self.tokens[at].text not in ("if", "guard", "while", "}", "{", ";"):
            at = self.source.back(at) - 1
        return at >= 0 and self.tokens[at].text == "guard"

    def statements_of(self, block):
        """Returns the start and the end of each statement of a block."""
        source, tokens = self.source, self.tokens
        end, at, first, found, begins = tokens[block].pair, block + 1, None, [], True

        def close(last):
            nonlocal first, begins
            if first is not None:
                found.append((first, last))
            first, begins = None, True

        while at < end:
            token = tokens[at]
            if source.swift and token.text == "in" and token.line == tokens[block].line and not found and (
                    tokens[block + 1].text not in ("for", "if", "guard", "while")):
                # A closure's parameters.
                first, begins, at = None, True, at + 1
                continue
            if token.text == ";":
                close(at)
                at += 1
                continue
            if first is not None and (source.breaks(at) if source.swift else tokens[at - 1].text == "}"):
                close(at)
            if begins and token.text in ("case", "default"):
                while at < end and tokens[at].text != ":":
                    at = source.over(at)
                at += 1
                continue
            if first is None:
                first, begins = at, False
            at = source.over(at)
        close(end)
        return found

    def plain(self, begin, end):
        """Returns `call` or `assignment` for such a statement; None for others."""
        tokens = self.tokens
        while begin < end - 1 and tokens[begin].text in ("try", "await"):
            begin += 1
        first = tokens[begin]
        texts = [tokens[at].text for at in self.source.level(begin, end)]
        if first.kind != "word" and (first.text != "*" or self.source.swift):
            return None
        if first.text in NO_STATEMENT or first.text in CHECKS or first.text[0] in "@#":
            return None
        if texts[:3] in (["super", ".", "init"], ["self", ".", "init"]):
            return None
        if not self.source.swift and first.text != "*" and texts[1:2] and (
                texts[1] not in ("(", "->", ".", "[", "++", "--") and texts[1] not in ASSIGNMENTS):
            return None
        if any(text in ASSIGNMENTS or text in ("++", "--") for text in texts):
            return "assignment"
        return "call" if tokens[end - 1].text in (")", "}") else None

    def statements(self):
        for block, token in enumerate(self.tokens):
            if token.text != "{" or token.pair is None:
                continue
            kind = self.kind_of_block(block)
            if kind == "type":
                continue
            statements = self.statements_of(block)
            for begin, end in statements:
                if begin < end and not self.tokens[begin].skipped:
                    self.statement(kind, begin, end, single=len(statements) == 1)

    def statement(self, block, begin, end, single):
        first, last = self.tokens[begin], self.tokens[end - 1]
        if first.text in ("return", "continue", "break") and end - begin == 1:
            if block in ("if", "void", "switch") and (block, first.text) != ("switch", "break") and not single:
                self.delete("jump", begin, end)
        elif first.text == "for" and self.source.swift and last.text == "}":
            body = last.pair
            has_where = any(self.tokens[at].text == "where" for at in range(begin, body))
            if len(self.statements_of(body)) > 1 and not has_where:
                self.add("loop", body, body + 1, "where !crx_mutant(N) ", "", "none", self.source.text_of(begin, body))
        else:
            plain = self.plain(begin, end)
            # Some statements are not deleted. If an `if` has a single statement, a fault in the condition has the same
            # effect. The only statement of a block with a value, or of a closure, may be its value.
            if plain is None or (single and block in ("value", "if")) or (block == "init" and plain == "assignment"):
                return
            if not (single and block == "closure" and plain == "call" and "?." not in self.source.text_of(begin, end)):
                self.delete("statement", begin, end)

    def delete(self, kind, begin, end):
        if self.source.swift:
            self.add(kind, begin, end, "if !crx_mutant(N) { ", " }", "")
        else:
            self.add(kind, begin, end, "if (!crx_mutant(N)) { ", "; }", "")


def shortened(text):
    return re.sub(r"\s+", " ", text)[:160]


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as source:
        for mutant in made(sys.argv[1], source.read(), 1):
            print(f"{mutant['line']} {mutant['kind']}: {mutant['old']} -> {mutant['new'] or '(nothing)'}")
