"""
The one door to Open3D.

Its wheel links against libusb-1.0, which bare machines lack, and then fails to import.  The ``libusb-package``
distribution carries that library; loading it first, with its symbols global, satisfies the loader.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from types import ModuleType
from typing import Any


@cache
def open3d() -> Any:
    """Return the ``open3d`` module, quiet, with libusb loaded from ``libusb-package`` where the system has none."""
    import libusb_package

    library = libusb_package.get_library_path()
    if library is not None:
        ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
    # Its viewer brings a web framework along, four fifths of the import; nothing here draws.
    sys.modules.setdefault("open3d.visualization", ModuleType("open3d.visualization"))
    import open3d

    open3d.utility.set_verbosity_level(open3d.utility.VerbosityLevel.Error)
    return open3d
