"""A sweep on processes: the same controllers as one after another, also when workers are killed."""

import os
import signal
import threading
import time
from pathlib import Path

from gambol.cluster import Settings, search, sweep, table

SETTINGS = Settings(budget=400, kept_every=40)


def kill_a_worker(folder: Path, killed: list[int]) -> None:
    """One child of ours that searches, as soon as it has something to go on from."""
    for _ in range(3000):
        if any(folder.glob("*.checkpoint")):
            for entry in Path("/proc").glob("[0-9]*"):
                try:
                    parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                    is_worker = b"spawn_main" in (entry / "cmdline").read_bytes()
                    if parent == os.getpid() and is_worker:
                        os.kill(int(entry.name), signal.SIGKILL)
                        killed.append(int(entry.name))
                        return
                except OSError:
                    continue
        time.sleep(0.01)


def test_workers_that_die_change_nothing(tmp_path: Path) -> None:
    own, shared = tmp_path / "own", tmp_path / "shared"
    own.mkdir()
    alone = [search("hopper", seed, SETTINGS, str(own)) for seed in (1, 2)]
    killed: list[int] = []
    killer = threading.Thread(target=kill_a_worker, args=(shared, killed))
    killer.start()
    found = sweep(["hopper"], [1, 2], SETTINGS, folder=shared, workers=2, ray=False)
    killer.join()
    assert killed, "nobody was killed: the test shows nothing"
    assert found == alone
    assert "hopper" in table(found)
