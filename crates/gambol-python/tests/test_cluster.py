"""A sweep on processes: the same controllers as one after another, also when workers are killed."""

import os
import signal
import threading
import time
from pathlib import Path

from gambol.cluster import Settings, search, sweep, table

SETTINGS = Settings(budget=300, kept_every=60)


def kill_a_worker(stop: threading.Event) -> None:
    """One child of ours that searches, as soon as there is one."""
    me = os.getpid()
    while not stop.is_set():
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                stat = (entry / "stat").read_text().rsplit(")", 1)[1].split()
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if int(stat[1]) == me and b"spawn_main" in line:
                time.sleep(1.0)
                os.kill(int(entry.name), signal.SIGKILL)
                return
        time.sleep(0.02)


def test_workers_that_die_change_nothing(tmp_path: Path) -> None:
    alone = [search("hopper", seed, SETTINGS, str(tmp_path / "a")) for seed in (1, 2) if make(tmp_path / "a")]
    stop = threading.Event()
    killer = threading.Thread(target=kill_a_worker, args=(stop,))
    killer.start()
    found = sweep(["hopper"], [1, 2], SETTINGS, folder=tmp_path / "b", workers=2, ray=False)
    stop.set()
    killer.join()
    assert found == alone
    assert "hopper" in table(found)


def make(folder: Path) -> bool:
    folder.mkdir(exist_ok=True)
    return True
