"""
What a scan of a known artefact tells of its scanner: lengths beside their references, noise, form, ovality.

The artefact's size is the measure here, so nothing of it is fitted: a sphere has the radius that its points have.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from r2s.compiler.errors import Diagnostic, InvalidInputError, UsageError
from r2s.compiler.ir import Floats, Source
from r2s.compiler.probed import Artefact, Drift, Length, Probed, Spread
from r2s.compiler.protocol import Outcome
from r2s.compiler.units import NAMED_SCAN_UNITS, nearest_named_unit
from r2s.passes.artefacts.flat import Flat, fit_block, fit_plate
from r2s.passes.artefacts.sphere import Ball, fit_sphere
from r2s.passes.points import points as _points
from r2s.passes.points.clean import clean
from r2s.passes.points.points import Points
from r2s.passes.points.quality import noise_of
from r2s.passes.readers import read
from r2s.passes.readers.raw import RawScan

_NEAR = 0.08  # ln of length over reference: more is another unit, or another artefact


@dataclass(frozen=True, eq=False)
class _Seen:
    """Points (n, 3) in the file's numbers, their noise there, and how many a table took with it."""

    points: Floats
    noise: float
    cut: int
    diagnostics: tuple[Diagnostic, ...]


def _cleaned(raw: RawScan) -> _Seen:
    cleaned = clean(raw)
    return _Seen(cleaned.scan.points, cleaned.quality.noise, cleaned.cut, cleaned.diagnostics)


def _flat_points(raw: RawScan) -> _Seen:
    """Return the points of a plate: a build refuses what has no thickness, and would cut it away as a table."""
    whole = Points(np.asarray(raw.points, dtype=np.float64), np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64))
    whole, lost = _points.without_holes(whole)
    usable = len(whole.points)
    whole, copies = _points.in_order(whole)
    _points.refuse_too_few(whole.points, usable)
    noise = noise_of(whole.points)[0]
    return _Seen(whole.points, noise, 0, (*raw.diagnostics, *lost, *copies))


