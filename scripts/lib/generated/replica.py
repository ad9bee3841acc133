"""Makes the copy of the package for mutants, without the programs and the build folders."""

import os
import re
import sys

COPIED = ("CSources", "Sources", "Tests", "Packages", "scripts")
LEFT_OUT = ("Tests/Benchmarks", "Tests/Clients", "Tests/Models", "Tests/Mutants")
# Programs and their tests, which contain no mutants.
PROGRAMS = ("rx-stress", "rx-vitals", "rx-timers", "StressTests", "VitalsTests")


def without(manifest, start):
    """Returns the manifest without the call that starts at `start` and the comma after it."""
    depth = 0
    for end in range(manifest.index("(", start), len(manifest)):
        depth += (manifest[end] == "(") - (manifest[end] == ")")
        if depth == 0:
            return manifest[:start] + manifest[end + 1 :].removeprefix(",")


def trimmed(manifest):
    """Returns the manifest without programs and other packages."""
    for name in PROGRAMS:
        at = re.search(r"\.(executableTarget|testTarget)\(\s*name: \"" + name + '"', manifest)
        if not at:
            sys.exit(f"replica.py: Package.swift has no target {name}")
        manifest = without(manifest, at.start())
    while ".package(url:" in manifest:
        manifest = without(manifest, manifest.index(".package(url:"))
    return manifest


def found(folder):
    """Yields the relative paths of all files to copy, without build folders."""
    for top in COPIED:
        for within, folders, names in os.walk(os.path.join(folder, top)):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in names:
                if name != "Package.resolved":
                    yield os.path.relpath(os.path.join(within, name), folder)


def contents(original):
    """Returns the files of the copy: bytes by path."""
    files = {}
    for path in found(original):
        if not path.startswith(LEFT_OUT):
            with open(os.path.join(original, path), "rb") as file:
                files[path] = file.read()
    with open(os.path.join(original, "Package.swift"), encoding="utf-8") as file:
        files["Package.swift"] = trimmed(file.read()).encode()
    return files


def write_all(copy, files):
    """Writes only files that differ and removes obsolete ones, so that nothing else is compiled again."""
    for path in list(found(copy)):
        if path not in files:
            os.remove(os.path.join(copy, path))
    for path, content in files.items():
        path = os.path.join(copy, path)
        if os.path.exists(path):
            with open(path, "rb") as file:
                if file.read() == content:
                    continue
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
