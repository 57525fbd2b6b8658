#!/usr/bin/env bash
# Install one archive of r2s in a clean environment and try it: tests/smoke_archive.sh PYTHON ARCHIVE
#
# Versions come from the lock, so that a release elsewhere cannot turn this red.  The work is done in an empty folder:
# from the repository's root, `import compiler` would succeed by accident.
set -euo pipefail

python=$1
archive=$(realpath "$2")
lock=$(realpath requirements.lock)
cube=$(realpath fixtures/cube)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$python" -m venv env
env/bin/python -m pip install --quiet --require-hashes -r "$lock"
env/bin/python -m pip install --quiet --no-deps --no-build-isolation "$archive"

env/bin/python - <<'PY'
import importlib.util
from importlib.resources import files

import r2s.compiler
import r2s.passes
import r2s.virtual_scanner

for package in (r2s.compiler, r2s.passes, r2s.virtual_scanner):
    assert "site-packages" in package.__path__[0], package.__path__
    assert files(package.__name__).joinpath("py.typed").is_file(), f"{package.__name__} lost its py.typed"
for name in ("compiler", "passes", "fixtures"):
    assert importlib.util.find_spec(name) is None, f"{name} landed in site-packages"
PY
env/bin/r2s-compile --version
env/bin/r2s-compile --help > /dev/null
env/bin/r2s-compile "$cube/scan.ply" --calipers "$cube/measurements.yaml" -o cube.xml
env/bin/python -c 'import mujoco; assert mujoco.MjModel.from_xml_path("cube.xml").nbody >= 2'
echo "smoke: $(basename "$archive") works"
