# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven over the WebDriver protocol by Debian's chromedriver."""
import base64
import json
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
           "--disable-background-networking", "--disable-component-update", "--disable-sync",
           "--disable-dev-shm-usage"]


def is_installed():
    return bool(shutil.which("chromium") and shutil.which("chromedriver"))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Browser:
    def __init__(self, dark=False):
        self.home = tempfile.TemporaryDirectory()
        self.port = free_port()
        self.driver = subprocess.Popen(["chromedriver", f"--port={self.port}"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.session = ""
        args = OPTIONS + [f"--user-data-dir={self.home.name}"]
        if dark:
            args.append("--force-dark-mode")
        wanted = {"browserName": "chrome", "goog:chromeOptions": {"args": args},
                  "goog:loggingPrefs": {"browser": "ALL"}}
        answer = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = "/session/" + answer["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        if self.session:
            self.ask("DELETE", self.session)
        self.driver.kill()
        self.driver.wait()
        self.home.cleanup()

    def ask(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, method=method,
                                         headers={"Content-Type": "application/json"})
        for attempt in range(100):  # the driver needs a moment to listen
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:
                    return json.load(answer)["value"]
            except urllib.error.HTTPError as e:
                raise RuntimeError(json.load(e)["value"]["message"]) from None
            except ConnectionRefusedError:
                time.sleep(0.1)
            except urllib.error.URLError as e:
                if not isinstance(e.reason, ConnectionRefusedError):
                    raise
                time.sleep(0.1)
        raise RuntimeError("chromedriver does not answer")

    def open(self, path):
        self.ask("POST", self.session + "/url", {"url": f"file://{path}"})

    def run(self, script, *args):
        return self.ask("POST", self.session + "/execute/sync", {"script": script, "args": args})

    def press(self, key):
        codes = {"ArrowDown": "\ue015", "ArrowUp": "\ue013", "Home": "\ue011", "End": "\ue010"}
        actions = [{"type": kind, "value": codes.get(key, key)} for kind in ("keyDown", "keyUp")]
        self.ask("POST", self.session + "/actions",
                 {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def size(self, width, height):
        self.ask("POST", self.session + "/window/rect", {"width": width, "height": height})

    def messages(self):
        return self.ask("POST", self.session + "/se/log", {"type": "browser"})

    def picture(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.ask("GET", self.session + "/screenshot")))