@dataclass(frozen=True)
class Probe:
    """
    Hold the scan against *artefact*; *unit* as given with ``--unit``, empty where the file or the artefact tells it.

    The table under it is cut away as in a build, and so is what lies apart.
    """

    name: ClassVar[str] = "probe"
    version: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("numpy", "scipy")

    artefact: Artefact
    unit: str = ""

    def run(self, source: Source, /) -> Outcome[Probed]:
        """
        Return what was found.

        Raises UsageError for an unknown unit; InvalidInputError for a scan that cannot be used, is no such artefact
        (R2S340), shows too little of it (R2S341), or has another size than the artefact in that unit (R2S342).
        """
        if self.unit and self.unit not in NAMED_SCAN_UNITS:
            what, hint = f"no unit is called {self.unit!r}", f"use {', '.join(NAMED_SCAN_UNITS)}"
            raise UsageError("R2S312", what, hint=hint)
        raw = read(Path(source.path), source.format)
        flat = self.artefact.kind == "plate"
        seen = _flat_points(raw) if flat else _cleaned(raw)
        declared = self.unit or raw.unit or ""
        how = "given with --unit" if self.unit else "defined by the file's format"
        if flat:
            found = self._plate(seen, declared, how)
        elif self.artefact.kind == "sphere":
            found = self._sphere(seen, declared, how)
        else:
            found = self._block(seen, declared, how)
        return Outcome(found, diagnostics=seen.diagnostics)

    def _sphere(self, seen: _Seen, declared: str, how: str) -> Probed:
        ball = fit_sphere(seen.points, seen.noise)
        (diameter,) = self.artefact.sizes
        unit, settled = self._unit([(2 * ball.radius, diameter)], declared, how)
        m = NAMED_SCAN_UNITS[unit]
        form = Spread(ball.fit.form * m, ball.fit.form_dof)
        # A diameter ends on two places of the surface, each misplaced as a region is: √2 form.  The fit sees none of
        # what all places share, so averaging over the sphere does not lower it.
        by_fit = 4 * float(ball.fit.covariance[0, 0]) * m**2
        by_form = 2 * form.sigma**2
        length = Length(
            diameter, 2 * ball.radius * m, math.sqrt(by_fit + by_form), _joined(by_fit, ball.fit.dof, by_form, form), ""
        )
        return Probed(
            "sphere", unit, settled, int(ball.used.sum()), int((~ball.used).sum()) + seen.cut, ball.patches.seen,
            (length,), Spread(ball.patches.noise * m, ball.patches.dof), form, ball.fit.span * m, _drift(ball),
        )  # fmt: skip

    def _plate(self, seen: _Seen, declared: str, how: str) -> Probed:
        if not declared:
            what = "the scan has no unit, and a plate has no length to tell it by"
            raise InvalidInputError("R2S301", what, hint="give --unit, as in --unit mm")
        flat, on = fit_plate(seen.points, seen.noise)
        return self._of_faces((flat,), (), on, seen, declared, how)

    def _block(self, seen: _Seen, declared: str, how: str) -> Probed:
        sides, flats, on = fit_block(seen.points, seen.noise, self.artefact.sizes)
        pairs = [(side.value, self.artefact.sizes[side.which]) for side in sides]
        unit, settled = self._unit(pairs, declared, how)
        m = NAMED_SCAN_UNITS[unit]
        lengths = tuple(
            Length(known, side.value * m, side.u * m, side.dof, side.axis)
            for side, (_, known) in zip(sides, pairs, strict=True)
        )
        return self._of_faces(flats, lengths, on, seen, unit, settled)

    def _of_faces(
        self, flats: tuple[Flat, ...], lengths: tuple[Length, ...], on: int, seen: _Seen, unit: str, settled: str
    ) -> Probed:
        m = NAMED_SCAN_UNITS[unit]
        noise = _pooled([(f.patches.noise, f.patches.dof) for f in flats])
        form = _pooled([(f.fit.form, f.fit.form_dof) for f in flats])
        return Probed(
            kind=self.artefact.kind,
            unit=unit,
            settled=settled,
            points=on,
            left_out=len(seen.points) - on + seen.cut,
            seen=float(np.mean([f.patches.seen for f in flats])) * (len(flats) / 6 if lengths else 1.0),
            lengths=lengths,
            noise=Spread(noise[0] * m, noise[1]),
            form=Spread(form[0] * m, form[1]),
            span=max(f.fit.span for f in flats) * m,
            drift=None,
        )

    def _unit(self, pairs: list[tuple[float, float]], declared: str, how: str) -> tuple[str, str]:
        """Return the unit under which the scanned lengths are those of the artefact, and how it is known."""
        ratio = math.exp(sum(math.log(known / value) for value, known in pairs) / len(pairs))  # m for a number
        named = nearest_named_unit(ratio)
        value, known = pairs[0]
        if not declared:
            if named is None:
                what = f"the {self.artefact.kind} measures {value:.6g} in the scan's numbers and {known * 1e3:.6g} mm"
                said = f"{what} in fact: {ratio:.4g} m for a number is near no unit"
                hint = "a scale that is free at every scan cannot be checked; else check the size that was named"
                raise InvalidInputError("R2S342", said, hint=hint)
            return named, f"the {self.artefact.kind} says {ratio / NAMED_SCAN_UNITS[named]:.5f} {named} for a number"
        if abs(math.log(ratio / NAMED_SCAN_UNITS[declared])) > _NEAR:
            as_read = value * NAMED_SCAN_UNITS[declared] * 1e3
            what = f"in {declared} ({how}) the {self.artefact.kind} measures {as_read:.6g} mm, and {known * 1e3:.6g} mm"
            hint = f"it fits in {named}: give --unit {named}" if named else "check the size that was named"
            raise InvalidInputError("R2S342", f"{what} were named", hint=hint)
        return declared, how


def _drift(ball: Ball) -> Drift | None:
    if ball.oval is None:
        return None
    x_z, y_z = (float(v) for v in ball.oval.values[4:6])
    by_fit = float(np.mean(np.diag(ball.oval.covariance)[4:6]))
    by_form = (ball.fit.form / ball.radius) ** 2  # two diameters against one another, each √2 form
    dof = _joined(by_fit, ball.oval.dof, by_form, Spread(ball.fit.form, ball.fit.form_dof))
    return Drift(x_z, y_z, math.sqrt(by_fit + by_form), dof)


def _joined(a: float, dof_a: float, b: float, of_b: Spread) -> float:
    """Return the degrees of freedom of a sum of two variances (Welch and Satterthwaite, GUM G.4.1)."""
    below = a**2 / dof_a + b**2 / of_b.dof
    return (a + b) ** 2 / below if below > 0 else dof_a + of_b.dof


def _pooled(spreads: list[tuple[float, float]]) -> tuple[float, float]:
    dof = sum(d for _, d in spreads)
    return math.sqrt(sum(s**2 * d for s, d in spreads) / dof), dof
