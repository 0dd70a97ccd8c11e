"""The seat belt: file, process, network and thread calls are refused on the probe's threads.

It is no sandbox. An audit hook cannot be removed again, so it does nothing at all on other threads.
"""
from __future__ import annotations

import contextlib
import os
import sys
import threading

from .base import ProbeRefused

REFUSALS: dict = {}  # thread id -> what was refused there; a thread is guarded while it has an entry

WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
DENIED_EVENTS = frozenset(
    """os.system os.exec os.posix_spawn os.spawn os.startfile os.fork os.forkpty os.remove os.rename os.rmdir os.mkdir
    os.truncate os.link os.symlink os.chmod os.chown os.chdir os.fchdir os.lockf os.setxattr os.removexattr os.putenv
    os.unsetenv os.kill os.killpg os.utime shutil.rmtree shutil.move shutil.copyfile shutil.copytree
    shutil.make_archive shutil.unpack_archive shutil.chown subprocess.Popen pty.spawn socket.connect socket.bind
    socket.sendto socket.sendmsg socket.getaddrinfo socket.gethostbyname ftplib.connect http.client.connect
    urllib.Request smtplib.connect imaplib.open poplib.connect telnetlib.Telnet.open nntplib.connect sqlite3.connect
    signal.pthread_kill tempfile.mkstemp tempfile.mkdtemp webbrowser.open winreg.SetValue
    _thread.start_new_thread _thread.start_joinable_thread""".split()
)


def refuse(what: str) -> None:
    REFUSALS.setdefault(threading.get_ident(), []).append(what)
    raise ProbeRefused(what)


@contextlib.contextmanager
def unguarded():
    """For JAX's own first steps: a backend that starts here starts threads of its own."""
    me = threading.get_ident()
    refused = REFUSALS.pop(me, None)
    try:
        yield
    finally:
        if refused is not None:
            REFUSALS[me] = refused


def _writes(path, mode, flags) -> bool:
    text = str(path)
    if text == os.devnull or (text.endswith(".pyc") or ".pyc." in text) and "__pycache__" in text:
        return False
    by_mode = isinstance(mode, str) and any(letter in mode for letter in "wax+")
    return by_mode or isinstance(flags, int) and bool(flags & WRITE_FLAGS)


def _audit(event: str, args: tuple) -> None:
    if not REFUSALS or threading.get_ident() not in REFUSALS:
        return
    if event == "open":
        if _writes(*args):
            refuse("writing the file %.120s" % (args[0],))
    elif event in DENIED_EVENTS:
        refuse(event)


def _guarded_start(start):
    def guarded(thread):
        if threading.get_ident() in REFUSALS:
            refuse("starting a thread")
        return start(thread)

    return guarded


_installed = False


def install_guard() -> None:
    """Once for each kernel process, at the first trace."""
    global _installed
    if _installed:
        return
    sys.addaudithook(_audit)
    _installed = True


class ThreadGuard:
    """Refuses `Thread.start` on probe threads: before Python 3.12 there is no audit event for it, and from there on the
    event comes when `threading` counts the thread already, and our exception leaves it counted."""

    def __enter__(self):
        self.start = threading.Thread.start
        threading.Thread.start = _guarded_start(self.start)

    def __exit__(self, *error):
        threading.Thread.start = self.start
