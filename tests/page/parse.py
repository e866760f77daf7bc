#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What is quick to see of the page without a browser: its scripts parse, and nothing in it asks the network."""
import collections
import re
import shutil
import subprocess
import sys

import make_page

POLICY = ("default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; "
          "form-action 'none'")

failed = False


def result(name, why=""):
    global failed  # pylint: disable=global-statement
    failed = failed or bool(why)
    print(f"not ok - page: {name} ({why})" if why else f"ok - page: {name}")


def check_node():
    if not shutil.which("node"):
        print("skip - page: scripts parse (no node: run scripts/setup page)")
        return
    for path in make_page.scripts():
        done = subprocess.run(["node", "--check", path], capture_output=True, text=True, check=False)
        if done.returncode:
            result(f"{path.name} parses", " ".join(done.stderr.split())[:300])
            return
    result("scripts parse")


STRETCHES = """
const assert = require("assert");
assert.deepEqual(unionOf([5, 0, 1], [9, 2, 3]), [0, 3, 5, 9]);
assert.deepEqual(unionOf([0, 2], [2, 4]), [0, 4]);
assert.deepEqual(unionOf([], []), []);
assert.deepEqual(without([0, 10], [2, 3, 5, 7]), [0, 2, 3, 5, 7, 10]);
assert.deepEqual(without([0, 4, 6, 9], [3, 7]), [0, 3, 7, 9]);
assert.deepEqual(without([2, 4], [0, 9]), []);
assert.deepEqual(without([0, 3, 20, 22], [1, 2]), [0, 1, 2, 3, 20, 22]);
"""


def check_stretches():
    """What the page computes of stretches of time: where all threads of a program stopped."""
    if not shutil.which("node"):
        print("skip - page: stretches of time (no node: run scripts/setup page)")
        return
    rows = (make_page.PAGE / "rows.js").read_text()
    functions = re.findall(r"^function (?:unionOf|without)\(.*?^}$", rows, re.M | re.S)
    done = subprocess.run(["node", "-e", "\n".join(functions) + STRETCHES], capture_output=True, text=True, check=False)
    result("stretches of time", " ".join(done.stderr.split())[:300])


def main():
    listed = sorted(path.name for path in make_page.scripts())
    found = sorted(path.name for path in make_page.PAGE.glob("*.js"))
    result("the build takes every script", "" if listed == found else f"{listed} != {found}")
    check_node()
    check_stretches()
    text = {path.name: path.read_text() for path in sorted(make_page.PAGE.iterdir())}
    # all scripts are one: of two functions of a name the last one is called
    names = collections.Counter(name for own in text if own.endswith(".js") for name in
                                re.findall(r"^(?:async )?(?:function|const|let|class) (\w+)", text[own], re.M))
    result("no two things have one name", ", ".join(name for name, count in names.items() if count > 1))
    ends = [name for name, own in text.items() if name.endswith(".js") and re.search("</script|<!--", own, re.I)]
    result("no script ends its element", ", ".join(ends))
    asks = [name for name, own in text.items()
            if re.search(r"\b(fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|import)\b|@import|url\(|"
                         r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function",
                         re.sub(r'url\(#\w+\)', "", own))]
    result("nothing asks the network or takes text for HTML", ", ".join(asks))
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text["page.html"])
    result("a policy forbids all requests", "" if policy and policy[1] == POLICY else "another policy, or none")
    spdx = [name for name, own in text.items() if "SPDX-License-Identifier" not in own[:200]]
    result("licence lines", ", ".join(spdx))
    longest = {name: own.count("\n") for name, own in text.items() if own.count("\n") > 700}
    result("files are short", str(longest) if longest else "")
    return failed


if __name__ == "__main__":
    sys.exit(main())
