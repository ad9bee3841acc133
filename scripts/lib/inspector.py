#!/usr/bin/env python3
"""Opens the inspector's page of a program in headless Chromium and checks what it shows.

    scripts/lib/inspector.py PROGRAM [--pictures FOLDER] [--cost SECONDS]

PROGRAM is rx-inspector-fixture, which prints its port and reads commands. Chromium is driven by its DevTools protocol
through two pipes. Prints a line for each check. Exit status 1: a check failed.
"""
import argparse
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time


class Browser:
    """A headless Chromium with one page."""

    def __init__(self, profile):
        to_browser, commands = os.pipe()
        answers, from_browser = os.pipe()
        # The protocol uses the browser's descriptors 3 and 4.
        run = f'exec chromium "$@" 3<&{to_browser} 4>&{from_browser}'
        self.process = subprocess.Popen(
            ["bash", "-c", run, "bash", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank"],
            pass_fds=[to_browser, from_browser], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.commands, self.answers = os.fdopen(commands, "wb", 0), os.fdopen(answers, "rb", 0)
        self.rest, self.number, self.session, self.problems = b"", 0, None, []
        pages = self.call("Target.getTargets")["targetInfos"]
        page = next(each["targetId"] for each in pages if each["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            self.call(f"{domain}.enable")

    def message(self):
        while b"\0" not in self.rest:
            more = os.read(self.answers.fileno(), 1 << 16)
            if not more:
                raise RuntimeError("Chromium has ended")
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        self.commands.write(json.dumps(request).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.note(message)

    def note(self, message):
        """Keeps the page's errors, and its requests to other hosts."""
        method, values = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = values["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Log.entryAdded" and values["entry"]["level"] == "error":
            # A browser requests an icon by itself.
            if "favicon" not in values["entry"].get("url", ""):
                self.problems.append(values["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            url = values["request"]["url"]
            if not url.startswith(("http://127.0.0.1:", "data:", "blob:", "about:", "file:")):
                self.problems.append(f"the page requests {url}")

    def value(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def open(self, url):
        self.call("Page.navigate", url=url)

    def size(self, width, height, scheme):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 500)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path):
        time.sleep(0.3)
        data = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def end(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (RuntimeError, OSError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


class Program:
    """The program whose page is opened."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.port = int(self.process.stdout.readline().split()[1])
        self.url = f"http://127.0.0.1:{self.port}/"

    def do(self, command):
        self.process.stdin.write(command + "\n")
        line = self.process.stdout.readline().strip()
        if line != f"done {command}":
            raise RuntimeError(f"the program answered {line!r} to {command!r}")

    def processor_time(self):
        """Returns the program's processor time in seconds."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


class Checks:
    def __init__(self, browser):
        self.browser, self.failed = browser, 0

    def that(self, what, script, seconds=20):
        """Waits until the script returns something true, and prints a line for this check."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.browser.value(script):
                print(f"ok      {what}", flush=True)
                return True
            time.sleep(0.2)
        print(f"FAILED  {what}: not within {seconds} s: {script}", flush=True)
        self.failed += 1
        return False

    def equal(self, what, found, expected):
        isEqual = found == expected
        print(f"ok      {what}" if isEqual else f"FAILED  {what}: {found!r} instead of {expected!r}", flush=True)
        self.failed += not isEqual


# Whether each operator has a place in the program's file.
PLACES = """[...document.querySelectorAll('.node rect.box')].every(box =>
    /^Fixture.swift:[0-9]+$/.test(box.nextElementSibling.nextElementSibling?.textContent))"""
# The operators in each row of the graph.
ROWS = """[...document.querySelectorAll('.node')].map(node =>
    [...node.querySelectorAll('rect.box')].map(box => box.nextElementSibling.textContent).join(' > '))"""
PROGRAM_ROWS = ["PublishSubject > filter", "flatMap", "observe(on:) > map", "observe(on:) > scan",
                "observe(on:) > distinctUntilChanged", "PublishSubject > map > filter"]


def fits(browser):
    """The elements that are wider than the page, and do not scroll."""
    return browser.value("""(() => {
        const width = document.documentElement.clientWidth;
        if (document.documentElement.scrollWidth > width) return ['the page is ' + document.documentElement.scrollWidth];
        return [...document.querySelectorAll('body *')].filter(each => {
            if (each.closest('.graph, .scroll, option') || !each.offsetParent) return false;
            const box = each.getBoundingClientRect();
            return box.right > width + 1 || box.left < -1;
        }).map(each => each.tagName + '#' + each.id + '.' + each.className).slice(0, 5);
    })()""")


def spoiled(value, key=None):
    """A copy of a snapshot in which each text and number contains an HTML element, and each link is a script."""
    if isinstance(value, dict):
        return {key: spoiled(each, key) for key, each in value.items()}
    if isinstance(value, list):
        return [spoiled(each) for each in value]
    if key == "link":
        return "javascript:document.body.className='spoiled'"
    if key == "time" or value is None or isinstance(value, bool):
        return value
    return f"""{value}'"><b class="spoiled"></b>"""


def check(program, browser, checks, downloads, pictures):
    def shoot(name, sizes=((1280, 900, ""), (390, 844, "-narrow"))):
        for width, height, suffix in sizes if pictures else ():
            for scheme in ("light", "dark"):
                browser.size(width, height, scheme)
                browser.value("scrollTo(0, 0); document.querySelector('.graph').scrollTo(0, 0)")
                theme = "~dark" if scheme == "dark" else ""
                browser.picture(pictures / f"inspector-{name}{suffix}{theme}.png")
        browser.size(1280, 900, "light")

    browser.size(1280, 900, "light")
    browser.open(program.url)
    checks.that("the page is live", "document.querySelector('#state')?.textContent === 'live'")
    for row in PROGRAM_ROWS:
        checks.that(f"the graph has {row}", f"{ROWS}.includes({json.dumps(row)})")
    checks.that("each operator of the program has its file and line", PLACES)
    live = json.loads(browser.value("fetch('snapshot.json').then(answer => answer.text())"))
    checks.equal("each group has a node", browser.value("document.querySelectorAll('.node').length"),
                 len(live["groups"]))
    checks.that("elements pass", "document.querySelectorAll('path.flows').length > 0")
    checks.that("limits are listed", "document.querySelector('#limits').textContent.includes('database')")
    checks.that("schedulers are listed", "document.querySelector('#schedulers').textContent.includes('warehouse')")
    checks.that("nothing is paused", "document.querySelectorAll('path.pausing').length === 0")
    checks.equal("there is no warning", browser.value("document.querySelectorAll('#warnings li').length"), 0)
    shoot("calm")

    program.do("pause")
    checks.that("a paused source is shown", "document.querySelectorAll('path.pausing').length > 0")
    checks.that("the full queue is shown", "/16\\/16 warehouse · paused/.test(document.querySelector('.graph').textContent)")
    checks.that("a queue at its bound is a warning", "!!document.querySelector('#warnings li.queueAtBound')")
    shoot("paused")
    program.do("resume")
    checks.that("it is no longer paused", "document.querySelectorAll('path.pausing').length === 0")
    checks.that("the warning ends", "!document.querySelector('#warnings li.queueAtBound')")

    program.do("zip")
    checks.that("a paused source of zip is shown", "/8\\/8 zip · paused/.test(document.querySelector('.graph').textContent)")
    program.do("unzip")
    checks.that("its queue is gone", "!/zip/.test(document.querySelector('.graph').textContent)")

    for _ in range(8):
        program.do("leak 3")
        time.sleep(1)
    checks.that("a leak is a warning", "!!document.querySelector('#warnings li.growing')")
    checks.that("the leak is counted", "/×24 \\+\\d+/.test(document.querySelector('.graph').textContent)")
    program.do("fail")
    checks.that("errors are listed", "/Refused.*×3/.test(document.querySelector('#errors').textContent)")
    checks.that("no element is shown", "!/order: /.test(document.body.textContent)")
    program.do("retry 3")
    checks.that("errors are on the edge", "/3 errors, [0-9.]+\\/s/.test(document.querySelector('.graph').textContent)"
                " && document.querySelectorAll('path.failing').length === 1")
    shoot("errors", ((1280, 900, ""),))
    checks.that("their number stays", "/3 errors(?!,)/.test(document.querySelector('.graph').textContent)"
                " && document.querySelectorAll('path.failing').length === 0")
    program.do("stall")
    checks.that("a stall is listed", "/blocked/.test(document.querySelector('#stalls').textContent)")
    checks.that("a stall is a warning", "!!document.querySelector('#warnings li.blockedScheduler')")
    browser.value("document.querySelector('#warnings li.growing button').click()")
    checks.that("a warning leads to its group", "/24/.test(document.querySelector('#detail').textContent)")
    checks.that("the detail has the place", "document.querySelectorAll('#detail pre').length === 1")
    shoot("leak")
    browser.size(390, 844, "light")
    checks.equal("at 390 px nothing is cut off", fits(browser), [])
    browser.size(1280, 900, "light")
    checks.equal("at 1280 px nothing is cut off", fits(browser), [])

    browser.value("document.querySelector('#search').value = 'warehouse'; document.querySelector('#search').oninput()")
    checks.that("the filter keeps what matches and what it feeds",
                f"{ROWS}.includes('observe(on:) > scan') && !{ROWS}.includes('PublishSubject > map > filter')")
    browser.value("document.querySelector('#search').value = ''; document.querySelector('#search').oninput()")

    program.do("many 5000")
    checks.that("5 000 subscriptions are counted",
                "/5\\.0 k/.test(document.querySelector('#totals').textContent)", 30)
    checks.that("equal ones form groups", "document.querySelectorAll('.node').length < 30")
    checks.that("drawing takes under 100 ms", "(() => { const begin = performance.now(); draw(true); "
                "return performance.now() - begin < 100; })()")
    shoot("many", ((1280, 900, ""),))

    browser.value("document.querySelector('#hold').click()")
    checks.that("the page can be held", "document.querySelector('#state').textContent === 'paused'")
    browser.value("const slider = document.querySelector('#slider'); slider.value = 0; slider.oninput()")
    checks.that("the recording has the first moment", "!/5\\.0 k/.test(document.querySelector('#totals').textContent)")
    browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads))
    browser.value("document.querySelector('#save').click()")
    end = time.monotonic() + 20
    while not list(downloads.glob("*.json")) and time.monotonic() < end:
        time.sleep(0.2)
    saved = list(downloads.glob("*.json"))
    checks.equal("the recording is saved", len(saved), 1)
    if not saved:
        return
    frames = json.loads(saved[0].read_text())["frames"]
    checks.equal("it has each moment", len(frames) > 15, True)
    # The recording is opened in a saved copy of the page, connected to no program.
    page = downloads / "page.html"
    page.write_text(browser.value("fetch('.').then(answer => answer.text())"))
    browser.open(page.as_uri())
    checks.that("a saved page needs no program", "/open a recording/.test(document.querySelector('#state')?.textContent)")
    document = browser.call("DOM.getDocument")["root"]["nodeId"]
    field = browser.call("DOM.querySelector", nodeId=document, selector="#open")["nodeId"]
    browser.call("DOM.setFileInputFiles", nodeId=field, files=[str(saved[0])])
    checks.that("the recording opens again", "document.querySelector('#state').textContent === 'recording'")
    checks.that("it has all moments", f"document.querySelector('#slider').max === '{len(frames) - 1}'")
    checks.that("it has the leak", "!!document.querySelector('#warnings li.growing')")
    browser.call("DOM.setFileInputFiles", nodeId=field, files=[str(page)])
    checks.that("another file is refused", "/not a recording/.test(document.querySelector('#state').textContent)")

    # A snapshot each second for 700 seconds, each about as large as 300 rows with call stacks.
    browser.value("""(() => {
        const last = { ...JSON.parse(frames[frames.length - 1].text), padding: 'x'.repeat(250000) };
        mode = 'live';
        for (let second = 1; second <= 700; second += 1) add(JSON.stringify({ ...last, time: last.time + 1000 * second }));
    })()""")
    checks.that("the last ten minutes are kept", "document.querySelector('#slider').max === '600'")
    browser.value("document.querySelector('#save').click()")
    end = time.monotonic() + 20
    while len(list(downloads.glob("*.json"))) < 2 and time.monotonic() < end:
        time.sleep(0.2)
    longer = [file for file in downloads.glob("*.json") if file not in saved]
    checks.equal("they are saved", len(longer), 1)
    if longer:
        browser.value("document.querySelector('#slider').max = '0'")
        browser.call("DOM.setFileInputFiles", nodeId=field, files=[str(longer[0])])
        checks.that("they open again", "document.querySelector('#state').textContent === 'recording'"
                    " && document.querySelector('#slider').max === '600'")
        browser.value("const first = document.querySelector('#slider'); first.value = 0; first.oninput()")
        checks.that("its first moment is ten minutes old",
                    "/10 min before the end/.test(document.querySelector('#time').textContent)")

    moment = max(frames, key=lambda frame: len(frame["warnings"]))
    moment["warnings"] = [{"link": "", **warning} for warning in moment["warnings"]]
    foreign = downloads / "foreign" / "recording.json"
    foreign.parent.mkdir()
    foreign.write_text(json.dumps({"rxInspectorRecording": 1, "frames": [spoiled(moment)]}))
    known = len(browser.problems)
    browser.call("DOM.setFileInputFiles", nodeId=field, files=[str(foreign)])
    checks.that("a foreign recording is shown", "document.querySelector('#slider').max === '0'"
                " && document.querySelectorAll('.node').length > 0"
                " && document.querySelectorAll('#warnings li').length > 0"
                " && document.querySelectorAll('#limits tbody tr').length > 0")
    checks.equal("its fields are text", browser.value("document.querySelectorAll('.spoiled').length"), 0)
    checks.equal("its links are pages", browser.value(
        "[...document.links].filter(link => link.protocol === 'javascript:').length"), 0)
    # Chromium complains about sizes that are not numbers.
    del browser.problems[known:]


def cost(program, browser, seconds):
    """The percentage of a core that a viewer costs, with few subscriptions and with 5 000: the median of three each."""
    def share():
        begin, used = time.monotonic(), program.processor_time()
        time.sleep(seconds)
        return 100 * (program.processor_time() - used) / (time.monotonic() - begin)

    found = []
    browser.open("about:blank")
    for command in ("load 100000", "many 5000"):
        program.do(command)
        differences = []
        for _ in range(3):
            time.sleep(2)
            without = share()
            browser.open(program.url)
            time.sleep(2)
            viewed = share()
            browser.open("about:blank")
            differences.append(viewed - without)
            print(f"{command}: without a viewer {without:.2f} % of a core, with one {viewed:.2f} %", flush=True)
        found.append(sorted(differences)[1])
        print(f"{command}: a viewer costs {found[-1]:.2f} % of a core", flush=True)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--pictures", type=pathlib.Path)
    parser.add_argument("--cost", type=int)
    options = parser.parse_args()
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        folder = pathlib.Path(folder)
        downloads = folder / "downloads"
        downloads.mkdir()
        program = Program(options.program)
        browser = Browser(folder / "profile")
        checks = Checks(browser)
        try:
            check(program, browser, checks, downloads, options.pictures)
            checks.equal("the page complains about nothing", browser.problems, [])
            if options.cost:
                program.end()
                program = Program(options.program)
                costs = cost(program, browser, options.cost)
                checks.equal("a viewer costs under 2 % of a core", max(costs) < 2, True)
        finally:
            browser.end()
            program.end()
    print(f"{checks.failed} checks failed" if checks.failed else "all checks passed")
    sys.exit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
