#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ci/github/action.yml and ci/gitlab.yml: their commands, run as the CI would, with a real recording. What they need
of the CI's machine (packages, a build, the network) only says that it was called.

    ci.py ELFAULT ROOT
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print("1..0 # SKIP python3-yaml is not installed")
    sys.exit(0)

elfault, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
action = yaml.safe_load((root / "ci/github/action.yml").read_text())
template = yaml.safe_load((root / "ci/gitlab.yml").read_text())[".elfault-check"]
number = failed = 0


def result(sentence, holds, said=""):
    global number, failed
    number += 1
    failed += not holds
    print(f"{'ok' if holds else 'not ok'} {number} - {sentence}")
    if not holds:
        print("\n".join(f"# {line}" for line in str(said).splitlines()))


STAND_IN = """#!/bin/sh
echo "$(basename "$0") $*" >>"$CALLS"
"""
# What the API would say of comments that are there; where a body is sent, it is kept.
GH = STAND_IN + """case $* in *--paginate*) cat "$EXISTING" ;; *) sed 's/^/> /' "${6#body=@}" >>"$CALLS" ;; esac
"""
CURL = STAND_IN + """case $* in *per_page*) cat "$EXISTING" ;; *) sed 's/^/> /' elfault.md >>"$CALLS" ;; esac
"""


class Machine:
    def __init__(self, folder, limit):
        self.folder = folder
        self.budget = f"faults <= {limit}\n"
        tools = folder / "tools"
        tools.mkdir()
        for name in ("sudo", "apt-get", "meson", "ninja", "git"):
            (tools / name).write_text(STAND_IN)
        (tools / "gh").write_text(GH)
        (tools / "curl").write_text(CURL)
        (tools / "elfault").symlink_to(elfault)
        for tool in tools.iterdir():
            if not tool.is_symlink():
                tool.chmod(0o755)
        (folder / "app.budget").write_text(self.budget)
        (folder / "existing").write_text("")
        for name in ("calls", "summary", "output", "path"):
            (folder / name).touch()
        self.environment = {
            "PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(folder), "CALLS": str(folder / "calls"),
            "EXISTING": str(folder / "existing"), "RUNNER_TEMP": str(folder), "GITHUB_ACTION_PATH": str(root / "ci/github"),
            "GITHUB_PATH": str(folder / "path"), "GITHUB_STEP_SUMMARY": str(folder / "summary"),
            "GITHUB_OUTPUT": str(folder / "output"), "GITHUB_REPOSITORY": "owner/app",
            "CI_PROJECT_DIR": str(folder), "CI_API_V4_URL": "https://example.org/api/v4", "CI_PROJECT_ID": "7",
        }

    def read(self, name):
        return (self.folder / name).read_text()

    def run(self, script, shell, **more):
        return subprocess.run([*shell, script], cwd=self.folder, env={**self.environment, **more}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def github(self):
        """Run the steps until one fails; (status, what was said)"""
        values = {"inputs.command": "ls /", "inputs.repeat": "2", "inputs.budget": "app.budget", "inputs.token": "secret",
                  "github.event.pull_request.number": "12"}
        for step in action["runs"]["steps"]:
            outputs = dict(line.split("=", 1) for line in self.read("output").splitlines())
            values["steps.check.outputs.status"] = outputs.get("status", "")
            env = {name: re.sub(r"\$\{\{ (.*?) \}\}", lambda found: values[found[1]], value)
                   for name, value in step.get("env", {}).items()}
            ran = self.run(step["run"], ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"], **env)
            if ran.returncode:
                return ran.returncode, f"{step['name']}: {ran.stdout}"
        return 0, ""

    def gitlab(self, **more):
        script = "\n".join(template["before_script"] + template["script"])
        ran = self.run(script, ["bash", "-eo", "pipefail", "-c"], ELFAULT_COMMAND="ls /", ELFAULT_BUDGET="app.budget",
                       ELFAULT_URL="https://example.org/elfault.git", ELFAULT_VERSION="v0.1.0",
                       **template["variables"], **more)
        return ran.returncode, ran.stdout


def main():
    print("1..11")
    scripts = [step["run"] for step in action["runs"]["steps"]]
    result("every step of the action says its shell", all(step["shell"] == "bash" for step in action["runs"]["steps"]))
    # What a pull request brings is data: in an expression it would be a command.
    result("no input stands in a script", not any("${{" in script for script in scripts))
    wanted = {word for script in scripts + template["before_script"]
              for words in re.findall(r"apt-get install -y ((?:\\\n|[^\n])*)", script)
              for word in words.replace("\\\n", " ").split()}
    setup = (root / "script/setup").read_text().split() + ["curl"]
    result("packages are those that script/setup knows", wanted and not wanted - set(setup), wanted - set(setup))
    options = set(re.findall(r"-D(\w+)=", "\n".join(scripts + template["before_script"])))
    known = set(re.findall(r"(?m)^option\('(\w+)'", (root / "meson_options.txt").read_text()))
    result("options of the build are there", options and options <= known, options - known)

    with tempfile.TemporaryDirectory() as folder:
        kept = Machine(pathlib.Path(folder), 100000)
        status, said = kept.github()
        result("a kept budget succeeds on GitHub", status == 0, said)
        result("the job summary has the table", "| kept |" in kept.read("summary").replace("**", ""), kept.read("summary"))
        calls = kept.read("calls")
        result("the pull request has it as a comment", re.search(
            r"gh api --method POST repos/owner/app/issues/12/comments -F body=@\S+\n> <!-- elfault app.budget -->\n>", calls), calls)
        (kept.folder / "existing").write_text("41\thello\n42\t<!-- elfault app.budget -->\n")
        kept.github()
        result("the next answer takes its place", "gh api --method PATCH repos/owner/app/issues/comments/42" in
               kept.read("calls"), kept.read("calls"))
    with tempfile.TemporaryDirectory() as folder:
        status, said = Machine(pathlib.Path(folder), 1).github()
        result("a broken budget fails there, when all is said", status == 3 and said.startswith("verdict"), (status, said))
    with tempfile.TemporaryDirectory() as folder:
        lab = Machine(pathlib.Path(folder), 1)
        (lab.folder / "existing").write_text('[{"id": 5, "body": "hello"}, {"id": 6, "body": "<!-- elfault app.budget -->\\nold"}]')
        status, said = lab.gitlab(ELFAULT_TOKEN="secret", CI_MERGE_REQUEST_IID="12")
        calls = lab.read("calls")
        result("a broken budget fails on GitLab, and its note is brought up to date", status == 3 and
               "--request PUT" in calls and "/projects/7/merge_requests/12/notes/6\n> <!-- elfault" in calls, (status, said, calls))
    with tempfile.TemporaryDirectory() as folder:
        lab = Machine(pathlib.Path(folder), 100000)
        status, said = lab.gitlab()
        result("without a token there is no note, and a report of tests all the same", status == 0 and
               "curl" not in lab.read("calls").replace("apt-get install -y curl", "") and "<testsuite" in lab.read("elfault.xml"),
               (status, said))
    sys.exit(failed > 0)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as probe:
        if subprocess.run([elfault, "record", "--backend", "perf", "--quiet", "-o", f"{probe}/trace", "--", "true"],
                          capture_output=True).returncode:
            print("1..0 # SKIP perf events are not allowed")
            sys.exit(0)
    main()
