"""Shared by the oracles of this folder: the package that they build, and the connection to a program of it.

The package is written into the folder `.build-oracle` of the package under test, and depends on that package by its path.
Each oracle adds its own targets, so that RxSwift is compiled once for all of them.
"""
import fcntl, json, os, select, subprocess, sys, time

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MANIFEST = """\
// swift-tools-version:5.9
// Written by Tests/Oracle/oracle.py.
import PackageDescription

let settings: [SwiftSetting] = [
    .unsafeFlags(["-suppress-warnings", "-continue-building-after-errors", "-diagnostic-style=llvm", "-gnone"])
]

func program(_ name: String, _ products: [String]) -> Target {
    .executableTarget(name: name, dependencies: products.map { .product(name: $0, package: %s) }, swiftSettings: settings)
}

let package = Package(
    name: "oracle",
    platforms: [.macOS(.v13)],
    dependencies: [.package(path: %s)],
    targets: [
%s
    ],
    swiftLanguageVersions: [.v5]
)
"""


def refuse(text):
    """Ends the run if nothing can be compared: prints one line to standard error and exits with status 2."""
    print(f"{os.path.basename(sys.argv[0])}: {text}", file=sys.stderr)
    sys.exit(2)


def above_zero(text):
    """Returns the number if it is above 0. A type for argparse."""
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


above_zero.__name__ = "number above 0"


def write(path, text):
    """Writes a file if its content has changed, so that unchanged files are not compiled again."""
    if os.path.exists(path) and open(path, encoding="utf-8").read() == text:
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Package:
    """The package that is built. One process uses it at a time; another process waits."""

    def __init__(self, tested):
        self.tested = os.path.realpath(tested)
        if not os.path.exists(os.path.join(self.tested, "Package.swift")):
            refuse(f"{self.tested}: no Package.swift")
        self.folder = os.path.join(self.tested, ".build-oracle")
        os.makedirs(self.folder, exist_ok=True)
        self.guard = open(os.path.join(self.folder, "lock"), "w")
        fcntl.flock(self.guard, fcntl.LOCK_EX)

    def environment(self):
        """Returns the environment for SwiftPM. Its temporary folders, which it does not remove, are in the build folder."""
        folder = os.path.join(self.folder, "tmp")
        os.makedirs(folder, exist_ok=True)
        return dict(os.environ, TMPDIR=folder)

    def products(self):
        """Returns the names of the products of the package under test."""
        done = subprocess.run(
            ["swift", "package", "--package-path", self.tested, "--scratch-path", os.path.join(self.folder, "describe"),
             "describe", "--type", "json"], env=self.environment(), capture_output=True, text=True)
        if done.returncode != 0:
            refuse(f"{self.tested}: the package cannot be loaded:\n{done.stderr.strip()}")
        described = json.loads(done.stdout[done.stdout.index("{"):])
        return {product["name"] for product in described.get("products", [])}

    def sources(self, target):
        return os.path.join(self.folder, "Sources", target)

    def declare(self, targets, available=None):
        """Writes the manifest: these targets with the products that each imports, and the targets of earlier runs whose
        products exist."""
        path = os.path.join(self.folder, "targets.json")
        known = json.load(open(path)) if os.path.exists(path) else {}
        known = {name: needs for name, needs in known.items()
                 if os.path.isdir(self.sources(name)) and (available is None or set(needs) <= available)}
        known.update(targets)
        write(path, json.dumps(known, indent=1))
        lines = "\n".join(f"        program({json.dumps(name)}, {json.dumps(needs)})," for name, needs in sorted(known.items()))
        manifest = os.path.join(self.folder, "Package.swift")
        write(manifest, MANIFEST % (json.dumps(os.path.basename(self.tested)), json.dumps(self.tested), lines))
        # Makes SwiftPM plan again: an old plan omits files that were added to or moved in the package since.
        os.utime(manifest)

    def build(self, target, *options):
        """Builds one target. Returns the exit status and the output."""
        done = subprocess.run(["swift", "build", "--package-path", self.folder, "--product", target, *options],
                              env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        return done.returncode, done.stdout

    def program(self, target, products, source, configuration="debug"):
        """Builds a target from the Swift files of a folder. Returns the path of the program."""
        for name in sorted(os.listdir(source)):
            write(os.path.join(self.sources(target), name), open(os.path.join(source, name), encoding="utf-8").read())
        for name in set(os.listdir(self.sources(target))) - set(os.listdir(source)):
            os.remove(os.path.join(self.sources(target), name))
        self.declare({target: products})
        status, said = self.build(target, "-c", configuration)
        if status != 0:
            refuse("\n".join(line for line in said.splitlines() if "error:" in line) or said[-2000:])
        return os.path.join(self.folder, ".build", configuration, target)


class Answers:
    """A program that answers each line with a line that begins with R and a tab. After a crash or a hang it is restarted."""

    def __init__(self, command):
        self.command, self.process, self.rest = command, None, b""

    def ask(self, line, limit=20):
        """Sends a line. Returns the answer and "", or None and "crashed" or "hung"."""
        self.send(line)
        return self.receive(limit)

    def send(self, line):
        """The first half of `ask`. The caller may do other work before it calls `receive`."""
        if self.process is not None and self.process.poll() is not None:
            self.stop()
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                            bufsize=0, env=dict(os.environ, SWIFT_BACKTRACE="enable=no"))
            self.rest = b""
        self.process.stdin.write((line + "\n").encode())

    def receive(self, limit=20):
        """The second half of `ask`: waits for the answer."""
        end = time.monotonic() + limit
        while True:
            while b"\n" not in self.rest:
                ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
                chunk = os.read(self.process.stdout.fileno(), 1 << 16) if ready else b""
                if not chunk:
                    self.stop()
                    return None, "hung" if not ready else "crashed"
                self.rest += chunk
            answer, self.rest = self.rest.split(b"\n", 1)
            if answer.startswith(b"R\t"):
                return answer[2:].decode(), ""

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = None
