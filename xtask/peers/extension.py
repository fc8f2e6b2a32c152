"""Packs the extension for Blender: its Python, a manifest that names the wheel, and the wheel. Prints the path of the zip.

Arguments: the folder of the extension, a wheel of gambol for one platform, and a folder to write to.
"""

import re
import sys
import zipfile
from pathlib import Path

# What Blender calls the platforms of wheels.
PLATFORMS = (
    ("linux.*x86_64", "linux-x64"),
    ("linux.*aarch64", "linux-arm64"),
    ("macosx.*arm64", "macos-arm64"),
    ("macosx.*x86_64", "macos-x64"),
    ("win_amd64", "windows-x64"),
    ("win_arm64", "windows-arm64"),
)
# The same bytes from the same files.
LONG_AGO = (2026, 1, 1, 0, 0, 0)


def platform(wheel: Path) -> str:
    return next(name for pattern, name in PLATFORMS if re.search(pattern, wheel.stem))


def main() -> None:
    source, wheel, target = map(Path, sys.argv[1:4])
    manifest = (source / "blender_manifest.toml").read_text()
    version = re.search(r'^version = "(.+)"', manifest, re.MULTILINE)
    assert version is not None
    manifest += f'\nplatforms = ["{platform(wheel)}"]\nwheels = ["./wheels/{wheel.name}"]\n'
    target.mkdir(parents=True, exist_ok=True)
    out = target / f"gambol-{version[1]}-{platform(wheel)}.zip"
    files = {"blender_manifest.toml": manifest.encode(), f"wheels/{wheel.name}": wheel.read_bytes()}
    for file in (*source.glob("*.py"), source / "LICENSE", source / "README.md"):
        files[file.name] = file.read_bytes()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in sorted(files.items()):
            packed.writestr(zipfile.ZipInfo(name, LONG_AGO), data, zipfile.ZIP_DEFLATED)
    print(out)


main()
