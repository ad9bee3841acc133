#!/usr/bin/env python3
"""Compare the package's public API with that of RxSwift 6.10 and RxSwiftExt 6.2, listed in rxswift-6.10.tsv.

    check.py                                    # dump this package's symbol graphs, then compare
    check.py --missing                          # also list what is absent, one declaration a line
    check.py --graphs DIR --missing             # use graphs dumped earlier
    check.py --module RxSwift --module RxRelay  # only these modules

A declaration counts as `exact` if module, path and normalised signature agree.
Normalisation ignores the names of generic parameters, the order of requirements,
`any`/`some`, attributes and module qualifiers. A property that can be set in RxSwift,
or a class that can be subclassed, must allow it here too. A declaration counts as
`named` if only module and path agree. Necessary differences are listed in
differences.tsv beside this file: module, path, our signature, reason.
Exit status: 0 if every declaration is exact or listed in that file with its reason,
1 otherwise, 2 if there is nothing to compare.
"""
import argparse, collections, glob, json, os, re, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(HERE))
from oracle import REPOSITORY, refuse

# the declarations that a client may subclass or override
MUST_BE_OPEN = {("RxSwift", "VirtualTimeScheduler"), ("RxSwift", "VirtualTimeScheduler.adjustScheduledTime(_:)")}
OPEN = set()
MODULES = ("RxSwift", "RxRelay", "RxCocoa", "RxTest", "RxBlocking", "RxSwiftExt")

def split_top(text, separator=","):
    """Splits at separators that are outside all brackets."""
    parts, depth, start = [], 0, 0
    for index, character in enumerate(text):
        if character in "(<[":
            depth += 1
        elif character in ")]" or (character == ">" and text[index - 1] != "-"):
            depth -= 1
        elif character == separator and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]

def normalise(declaration):
    text = re.sub(r"\s+", " ", declaration).strip()
    text = re.sub(r"@\w+(\([^)]*\))? ?", "", text)
    text = re.sub(r"\b(final|open|public|indirect|nonisolated|sending|mutating|convenience|required|override|class(?= func)) ", "", text)
    text = re.sub(r"\b(any|borrowing|consuming) ", "", text)
    text = re.sub(r"\b(RxSwift|RxRelay|RxCocoa|RxTest|RxSwiftExt|Swift|Foundation|FoundationEssentials|Dispatch|_Concurrency)\.(?=[A-Z])", "", text)
    text = text.replace("Sequence.Sequence", "Sequence").replace("{ get }", "").strip()
    text = re.sub(r"^(static )?let ", r"\1var ", text)
    head, _, where = text.partition(" where ")
    requirements = split_top(where)
    # lift `some P` parameters into named generic parameters
    count = 0
    while True:
        match = re.search(r"\bsome ([A-Z]\w*)(<[^<>]*>)?", head)
        if not match:
            break
        name = f"Some{count}"; count += 1
        head = head[:match.start()] + name + head[match.end():]
        requirements.append(f"{name} : {match.group(1)}")
        head = re.sub(r"^([^(<]*?[\w`+=<>?-]+)\((?!.*§)", lambda m: m.group(1) + f"<{name}>(", head, count=1) if "<" not in head.split("(")[0] \
            else head.replace(">(", f", {name}>(", 1)
    # rename generic parameters in order of declaration
    match = re.match(r"^[^(<]*<([^()]*?)>(?=\(|$| )", head)
    names = []
    if match and re.match(r"^(static func|func|init|subscript|struct|class|enum|typealias)", head):
        for parameter in split_top(match.group(1)):
            name, _, bound = parameter.partition(":")
            names.append(name.strip())
            if bound.strip():
                requirements.append(f"{name.strip()} : {bound.strip()}")
        head = head.replace(f"<{match.group(1)}>", f"<{', '.join(names)}>", 1)
    for index, name in enumerate(names):
        head = re.sub(rf"(?<![\w.]){re.escape(name)}\b(?!:)", f"τ{index}", head)
        requirements = [re.sub(rf"(?<![\w.]){re.escape(name)}\b", f"τ{index}", r) for r in requirements]
    cleaned = set()
    for requirement in requirements:
        for symbol in ("==",):
            if symbol in requirement:
                cleaned.add(" == ".join(sorted(side.strip() for side in requirement.split(symbol))))
                break
        else:
            cleaned.add(re.sub(r"\s*:\s*", ": ", requirement))
    return re.sub(r"\s*([(),:])\s*", r"\1", head) + (" where " + ",".join(sorted(cleaned)) if cleaned else "")

