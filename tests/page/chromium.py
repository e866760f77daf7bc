# SPDX-License-Identifier: GPL-2.0
"""Headless Chromium, driven through its DevTools pipe: no package, no port, no network."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PATIENCE = 120  # seconds for an answer: the machine may be busy
NAMES = ("chromium", "chromium-browser", "google-chrome")
KEY_CODES = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
             "ArrowDown": 40}
SHIFT = 8
# window.frameTimes: how long the page's own work for each frame took
TIMED = """
const ask = window.requestAnimationFrame.bind(window);
window.frameTimes = [];
window.requestAnimationFrame = (then) => ask((now) => {
    const begin = performance.now();
    then(now);
    if (performance.now() - begin > 0.3)
        window.frameTimes.push(performance.now() - begin);
});
"""


def program():
    """The browser's path, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Failed(Exception):
    """The page or the browser did not do what was asked."""


class Browser:
    """One browser; pages are opened one after the other."""

    def __init__(self):
        self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.to = os.pipe()
        self.answers, to_write = os.pipe()
        command = [program(), "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu",
                   "--disable-extensions", "--disable-background-networking", "--disable-sync",
                   "--disable-component-update", "--hide-scrollbars", "--force-color-profile=srgb",
                   f"--user-data-dir={self.home.name}", "--disable-dev-shm-usage"]
        if os.geteuid() == 0:
            command.append("--no-sandbox")
        # the pipe is at 3 and 4
        shell = ["sh", "-c", f'exec "$@" 3<&{to_read} 4>&{to_write}', "sh", *command, "about:blank"]
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen(shell, pass_fds=(to_read, to_write), stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.number, self.buffer, self.events = 0, b"", []
        self.session = self.target = self.url = None

    def close(self):
        try:
            self.call("Browser.close")
        except (Failed, OSError):
            self.process.kill()
        self.process.wait(timeout=30)
        self.home.cleanup()

    def read(self, deadline):
        """The next message."""
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.answers], [], [], max(deadline - time.monotonic(), 0))
            piece = os.read(self.answers, 1 << 20) if ready else b""
            if not piece:
                raise Failed("the browser ended" if ready else "the browser does not answer")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session and not method.startswith(("Target.", "Browser.")):
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self.read(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failed(f"{method}: {answer['error'].get('message')}")
                return answer.get("result", {})
            if "method" in answer:
                self.events.append(answer)

    def new_page(self):
        """Closes the page before, if there is one."""
        if self.target:
            self.call("Target.closeTarget", targetId=self.target)
        self.session = None
        self.target = target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.events.clear()
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def open(self, path, width=1280, height=800, dark=False, timed=False):
        """Opens a file in a page of its own, and waits until it is built."""
        self.new_page()
        if timed:
            self.call("Page.addScriptToEvaluateOnNewDocument", source=TIMED)
        self.size(width, height)
        self.dark(dark)
        self.url = f"file://{path}"
        self.call("Page.navigate", url=self.url)
        self.wait("document.documentElement && document.documentElement.dataset.ready")
        self.frame()

    def open_without_scripts(self, path):
        self.new_page()
        self.call("Emulation.setScriptExecutionDisabled", value=True)
        self.url = f"file://{path}"
        self.call("Page.navigate", url=self.url)
        deadline = time.monotonic() + PATIENCE
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            event = self.read(deadline)
            if "method" in event:
                self.events.append(event)

    def text_of(self, selector):
        """Text of an element, without a script in the page."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        return self.call("DOM.getOuterHTML", nodeId=node)["outerHTML"]

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=False)

    def dark(self, dark):
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def run(self, script):
        """What an expression is; promises are awaited."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise Failed(answer["exceptionDetails"].get("exception", {}).get("description", script))
        return answer["result"].get("value")

    def wait(self, condition):
        deadline = time.monotonic() + PATIENCE
        while not self.run(f"Boolean({condition})"):
            if time.monotonic() > deadline:
                raise Failed(f"waited in vain for {condition}")
            time.sleep(0.05)

    def frame(self):
        """Until what was asked for is drawn."""
        self.run("new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")

    def key(self, key, modifiers=0):
        params = {"key": key, "modifiers": modifiers, "windowsVirtualKeyCode": KEY_CODES.get(key, ord(key[0]))}
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", **params, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **params)
        self.frame()

    def mouse(self, kind, x, y, **params):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **params)

    def click(self, x, y, count=1):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            held = {} if kind == "mouseMoved" else {"button": "left", "clickCount": count}
            self.mouse(kind, x, y, **held)
        self.frame()

    def drag(self, x, y, to_x, to_y, modifiers=0):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1, modifiers=modifiers)
        for part in (0.3, 0.7, 1):
            self.mouse("mouseMoved", x + (to_x - x) * part, y + (to_y - y) * part, button="left", buttons=1,
                       modifiers=modifiers)
        self.mouse("mouseReleased", to_x, to_y, button="left", clickCount=1, modifiers=modifiers)
        self.frame()

    def wheel(self, x, y, by):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=by)
        self.frame()

    def box(self, selector):
        """Where an element is on the screen, after it has been scrolled to."""
        found = f"document.querySelector({json.dumps(selector)})"
        self.run(f"{found}.scrollIntoView({{ block: 'center' }})")
        self.frame()
        return self.run(f"{found}.getBoundingClientRect().toJSON()")

    def click_on(self, selector):
        box = self.box(selector)
        self.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def picture(self):
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    def complaints(self):
        """Errors and warnings of the console, and requests for anything but the file itself."""
        self.run("0")
        found = []
        for event in self.events:
            params = event.get("params", {})
            if event["method"] == "Runtime.exceptionThrown":
                found.append("exception: " + json.dumps(params["exceptionDetails"])[:400])
            elif event["method"] == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                found.append("console: " + json.dumps(params["args"])[:400])
            elif event["method"] == "Log.entryAdded":
                found.append("log: " + params["entry"]["text"][:400])
            elif event["method"] == "Network.requestWillBeSent" and params["request"]["url"] != self.url:
                found.append("request: " + params["request"]["url"][:200])
        return found
