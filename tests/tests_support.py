"""What tests of whole builds share: the installed command, the cube fixture, and the files of a folder as bytes."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
CUBE = ROOT / "fixtures" / "cube"
COMMAND = Path(sys.executable).with_name("r2s-compile")


def files(folder: Path) -> dict[str, bytes]:
    """Return every file below *folder* by its relative name."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
