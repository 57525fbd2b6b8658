"""
Residuals about a fitted shape, patch by patch: what is noise of a point, and what a whole region shares.

A patch holds many points, so their noise nearly cancels in its mean; what is left there was put in place wrongly as a
whole (registration, a bent depth).  Fits to patch means weigh every part of the surface alike, however the points
crowd, and their scatter counts each region once, which a covariance from points alone would count a thousand times.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from r2s.compiler.ir import Floats, Ints

FEWEST = 12  # points that make a patch
_CELLS = 4  # noise is read about a plane in u and v of a patch, whose three coefficients and mean it costs


@dataclass(frozen=True, eq=False)
class Patches:
    """
    Seen patches of a surface.

    means   (p) of the residuals, in the unit of the points
    rows    (p, k) of the design matrix, averaged over each patch's points
    counts  (p) of points
    noise   standard deviation of one point about the patch's own trend
    dof     of *noise*, from how much patches differ in it
    total   number of patches that a wholly seen surface would have
    """

    means: Floats
    rows: Floats
    counts: Ints
    noise: float
    dof: float
    total: int

    @property
    def seen(self) -> float:
        """Share of the surface that holds points."""
        return len(self.means) / self.total


def in_patches(label: Ints, total: int, residual: Floats, rows: Floats, place: Floats) -> Patches:
    """
    Return the patches of points with *label* (n) below *total*, their *residual* (n) and design *rows* (n, k).

    *place* (n, 2 or 3) is where the points lie, for the trend within a patch.  Patches of fewer than 12 points, or
    under a tenth of the usual number, are not seen.
    """
    counts = np.bincount(label, minlength=total)
    usual = float(np.median(counts[counts > 0])) if (counts > 0).any() else 0.0
    seen = np.flatnonzero(counts >= max(FEWEST, 0.1 * usual))
    means, design, squares, frees = [], [], [], []
    for patch in seen:
        at = np.flatnonzero(label == patch)
        means.append(float(residual[at].mean()))
        design.append(rows[at].mean(axis=0))
        squares.append(_about_trend(residual[at], place[at]))
        frees.append(len(at) - place.shape[1] - 1)
    free = np.array(frees, dtype=np.float64)
    total_squares, total_free = float(np.sum(squares)), float(free.sum())
    noise = sqrt(total_squares / total_free) if total_free > 0 else 0.0
    return Patches(
        np.array(means, dtype=np.float64),
        np.array(design, dtype=np.float64).reshape(len(seen), rows.shape[1]),
        counts[seen],
        noise,
        _dof(np.array(squares), free),
        total,
    )


def _about_trend(residual: Floats, place: Floats) -> float:
    """Return the sum of squares about the linear trend over *place*."""
    design = np.column_stack([np.ones(len(place)), place - place.mean(axis=0)])
    left = residual - design @ np.linalg.lstsq(design, residual, rcond=None)[0]
    return float(left @ left)


def _dof(squares: Floats, free: Floats) -> float:
    """
    Return the degrees of freedom of the pooled variance, by how much the patches' own variances scatter.

    Where all have one noise that is Σ free (Welch and Satterthwaite); where they differ, as fewer, since the pooled
    figure is then known only as well as the patches represent the surface.
    """
    if len(free) < 2 or squares.sum() == 0:
        return float(free.sum())
    variance = squares / free
    pooled = squares.sum() / free.sum()
    of_mean = float(np.sum(free**2 * (variance - pooled) ** 2)) / float(free.sum()) ** 2 * len(free) / (len(free) - 1)
    return float(min(free.sum(), 2 * pooled**2 / of_mean)) if of_mean > 0 else float(free.sum())


@dataclass(frozen=True, eq=False)
class PatchFit:
    """
    Least squares through patch means.

    values      (k) of the parameters
    covariance  (k, k), from the scatter of the means with *dof* degrees of freedom
    form        standard deviation of what a patch shares beyond noise, never under what the scatter could hide
    form_dof    of *form*
    span        of the means about the fit, largest less smallest
    """

    values: Floats
    covariance: Floats
    dof: float
    form: float
    form_dof: float
    span: float


def fitted(patches: Patches) -> PatchFit | None:
    """Return the fit, or None where there are not more patches than parameters, or they do not tell these apart."""
    means, rows = patches.means, patches.rows
    count, unknown = rows.shape
    if count <= unknown or np.linalg.matrix_rank(rows) < unknown:
        return None
    inverse = np.linalg.pinv(rows.T @ rows, hermitian=True)
    values = inverse @ rows.T @ means
    left = means - rows @ values
    dof = float(count - unknown)
    variance = float(left @ left) / dof
    by_noise = patches.noise**2 * float(np.mean(1.0 / patches.counts))
    hidden = variance * sqrt(2 / dof)  # standard uncertainty of the variance itself
    form2 = max(variance - by_noise, hidden)
    form_dof = max(dof * (form2 / variance) ** 2, 1.0) if variance > 0 else dof
    covariance = np.asarray(inverse * variance, dtype=np.float64)
    return PatchFit(values, covariance, dof, sqrt(form2), form_dof, float(np.ptp(left)))
