"""
The process that runs passes: one per build, pinned to one CPU, its output captured, its memory and time limited.

Native libraries crash, hang, print and use every core they see; none of that may reach the user or the bytes.
So they run here.  The manager talks to this process in lines of JSON; values travel through the store by digest.
Run as ``python -m r2s.compiler.worker``; :class:`Worker` is the manager's end.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from r2s.compiler.errors import PassFailedError, R2SError, error_class

_POOLS = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM")
_ONE_THREAD = {f"{pool}_NUM_THREADS".replace("MAXIMUM_NUM", "MAXIMUM"): "1" for pool in _POOLS}


_PATIENCE = 4  # seconds on the clock to one of CPU time


@dataclass(frozen=True, slots=True)
class Limits:
    """
    What one pass may use: *seconds* of CPU, *memory* in bytes of address space beyond the libraries' own.

    CPU time, so that a busy machine does not fail a build that a quiet one finishes; four times as long on the clock is
    the end for a pass that waits for something.
    """

    seconds: float = 120.0
    memory: int = 8 << 30


class Worker:
    """
    The manager's end of the worker; it starts on the first request and is replaced after a crash or a limit.

    *store* is the root of the shared store.  Use as a context manager, so that no process is left behind.
    """

    def __init__(self, store: Path, limits: Limits) -> None:
        self._store, self._limits = store, limits
        self._process: subprocess.Popen[bytes] | None = None
        self._log: Any = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, name: str, request: dict[str, Any], tick: Callable[[float], None] | None = None) -> dict[str, Any]:
        """
        Return the worker's answer to *request*; raise what the pass raised, or PassFailedError after a crash or a
        limit.

        *name* is the pass, for messages; *tick* is called with the seconds so far about ten times a second.
        """
        process = self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        begun, used = time.monotonic(), _cpu_seconds(process.pid)
        line = b""
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            while not line.endswith(b"\n"):
                spent = time.monotonic() - begun
                busy = _cpu_seconds(process.pid) - used
                if busy > self._limits.seconds or spent > _PATIENCE * self._limits.seconds:
                    raise self._over_time(name)
                if tick is not None:
                    tick(spent)
                if select.select([process.stdout], [], [], 0.1)[0]:
                    part = os.read(process.stdout.fileno(), 1 << 20)
                    if not part:
                        raise self._crashed(name)
                    line += part
        except BrokenPipeError:
            raise self._crashed(name) from None
        except BaseException:
            self.close()  # a half-answered worker is of no more use
            raise
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            error = answer["error"]
            raise error_class(error["class"])(error["code"], error["message"], hint=error["hint"])
        return answer

    def close(self) -> None:
        """End the process at once, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            self._process = None
        if self._log is not None:
            self._log.close()
            self._log = None

    def _start(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._log = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as the worker
            arguments = [str(self._store), str(self._limits.memory), str(os.getpid())]
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "r2s.compiler.worker", *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                env={**os.environ, **_ONE_THREAD, "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8", "TZ": "UTC"},
            )
        return self._process

    def _over_time(self, name: str) -> R2SError:
        self.close()
        return PassFailedError(
            "R2S811",
            f"{name} did not finish within its {self._limits.seconds:g} s of CPU time",
            hint="allow more with --limit 300s, or give a smaller scan",
        )

    def _crashed(self, name: str) -> R2SError:
        process, tail = self._process, ""
        code = process.wait() if process is not None else 0
        if self._log is not None:
            self._log.seek(0, os.SEEK_END)
            self._log.seek(max(0, self._log.tell() - 400))
            tail = " ".join(self._log.read().decode("utf-8", "replace").split())[-200:]
        self.close()
        how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        said = f": {tail}" if tail else ""
        gib = self._limits.memory / (1 << 30)
        return PassFailedError(
            "R2S812",
            f"a library broke down in {name} ({how}){said}",
            hint=f"its memory limit is {gib:g} GiB (--limit 16GiB); if that is not it, please report the scan",
        )


def main(arguments: list[str]) -> None:
    """Serve requests from stdin until it closes; the arguments are the store, the memory limit and the parent's pid."""
    root, memory, parent = Path(arguments[0]), int(arguments[1]), int(arguments[2])
    _die_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the manager decides what an interrupt means
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints goes to the log
    pin = _pin()
    # libraries count CPUs and threads when they load, so everything else comes after the pin
    import resource

    from r2s.compiler.serve import Server

    server = Server(root)
    usable = _address_space() + memory
    resource.setrlimit(resource.RLIMIT_AS, (usable, resource.RLIM_INFINITY))
    for line in sys.stdin.buffer:
        replies.write(json.dumps(server.answer(json.loads(line))).encode() + b"\n")
        replies.flush()
    del pin


def _die_with(parent: int) -> None:
    """Ask the kernel to end this process when its parent ends, however that ends (Linux)."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    except (OSError, AttributeError):
        return
    if os.getppid() != parent:
        os._exit(1)


def _pin() -> object:
    """
    Pin this process to one CPU and return what holds the claim.

    A lock file per CPU keeps the workers of parallel builds apart; with more builds than CPUs they share.
    """
    if not hasattr(os, "sched_setaffinity"):
        return None
    import fcntl

    cpus = sorted(os.sched_getaffinity(0))
    folder = Path(tempfile.gettempdir()) / f"r2s-cpus-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        for cpu in cpus:
            claim = open(folder / str(cpu), "w")  # noqa: SIM115  # held until the process ends
            try:
                fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                claim.close()
                continue
            os.sched_setaffinity(0, {cpu})
            return claim
    except OSError:
        pass
    os.sched_setaffinity(0, {cpus[os.getpid() % len(cpus)]})
    return None


def _cpu_seconds(pid: int) -> float:
    """Return the CPU seconds that process *pid* has used, user and system; 0 where the kernel does not say."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return 0.0


def _address_space() -> int:
    """Return the bytes of address space in use now; libraries reserve much that they never touch."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


if __name__ == "__main__":
    main(sys.argv[1:])
