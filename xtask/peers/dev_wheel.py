"""Makes a wheel of a laid-out package, as pip and Blender take it: for tests of what cargo has built. Prints its path.

Arguments: the folder that holds the package `gambol` with its module, the version, and a folder to write to.
"""

import base64
import hashlib
import sys
import sysconfig
import zipfile
from pathlib import Path


def main() -> None:
    package, version, target = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag = f"cp311-abi3-{platform}"
    info = f"gambol-{version}.dist-info"
    files = {file.relative_to(package).as_posix(): file.read_bytes() for file in sorted(package.rglob("*")) if file.is_file()}
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: gambol\nVersion: {version}\n".encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: gambol\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    target.mkdir(parents=True, exist_ok=True)
    out = target / f"gambol-{version}-{tag}.whl"
    # Stored fast: nobody downloads it.
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    print(out)


main()
