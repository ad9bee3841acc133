#!/usr/bin/env python3
"""Checks that the container files of a copy of Examples/quickstart agree with its sources and with each other.

    scripts/lib/quickstart.py SERVICE CHECKOUT [--layout FOLDER]

SERVICE is the copy's folder, CHECKOUT that of the library. With --layout, writes into FOLDER the files that the
Dockerfile copies before it builds, at their paths in the image. Needs PyYAML. Prints a line for each contradiction.
Exit status 1: there is one.
"""
import argparse
import fnmatch
import json
import pathlib
import re
import shutil
import subprocess
import sys

import yaml

failed = 0


def check(holds, what):
    global failed
    if not holds:
        print(f"FAILED: {what}")
        failed += 1


def equal(what, found, expected):
    check(found == expected, f"{what} is {found!r} instead of {expected!r}")


def instructions(text):
    """The instructions of a Dockerfile: the stage's name, the word, its arguments."""
    text = re.sub(r"^\s*#.*\n", "", text, flags=re.M).replace("\\\n", " ")
    stage = None
    for line in filter(str.strip, text.splitlines()):
        word, rest = line.split(None, 1)
        if word == "FROM":
            stage = rest.split(" AS ")[1] if " AS " in rest else None
        yield stage, word, rest


def seconds(text):
    """The seconds of a duration such as 45s or 1m30s; 0, which fails the checks, if it is something else."""
    parts = re.fullmatch(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?", str(text))
    hours, minutes, rest = (int(each or 0) for each in parts.groups()) if parts else (0, 0, 0)
    return (hours * 60 + minutes) * 60 + rest


class Service:
    def __init__(self, home, checkout):
        self.home, self.checkout = home, checkout
        self.manifest = self.text("Package.swift")
        self.dockerfile = list(instructions(self.text("Dockerfile")))
        self.compose = yaml.safe_load(self.text("compose.yaml"))
        self.kubernetes = {each["kind"]: each for each in yaml.safe_load_all(self.text("kubernetes/service.yaml"))}
        self.name = re.search(r'\.executableTarget\(\s*name: "([^"]+)"', self.manifest)[1]
        self.main = self.text(f"Sources/{self.name}/Main.swift")
        self.settings = self.text(f"Sources/{self.name}/Settings.swift")
        self.variables = set(re.findall(r'\.get\("([A-Z_]+)"\)', self.settings))
        self.port = int(re.search(r'"PORT"\) \?\? "(\d+)"', self.settings)[1])
        self.probes = {f"/health/{name}" for name in re.findall(r'"(\w+)": report\.', self.main)}
        self.shutdown = int(re.search(r"maximumGracefulShutdownDuration = \.seconds\((\d+)\)", self.main)[1])

    def text(self, path):
        return (self.home / path).read_text()

    def copies(self, source):
        """Yields (from, to) for each path that the Dockerfile copies from `source`. This is a stage, a context, or None
        for the folder itself."""
        for _, word, rest in self.dockerfile:
            if word == "COPY":
                words = rest.split()
                origin = words.pop(0).removeprefix("--from=") if words[0].startswith("--from=") else None
                if origin == source:
                    yield from ((each, words[-1]) for each in words[:-1])

    def check_dockerfile(self):
        stages = {stage for stage, _, _ in self.dockerfile if stage}
        ignored = self.text(".dockerignore").split()
        for path, _ in self.copies(None):
            check((self.home / path).exists(), f"Dockerfile copies {path}, which does not exist")
            check(not any(fnmatch.fnmatch(path, each) for each in ignored), f".dockerignore excludes {path}")
        for path, _ in self.copies("rx-linux"):
            known = subprocess.run(["git", "-C", self.checkout, "ls-files", path], capture_output=True, text=True)
            check(known.stdout, f"Dockerfile copies {path} of the library, which has no such file")
        runs = [rest for _, word, rest in self.dockerfile if word == "RUN"]
        product = re.search(r"swift build .*--product (\S+)", "\n".join(runs))[1]
        equal("the Dockerfile's product", product, self.name)
        command = json.loads(next(rest for _, word, rest in self.dockerfile if word == "CMD"))
        equal("the program copied into the image", list(self.copies("build")),
              [(f"/app/.build/release/{self.name}", f"/usr/local/bin/{command[0]}")])
        folder = next(rest for stage, word, rest in self.dockerfile if word == "WORKDIR" and stage == "build")
        equal("the folder of the build", folder, "/app")
        environment = {stage: dict(each.split("=", 1) for each in rest.split())
                       for stage, word, rest in self.dockerfile if word == "ENV"}
        check(set(environment[None]) <= self.variables,
              f"Dockerfile sets {sorted(environment[None])}, but the service reads {sorted(self.variables)}")
        equal("PORT in Dockerfile", environment[None].get("PORT"), str(self.port))
        equal("HOST in Dockerfile", environment[None].get("HOST"), "0.0.0.0")
        equal("EXPOSE", next(rest for _, word, rest in self.dockerfile if word == "EXPOSE"), str(self.port))
        self.library = environment["build"]["RX_LINUX"]
        check('environment["RX_LINUX"]' in self.manifest, "Package.swift does not read RX_LINUX")
        for path, target in self.copies("rx-linux"):
            expected = f"{self.library}/{path}"
            check(expected == target or expected == target + pathlib.Path(path).name,
                  f"Dockerfile copies {path} to {target}, but RX_LINUX is {self.library}")
        self.user = next(rest for _, word, rest in self.dockerfile if word == "USER")
        check(f"--uid {self.user} " in "\n".join(runs), f"Dockerfile creates no user {self.user}")
        self.contexts = {rest.split()[0].removeprefix("--from=") for _, word, rest in self.dockerfile
                         if word == "COPY" and rest.startswith("--from=")} - stages
        images = [rest.split()[0] for _, word, rest in self.dockerfile if word == "FROM"]
        self.image, suites = images[0], [re.search(r"(bookworm|trixie|noble|jammy)", each)[1] for each in images]
        check(len(set(suites)) == 1, f"Dockerfile builds on one system and runs on another: {images}")
        tools = re.match(r"// swift-tools-version: ([\d.]+)", self.manifest)[1]
        version = re.search(r"swift:([\d.]+)", self.image)[1]
        check([int(each) for each in version.split(".")] >= [int(each) for each in tools.split(".")],
              f"Package.swift needs Swift {tools}, and the image has {version}")

    def check_compose(self):
        services = self.compose["services"]
        service = services[self.name]
        equal("the contexts in compose.yaml", set(service["build"]["additional_contexts"]), self.contexts)
        library = self.home / service["build"]["additional_contexts"]["rx-linux"]
        equal("rx-linux in compose.yaml", library.resolve(), self.checkout)
        equal("the port in compose.yaml", service["ports"], [f"127.0.0.1:{self.port}:{self.port}"])
        test = service["healthcheck"]["test"][-1]
        check(f"/dev/tcp/127.0.0.1/{self.port};" in test, f"the health check does not ask port {self.port}: {test}")
        check(re.search(r"GET (\S+)", test)[1] in self.probes, f"the health check asks no probe: {test}")
        check(seconds(service["stop_grace_period"]) > self.shutdown,
              f"stop_grace_period is not longer than the {self.shutdown} s of Main.swift")
        for name, each in services.items():
            for volume in each.get("volumes", []):
                source = volume.split(":")[0]
                check((self.home / source).exists() if source.startswith(".") else source in self.compose["volumes"],
                      f"compose.yaml mounts {source} into {name}, which does not exist")
        mounts = [volume.split(":")[1] for volume in services["grafana"]["volumes"]]
        page = services["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
        check(page in mounts, f"Grafana's page {page} is not mounted")
        for path in (self.home / "grafana/provisioning").glob("*/*"):
            values = yaml.safe_load(path.read_text())
            for each in values.get("providers", []):
                check(page.startswith(each["options"]["path"] + "/"), f"{path.name} does not provide {page}")
            for each in values.get("datasources", []):
                host, port = re.fullmatch(r"http://(\w+):(\d+)", each["url"]).groups()
                check(any(mapping.endswith(f":{port}") for mapping in services.get(host, {}).get("ports", [])),
                      f"{path.name} names {each['url']}, which is no service of compose.yaml")

    def check_prometheus(self):
        values = yaml.safe_load(self.text("prometheus/prometheus.yml"))
        job = values["scrape_configs"][0]
        equal("the job in prometheus.yml", job["job_name"], self.name)
        equal("the target in prometheus.yml", job["static_configs"][0]["targets"], [f"{self.name}:{self.port}"])
        for path in values["rule_files"]:
            check((self.home / "prometheus" / path).exists(), f"prometheus.yml names {path}, which does not exist")

    def check_kubernetes(self):
        deployment, service = self.kubernetes["Deployment"], self.kubernetes["Service"]
        pod = deployment["spec"]["template"]
        labels, spec = pod["metadata"]["labels"], pod["spec"]
        container = spec["containers"][0]
        equal("the container's port", [each["containerPort"] for each in container["ports"]], [self.port])
        ports = {each["name"] for each in container["ports"]}
        for name in ("startupProbe", "readinessProbe", "livenessProbe"):
            request = container[name]["httpGet"]
            check(request["path"] in self.probes and request["port"] in ports, f"{name} asks {request}")
        for each in service["spec"]["ports"]:
            check(each["targetPort"] in ports, f"the service's port {each['targetPort']} is not the container's")
        for selector in (deployment["spec"]["selector"]["matchLabels"], service["spec"]["selector"],
                         self.kubernetes["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"]):
            check(selector.items() <= labels.items(), f"the selector {selector} does not select {labels}")
        equal("runAsUser", str(spec["securityContext"]["runAsUser"]), self.user)
        pause = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
        check(spec["terminationGracePeriodSeconds"] > pause + self.shutdown,
              f"terminationGracePeriodSeconds is not longer than {pause} + {self.shutdown} s")
        notes = pod["metadata"]["annotations"]
        equal("the annotated port", notes["prometheus.io/port"], str(self.port))
        check(f'router.get("{notes["prometheus.io/path"]}")' in self.main, "the annotated path is not served")
        tag = re.search(r"--tag (\S+)", self.text("Dockerfile"))[1]
        equal("the image", container["image"], f"{tag}:latest")

    def check_devcontainer(self):
        values = json.loads(self.text(".devcontainer/devcontainer.json"))
        equal("the container's image for an editor", values["image"], self.image)
        equal("its port", values["forwardPorts"], [self.port])
        mount = dict(each.split("=", 1) for each in values["mounts"][0].split(","))
        equal("RX_LINUX for an editor", values["containerEnv"]["RX_LINUX"], mount["target"])
        source = mount["source"].replace("${localWorkspaceFolder}", str(self.home))
        equal("the library for an editor", pathlib.Path(source).resolve(), self.checkout)

    def lay_out(self, folder):
        for origin, root in ((None, self.home), ("rx-linux", self.checkout)):
            for path, target in self.copies(origin):
                place = folder / ("app" if origin is None else ".") / target.lstrip("/")
                if (root / path).is_dir():
                    shutil.copytree(root / path, place, dirs_exist_ok=True)
                else:
                    place = place / path.rsplit("/", 1)[-1] if target.endswith("/") else place
                    place.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(root / path, place)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("service", type=pathlib.Path)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--layout", type=pathlib.Path)
    options = parser.parse_args()
    service = Service(options.service.resolve(), options.checkout.resolve())
    for each in ("dockerfile", "compose", "prometheus", "kubernetes", "devcontainer"):
        getattr(service, f"check_{each}")()
    if options.layout:
        service.lay_out(options.layout)
    sys.exit(failed > 0)


main()
