#!/usr/bin/env bash
# Install each archive of r2s, try it, remove it: tests/smoke_archive.sh PYTHON ARCHIVE...
#
# Versions come from the lock, so that a release elsewhere cannot turn this red.  The work is done in an empty folder:
# from the repository's root, `import compiler` would succeed by accident.  SMOKE_ENV may name an environment that has
# the lock installed and r2s not; otherwise one is made, which takes minutes.
set -euo pipefail

python=$1
shift
archives=$(realpath "$@")
lock=$(realpath requirements.lock)
cube=$(realpath fixtures/cube)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

env=${SMOKE_ENV:-}
if [ -z "$env" ]; then
  env=$work/env
  "$python" -m venv "$env"
  "$env/bin/python" -m pip install --quiet --require-hashes -r "$lock"
fi

for archive in $archives; do
  "$env/bin/python" -m pip install --quiet --no-deps --no-build-isolation "$archive"
  "$env/bin/python" - <<'PY'
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
  "$env/bin/r2s-compile" --version
  mkdir out
  R2S_CACHE=$work/cache "$env/bin/r2s-compile" "$cube/scan.ply" --calipers "$cube/measurements.yaml" -o out/cube.xml
  "$env/bin/python" -c 'import mujoco; assert mujoco.MjModel.from_xml_path("out/cube.xml").nbody >= 2'
  rm -rf out cache
  "$env/bin/python" -m pip uninstall --quiet --yes r2s
  if "$env/bin/python" -c 'import r2s.compiler' 2> /dev/null; then
    echo "smoke: r2s.compiler is still there after $(basename "$archive") was removed" >&2
    exit 1
  fi
  echo "smoke: $(basename "$archive") installs, works and goes"
done
