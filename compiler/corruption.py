"""A damage done to a scan file on purpose, and the file that came of it: what a check is tried on."""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass
from typing import Literal

ScanKind = Literal["scale", "axis_scale", "offset", "mirror", "swap", "unit", "bottom", "floater", "noise"]
Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Corruption:
    """
    One damage, in the file's own numbers.

    *size* is a factor (scale, axis_scale, unit), a length (offset; noise: standard deviation along each axis), a share
    of the height (bottom) or of the points (floater); mirror and swap have none.  *axis* names the file's axis, for
    swap the one that the object is turned about, by a quarter; empty where there is none.  *up* is the file's up axis
    with its sign, as in ``+z``.
    """

    kind: ScanKind
    size: float = 0.0
    axis: str = ""
    up: str = "+z"


@dataclass(frozen=True, slots=True)
class Corrupted:
    """
    The damaged file and what is known of it.

    *packed* is its bytes, a PLY, compressed and in base 64, since a record of the store holds no arrays.  *matrix*
    (4×4, row-major) is where a place of the original lies in it, for damages that move places.  *apart* is how far the
    99th percentile of either's points lies from the other's nearest, and *alike* what two scans of one shape with this
    density may differ by: below it nothing was changed.  *touched* counts the points that were changed, taken or added;
    *points* are all of the original.  *impossible* says why the damage cannot be done to this scan; then there is no
    file.
    """

    packed: str
    matrix: Matrix
    apart: float
    alike: float
    touched: int
    points: int
    impossible: str = ""

    @property
    def data(self) -> bytes:
        """The bytes of the PLY."""
        return zlib.decompress(base64.b64decode(self.packed))


def packed(data: bytes) -> str:
    """
    Return *data* as a record of the store can hold it.

    >>> Corrupted(packed(b"ply"), (), 0.0, 0.0, 0, 0).data
    b'ply'
    """
    return base64.b64encode(zlib.compress(data, 6)).decode("ascii")