def declarations(directory):
    rows = []
    for path in sorted(glob.glob(os.path.join(directory, "*.symbols.json"))):
        module = os.path.basename(path)[: -len(".symbols.json")].split("@")[0]
        if module not in MODULES:
            continue
        for symbol in json.load(open(path))["symbols"]:
            if symbol["accessLevel"] not in ("public", "open"):
                continue
            text = "".join(f["spelling"] for f in symbol["declarationFragments"])
            deprecated = any(a.get("isUnconditionallyDeprecated") or a.get("deprecated") for a in symbol.get("availability", []))
            if symbol["accessLevel"] == "open":
                OPEN.add((module, ".".join(symbol["pathComponents"])))
            rows.append((module, symbol["kind"]["identifier"].replace("swift.", ""), ".".join(symbol["pathComponents"]), re.sub(r"\s+", " ", text), "deprecated" if deprecated else ""))
        graph = json.load(open(path))
        names = {s["identifier"]["precise"]: ".".join(s["pathComponents"]) for s in graph["symbols"]}
        for edge in graph["relationships"]:
            if edge["kind"] in ("conformsTo", "inheritsFrom") and edge["source"] in names:
                target = names.get(edge["target"]) or edge.get("targetFallback", "").split(".", 1)[-1]
                if target and not target.startswith(("Copyable", "Escapable", "SendableMetatype", "Sendable")):
                    rows.append((module, "conformance", names[edge["source"]] + " : " + target, names[edge["source"]] + " : " + target, ""))
    return sorted(set(rows))

def differences(path):
    """Returns how often each module and path is listed in the file of differences."""
    if not os.path.exists(path):
        return {}
    rows = [line.rstrip("\n").split("\t") for line in open(path) if line.strip() and not line.startswith("#")]
    short = [row for row in rows if len(row) < 4 or not row[3].strip()]
    if short:
        refuse(f"{path}: a row needs module, path, our signature and reason: {short[0]}")
    return collections.Counter((row[0], row[1]) for row in rows)

def dump(root):
    # The package manager also dumps the modules of its own test runner. If these do not exist yet, it returns an error.
    # Only the symbol graphs matter: each must exist and be new.
    begun = time.time() - 1
    run = subprocess.run(["swift", "package", "dump-symbol-graph", "--minimum-access-level", "public", "--skip-synthesized-members"],
                         cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    found = glob.glob(os.path.join(root, ".build", "*", "symbolgraph"))
    folder = max(found, key=os.path.getmtime) if found else None
    graphs = [os.path.join(folder, module + ".symbols.json") for module in MODULES] if folder else []
    absent = [graph for graph in graphs if not os.path.exists(graph) or os.path.getmtime(graph) < begun]
    if not graphs or absent:
        print(run.stdout[-2000:], file=sys.stderr)
        refuse("no symbol graph of " + (", ".join(os.path.basename(graph).split(".")[0] for graph in absent) or "any module"))
    return folder

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", default=REPOSITORY, metavar="DIR", help="the package to compare (default: this repository)")
    parser.add_argument("--graphs", metavar="DIR", help="a folder of symbol graphs dumped earlier")
    parser.add_argument("--missing", action="store_true", help="list the absent declarations")
    parser.add_argument("--differs", action="store_true", help="list the declarations present under another signature")
    parser.add_argument("--differences", default=os.path.join(HERE, "differences.tsv"), metavar="FILE",
                        help="the stated differences (default: differences.tsv beside this file)")
    parser.add_argument("--module", action="append", choices=MODULES, help="compare only this module; may be repeated")
    parser.add_argument("--list", action="store_true", help="print the package's own declarations as TSV")
    options = parser.parse_args()
    ours = declarations(options.graphs or dump(options.package))
    if not ours:
        refuse(f"{options.graphs}: no symbol graphs")
    if options.list:
        print("\n".join("\t".join(row) for row in ours))
        return
    wanted = [line.rstrip("\n").split("\t") for line in open(os.path.join(HERE, "rxswift-6.10.tsv")) if line.strip() and not line.startswith("#")]
    wanted = [row for row in wanted if not options.module or row[0] in options.module]
    exact = {(m, p, normalise(t)) for m, _, p, t, _ in ours}
    exact |= {(m, p, t.replace("{ get set }", "").strip()) for m, p, t in exact}   # a settable property is also readable
    explained = differences(options.differences)
    # overloads share a path
    have = collections.Counter((m, p) for m, _, p, _, _ in ours)
    by_module, missing, differs = {}, [], []
    spare = collections.Counter(have)
    loose = []
    for row in wanted:
        module, kind, path, text = row[:4]
        cell = by_module.setdefault(module, [0, 0, 0])
        cell[2] += 1
        if (module, path, normalise(text)) in exact and ((module, path) not in MUST_BE_OPEN or (module, path) in OPEN):
            cell[0] += 1; cell[1] += 1; spare[(module, path)] -= 1
        else:
            loose.append((cell, row))
    for cell, row in loose:
        key = (row[0], row[2])
        if spare[key] > 0:
            spare[key] -= 1; cell[1] += 1; differs.append(row)
        else:
            missing.append(row)
    if options.missing:
        for row in missing:
            print("missing", *row[:4], sep="\t")
    if options.differs:
        for row in differs:
            print("differs", *row[:4], sep="\t")
    unexplained = [row for row in differs if explained.get((row[0], row[2]), 0) <= 0]
    total = [sum(c[i] for c in by_module.values()) for i in range(3)]
    for module, (e, n, t) in sorted(by_module.items()):
        print(f"{module:11} exact {e:4} named {n:4} of {t}")
    print(f"{'total':11} exact {total[0]:4} named {total[1]:4} of {total[2]}")
    if unexplained:
        print(f"{len(unexplained)} differ and are not in the stated differences")
    sys.exit(0 if not missing and not unexplained else 1)

if __name__ == "__main__":
    main()
