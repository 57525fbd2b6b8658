"""In which frame stages are written: the asset's where the build got so far, so that all lie on one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from r2s.compiler.ir import Asset, Floats, Scan, floats
from r2s.compiler.manager import Trace
from r2s.compiler.store import Store

_MEANING = {
    "asset": "the asset's: metres, z up, with the scale and the origin of the XML",
    "scan": "the scan's: metres, z up, before any scale that calipers give; no asset was made",
}


@dataclass(frozen=True, eq=False)
class Frame:
    """
    The frame of the files, ``asset`` or ``scan``.

    *placing* (4, 4) takes what the passes work in, the scan's metric frame, to it; *from_file* (4, 4) the numbers in
    the scan's file.  Both only scale and move what the ingest has turned upright.
    """

    name: str
    placing: Floats
    from_file: Floats

    @property
    def meaning(self) -> str:
        """The frame in words."""
        return _MEANING[self.name]

    @property
    def factor(self) -> float:
        """By what lengths of the passes' frame are multiplied."""
        return float(self.placing[0, 0])

    def place(self, points: Floats) -> Floats:
        """Return *points* (n, 3) m of the passes' frame in this one."""
        return floats(points @ self.placing[:3, :3].T + self.placing[:3, 3])


def frame_of(store: Store, traces: Sequence[Trace]) -> Frame:
    """Return the frame that fits what *traces* got to."""
    values = [store.fields(t.digest) for t in traces if t.name in ("ingest", "emit")]
    to_asset = next((v.to_asset for v in values if isinstance(v, Asset)), None)
    upright = next((v.from_source for v in values if isinstance(v, Scan)), np.eye(4))
    placing = np.eye(4) if to_asset is None else to_asset
    return Frame("scan" if to_asset is None else "asset", floats(placing), floats(placing @ upright))
