"""From a file to a Scan: read, clean, in metres, z up, with what the points say about their own quality."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np

from r2s.compiler.decision import KEEP_AXES
from r2s.compiler.errors import Diagnostic, InvalidInputError
from r2s.compiler.ir import Floats, Scan, Source, floats, ints
from r2s.compiler.ledger import Change, Scalar, StandardUncertainty, Term
from r2s.compiler.protocol import Outcome
from r2s.passes.points.clean import LIMIT, Cleaned, clean
from r2s.passes.points.coverage import NET_FLAG, Coverage, coverage, unseen_underside
from r2s.passes.points.frame import LEVEL, from_source, levelled, moved, rotation_of, tilt_of
from r2s.passes.points.points import Points
from r2s.passes.points.quality import BLIND
from r2s.passes.points.sides import Skins, skins
from r2s.passes.readers import read

SMALLEST, LARGEST = 1e-4, 10.0


@dataclass(frozen=True)
class Ingest:
    """
    Read a scan file and hand on clean points in metres, z up.

    unit     name of the file's unit, for messages; ``free`` where the factor came from calipers alone
    factor   metres for one of the file's numbers
    axes     which file axis, with its sign, becomes x, y and z (``+x-z+y`` for y up)
    support  ``auto`` cuts a table if there is one, ``cut`` insists on it, ``none`` keeps everything
    strays   ``drop`` or ``keep`` small clusters far from everything
    limit    most points of a cloud to keep; a denser one is averaged in the cells of a fixed grid
    """

    name: ClassVar[str] = "ingest"
    version: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("numpy", "scipy")

    unit: str = field(default="m", metadata={"given": True})
    factor: float = field(default=1.0, metadata={"given": True})
    axes: str = field(default=KEEP_AXES, metadata={"given": True})
    support: str = "auto"
    strays: str = "drop"
    limit: int = LIMIT

    def run(self, source: Source, /) -> Outcome[Scan]:
        """
        Return the scan with its noise, spacing, floor and coverage.

        Raises InvalidInputError for a file that cannot be read or whose points cannot make an object.
        """
        rotation = rotation_of(self.axes)
        found = clean(
            read(Path(source.path), source.format), support=self.support, strays=self.strays, limit=self.limit
        )
        turned = levelled(rotation, found.table)
        to_metres = from_source(found.scan.points, self.factor, turned)
        normals = found.scan.normals @ turned.T
        placed = Points(moved(found.scan.points, to_metres), normals, found.scan.faces)
        self._refuse_size(placed.points)

        noise, spacing = found.quality.noise * self.factor, found.quality.spacing * self.factor
        seen = coverage(placed)
        support, notes = _support(placed, seen, found, to_metres, noise, spacing)
        doubled = skins(placed, spacing, noise)
        scan = Scan(
            floats(placed.points, -1, 3),
            floats(placed.normals, -1, 3),
            ints(placed.faces, -1, 3),
            floats(to_metres, 4, 4),
            noise,
            spacing,
            found.quality.floor * self.factor,
            support,
            self.unit,
        )
        scan.verify()
        said = (*found.diagnostics, *self._changes(found), *_levelling(found, rotation), *notes, *_double_skin(doubled))
        return Outcome(scan, self._terms(found, seen, doubled), said)

    def _refuse_size(self, points: Floats) -> None:
        size = float(np.ptp(points, axis=0).max())
        if SMALLEST <= size <= LARGEST:
            return
        shown = f"{size:.4g} m" if size > LARGEST else f"{size * 1e3:.4g} mm"
        raise InvalidInputError(
            "R2S326",
            f"the object would be {shown} large with {self.factor:.4g} m for one of the file's numbers ({self.unit})",
            hint="the unit is probably wrong: give --unit, or a calibrate length in the caliper sheet",
        )

    def _changes(self, found: Cleaned) -> tuple[Diagnostic, ...]:
        said = []
        if found.cell > 0:
            what = (
                f"thinned {found.before} points to {found.cells}, averaged in cells of {_mm(found.cell * self.factor)}"
            )
            said.append(Diagnostic("note", "R2S330", what))
        if found.table is not None:
            height = float(found.table.above(found.scan.points).max()) * self.factor
            what = f"cut the support plane with {found.cut} points; the object stands {_mm(height)} above it"
            said.append(Diagnostic("warning", "R2S328", what, hint="-p ingest.support=none keeps the plane"))
        return tuple(said)

    def _terms(self, found: Cleaned, seen: Coverage, doubled: Skins) -> tuple[Term, ...]:
        quality, factor = found.quality, self.factor
        terms: list[Term] = [
            StandardUncertainty(
                "ingest.noise",
                "scatter of one point along the normal",
                quality.noise * factor,
                "m",
                "normal",
                max(quality.dof, 1.0),
                "estimated" if quality.dof else "assumed",
                quality.evidence,
                "white",
                "white:scan",
                BLIND,
            ),
            self._unit_term(),
            Change("ingest.points", "points", float(found.before), float(len(found.scan.points)), "1", "counted"),
            Scalar("ingest.spacing", _spacing_name(found), quality.spacing * factor, "m", "measured", "median"),
            Scalar(
                "ingest.spacing_p95", _spacing_name(found), quality.p95 * factor, "m", "measured", "95th percentile"
            ),
            Scalar("ingest.floor", "resolution floor", quality.floor * factor, "m", "estimated", _floor_rule(found)),
        ]
        if found.cell > 0:
            terms.append(
                Scalar("ingest.cell", "edge of the averaging cells", found.cell * factor, "m", "declared", "grid")
            )
            raw = found.raw_noise * factor
            terms.append(
                Scalar("ingest.raw_noise", "scatter before averaging", raw, "m", "estimated", "local quadrics")
            )
        if seen.net is not None and seen.area > 0:
            terms.append(
                Scalar("ingest.net_normal", "net normal over area", seen.fraction, "1", "measured", _hole(seen))
            )
        if seen.loops is not None and seen.rim is not None:
            terms.append(
                Scalar("ingest.boundary_loops", "open boundaries", float(seen.loops), "1", "measured", "edges")
            )
            terms.append(Scalar("ingest.boundary", "length of open boundaries", seen.rim, "m", "measured", "edges"))
        if doubled.gap > 0:
            terms.append(_registration(doubled))
        return tuple(terms)

    def _unit_term(self) -> StandardUncertainty:
        free = self.unit == "free"
        # Two significant digits leave at most 5 % open, all of which the scale pass closes.
        u = 0.05 / math.sqrt(3) if free else 0.0
        how = f"one of the file's numbers is {self.factor:.6g} m ({self.unit})"
        how += ", rounded to two digits: the scale pass finds the rest" if free else ""
        return StandardUncertainty(
            "ingest.unit", "ln scale", u, "1", "rectangular", math.inf, "declared", how, "discrete", "unit:scan"
        )


def _support(
    scan: Points, seen: Coverage, found: Cleaned, to_metres: Floats, noise: float, spacing: float
) -> tuple[float, tuple[Diagnostic, ...]]:
    if found.table is not None:
        on_table = np.array(found.table.normal) * found.table.height
        return float(moved(on_table[None, :], to_metres)[0, 2]), ()
    height = unseen_underside(scan, seen, noise, spacing)
    if math.isnan(height):
        return height, ()
    said = f"the underside was not seen; the object is taken to rest on the plane z = {_mm(height)}"
    return height, (Diagnostic("note", "R2S334", said),)


def _levelling(found: Cleaned, rotation: Floats) -> tuple[Diagnostic, ...]:
    if found.table is None or (tilt := tilt_of(found.table, rotation)) <= LEVEL:
        return ()
    said = f"the table was tilted by {math.degrees(tilt):.3g} degrees; the scan was turned so that it is level"
    return (Diagnostic("warning", "R2S335", said),)


def _double_skin(doubled: Skins) -> tuple[Diagnostic, ...]:
    if not doubled.gap > 0:
        return ()
    said = f"{doubled.share:.0%} of the points have a second skin behind them, {_mm(doubled.gap)} apart"
    return (Diagnostic("warning", "R2S337", said, hint="register the passes of the scanner again"),)


def _registration(doubled: Skins) -> StandardUncertainty:
    # The surface lies somewhere between the skins: a rectangle of half the gap.
    u = doubled.gap / 2 / math.sqrt(3)
    how = f"two skins {_mm(doubled.gap)} apart, seen from {doubled.share:.0%} of the points"
    return StandardUncertainty(
        "ingest.registration", "place of a skin", u, "m", "rectangular", math.inf, "measured", how, "form", "form:views"
    )


def _hole(seen: Coverage) -> str:
    if seen.net is None or not seen.fraction > NET_FLAG:
        return "closed within its sampling error; opposite holes cancel"
    x, y, z = -seen.net / np.linalg.norm(seen.net)
    area = float(np.linalg.norm(seen.net))
    return f"{area * 1e6:.4g} mm² are missing towards ({x:.2f}, {y:.2f}, {z:.2f}); opposite holes cancel"


def _mm(metres: float) -> str:
    return f"{metres * 1e3:.4g} mm"


def _spacing_name(found: Cleaned) -> str:
    return "edge length" if found.scan.is_mesh else "distance to the nearest neighbour"


def _floor_rule(found: Cleaned) -> str:
    return "3 σ: faces join the vertices" if found.scan.is_mesh else "the larger of 5 spacings and 3 σ"
