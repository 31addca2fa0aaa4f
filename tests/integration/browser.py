"""A headless Chromium, driven over its debugging pipe: commands and events are JSON texts that end with a zero byte."""

import json
import os
import select
import shutil
import subprocess
import time

CHROMIUM = shutil.which("chromium")
WAIT = 60  # seconds for any one answer


class Browser:
    def __init__(self, profile):
        commands, self._write = os.pipe()
        self._read, answers = os.pipe()
        # The browser reads commands from descriptor 3 and writes to 4.
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{commands} 4>&{answers}', "bash", CHROMIUM, "--headless", "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-extensions", f"--user-data-dir={profile}",
             "--remote-debugging-pipe", "about:blank"],
            pass_fds=(commands, answers), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self._buffer = b""
        self._count = 0
        self.events = []

    def close(self):
        os.close(self._write)  # the browser ends with its pipe
        try:
            self._process.wait(WAIT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._read)

    def _message(self, deadline):
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser does not answer")
            received = os.read(self._read, 1 << 20)
            if not received:
                raise ConnectionError("the browser has ended")
            self._buffer += received
        text, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, session=None, **parameters):
        self._count += 1
        command = {"id": self._count, "method": method, "params": parameters}
        if session:
            command["sessionId"] = session
        os.write(self._write, json.dumps(command).encode() + b"\0")
        deadline = time.monotonic() + WAIT
        while True:
            message = self._message(deadline)
            if message.get("id") == self._count:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def wait_for(self, event, session):
        deadline = time.monotonic() + WAIT
        while not any(seen["method"] == event and seen.get("sessionId") == session for seen in self.events):
            self.events.append(self._message(deadline))


class Page:
    """One page of the browser, of a given width, light or dark, without a network."""

    def __init__(self, browser, path, width=1280, scheme="light"):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(f"{domain}.enable")
        self.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        self.scheme(scheme)
        self.call("Page.navigate", url=path.as_uri())
        browser.wait_for("Page.loadEventFired", self.session)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def evaluate(self, expression):
        """The value of a JavaScript expression, by way of JSON."""
        answer = self.call("Runtime.evaluate", expression=f"JSON.stringify({expression})", returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return json.loads(answer["result"]["value"])

    def wait_until(self, expression):
        deadline = time.monotonic() + WAIT
        while not self.evaluate(expression):
            if time.monotonic() > deadline:
                raise TimeoutError(expression)
            time.sleep(0.02)

    def _events(self, *names):
        return [seen["params"] for seen in self.browser.events
                if seen.get("sessionId") == self.session and seen["method"] in names]

    def complaints(self):
        """Errors and warnings of the console, uncaught exceptions, and what the browser logged."""
        logged = [seen["entry"] for seen in self._events("Log.entryAdded")]
        called = [seen for seen in self._events("Runtime.consoleAPICalled") if seen["type"] in ("error", "warning", "assert")]
        return logged + called + self._events("Runtime.exceptionThrown")

    def requests(self):
        return [seen["request"]["url"] for seen in self._events("Network.requestWillBeSent")]

    def close(self):
        self.call("Page.close")
