"""A kernel gateway that asks for a token, and a Jupyter server that has its kernels there: processes of their own."""
from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import websocket

START_LIMIT = 90.0
HOST = "127.0.0.1"


class Server:
    """The front server's address, and what a browser asks of it."""

    def __init__(self, port: int, token: str) -> None:
        self.base, self.token, self.port = f"http://{HOST}:{port}", token, port

    def ask(self, path: str, body: Any = None) -> Any:
        """The decoded answer to a GET, or to a POST where there is a body."""
        return fetch(f"{self.base}/{path}", self.token, body)


class Kernel:
    """A kernel as a browser has it: over the server's websocket."""

    def __init__(self, server: Server, kernel_id: str) -> None:
        self.id, self.session = kernel_id, uuid.uuid4().hex
        address = f"ws://{HOST}:{server.port}/api/kernels/{kernel_id}/channels?session_id={self.session}"
        self.socket = websocket.create_connection(f"{address}&token={server.token}", timeout=60)

    def close(self) -> None:
        self.socket.close()

    def execute(self, content: dict[str, Any]) -> dict[str, Any]:
        """Sends an `execute_request`; the content of its reply, when the kernel is idle again."""
        header = {"msg_id": uuid.uuid4().hex, "msg_type": "execute_request", "session": self.session,
                  "username": "", "version": "5.3"}
        self.socket.send(json.dumps({"channel": "shell", "header": header, "parent_header": {}, "metadata": {},
                                     "content": content, "buffers": []}))
        reply, is_idle = None, False
        while reply is None or not is_idle:
            message = json.loads(self.socket.recv())
            if message["parent_header"].get("msg_id") != header["msg_id"]:
                continue
            if message["msg_type"] == "execute_reply":
                reply = message["content"]
            is_idle = is_idle or message["content"].get("execution_state") == "idle"
        return reply

    def run(self, code: str) -> None:
        """Runs a cell."""
        reply = self.execute({"code": code, "silent": False, "store_history": True, "user_expressions": {},
                              "allow_stdin": False, "stop_on_error": True})
        assert reply["status"] == "ok", reply


def fetch(url: str, token: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data, {"Authorization": f"token {token}"}), timeout=60) as answer:
        return json.load(answer)


@contextmanager
def server_with_gateway(folder: Path) -> Iterator[tuple[Server, str]]:
    """The front server, and the gateway's address. The front one is stopped first: it hangs without its gateway."""
    gateway_port, port = free_ports(2)
    gateway_token, token = uuid.uuid4().hex, uuid.uuid4().hex
    gateway = f"http://{HOST}:{gateway_port}"
    with ExitStack() as stack:
        stack.enter_context(_process(
            folder, "gateway.log", "kernel_gateway", f"--KernelGatewayApp.ip={HOST}",
            f"--KernelGatewayApp.port={gateway_port}", f"--KernelGatewayApp.auth_token={gateway_token}",
        ))
        _wait_for(f"{gateway}/api", gateway_token)
        stack.enter_context(_process(
            folder, "server.log", "jupyter_server", f"--ServerApp.ip={HOST}", f"--ServerApp.port={port}",
            f"--IdentityProvider.token={token}", "--ServerApp.open_browser=False", "--allow-root",
            f"--ServerApp.root_dir={folder}", "--ServerApp.jpserver_extensions={'jupyterlab_jaxhints': True}",
            f"--gateway-url={gateway}", f"--GatewayClient.auth_token={gateway_token}",
        ))
        _wait_for(f"http://{HOST}:{port}/api", token)
        yield Server(port, token), gateway


def free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((HOST, 0))
        return [each.getsockname()[1] for each in sockets]


@contextmanager
def _process(folder: Path, log: str, module: str, *options: str) -> Iterator[None]:
    with (folder / log).open("wb") as output:
        process = subprocess.Popen([sys.executable, "-m", module, *options], stdout=output, stderr=output, cwd=folder,
                                   env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_for(url: str, token: str) -> None:
    end = time.monotonic() + START_LIMIT
    while True:
        try:
            fetch(url, token)
            return
        except HTTPError:
            raise
        except (URLError, OSError):
            if time.monotonic() > end:
                raise
            time.sleep(0.2)
