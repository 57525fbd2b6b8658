"""
From scans of known artefacts to what is known of their scanner: scale and offset by least squares, the rest pooled.

A face that lies d too far out on a scan whose lengths are e too large reads L(1 + e) + 2d for L, so lengths of
different size tell the two apart, and one length never does: its row is e·L + 2d together.  Artefacts are measured from
outside; the correlation that the fit leaves between the two goes into the profile.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from r2s.compiler.chi2 import chi2_tail
from r2s.compiler.devices.device import Correlation, Device
from r2s.compiler.devices.prior import UNIT, Distribution, Name, Prior
from r2s.compiler.gls import Errors, Weighing, regress
from r2s.compiler.probed import Artefact, Length, Probed, Spread
from r2s.compiler.uncertainty.student import coverage_factor

SPREAD = 1.3  # largest over smallest length from which on scale and offset are told apart
WIDEST = 0.01  # half-width of the scale that is assumed where one length must do and no class was named
DOUBTFUL = 0.05  # upper tail of chi², under which what the fit leaves widens it (Birge)
SIGNIFICANT = 2.0


@dataclass(frozen=True)
class Check:
    """One scan of an artefact: *u* is the standard uncertainty of each of its sizes, m, *found* what was seen."""

    artefact: Artefact
    u: float
    found: Probed


@dataclass(frozen=True, slots=True)
class Joint:
    """What a scan shows of one *length*, m: *error* as scanned less reference, m, with *u* and *dof*."""

    length: float
    error: float
    u: float
    dof: float


@dataclass(frozen=True)
class Fitted:
    """
    What the scans say.

    *priors* are the terms of a profile; *joint* the error of each length by itself; *untold* says by term why the scans
    do not tell it.  *repeat* is the scatter of a length between scans of it, None without repeats.  *chi2* and
    *chi2_dof* are what the fit of scale and offset left, *widened* the factor that its uncertainties were widened by.
    """

    priors: Mapping[Name, Prior]
    correlations: tuple[Correlation, ...]
    joint: tuple[Joint, ...]
    untold: Mapping[Name, str]
    repeat: Spread | None
    chi2: float
    chi2_dof: int
    widened: float


def fit_device(checks: Sequence[Check], known: Device | None) -> Fitted:
    """
    Return what *checks* say of the scanner; *known* is the class that its owner says it is of.

    Terms that the scans do not tell are those of the class, marked as assumed; without a class they are left out.
    """
    lengths = [(check, length) for check in checks for length in check.found.lengths]
    repeat = _repeat(lengths)
    priors: dict[Name, Prior] = {}
    untold: dict[Name, str] = {}
    correlations: tuple[Correlation, ...] = ()
    chi2, chi2_dof, widened = 0.0, 0, 1.0
    if lengths:
        fit = _fit(lengths, repeat, known)
        priors |= {"scale": fit.scale, "offset": fit.offset}
        correlations = (Correlation("scale", "offset", fit.r),)
        chi2, chi2_dof, widened = fit.chi2, fit.chi2_dof, fit.widened
        if fit.assumed:
            untold["scale"] = f"lengths of {_range(lengths)} do not tell it from offset: scan a second, larger one"
    else:
        untold |= dict.fromkeys(("scale", "offset"), "a plate has no length")
    priors["registration"] = _registration(checks, repeat)
    drift = _drift(checks, known)
    if drift is None:
        untold["drift"] = "scan a sphere from all sides to see it"
    elif drift.method == "assumed":
        untold["drift"] = "the sphere shows none, and the class knows it better than that"
        priors["drift"] = drift
    else:
        priors["drift"] = drift
    noise = _noise([check.found.noise for check in checks])
    where = f"scatter of points about the local mean, {_of(checks)}"
    priors["noise"] = _measured("noise", 0.0, noise.sigma, noise.dof, where)
    for name, prior in (known.priors if known is not None else {}).items():
        if name not in priors and math.isnan(prior.of_noise):
            priors[name] = replace(prior, source=f"{prior.source} (class {known.name if known else ''})")
    joint = tuple(
        Joint(length.reference, length.value - length.reference, math.hypot(length.u, check.u), length.dof)
        for check, length in lengths
    )
    order: tuple[Name, ...] = ("scale", "offset", "registration", "drift", "noise")
    return Fitted(
        {n: priors[n] for n in order if n in priors}, correlations, joint, untold, repeat, chi2, chi2_dof, widened
    )


@dataclass(frozen=True)
class _Fit:
    scale: Prior
    offset: Prior
    r: float
    chi2: float
    chi2_dof: int
    widened: float
    assumed: bool


Lengths = Sequence[tuple[Check, Length]]


def _fit(lengths: Lengths, repeat: Spread | None, known: Device | None) -> _Fit:
    observed = [length.value - length.reference for _, length in lengths]
    columns = [[length.reference for _, length in lengths], [2.0] * len(lengths)]
    form = _pooled([check.found.form for check, _ in lengths])
    alone = [_alone(check, length, form, repeat) for check, length in lengths]
    errors = Errors(
        tuple(spread.sigma for spread in alone),
        tuple(check.u for check, _ in lengths),
        tuple(f"{check.artefact.kind} {check.artefact.sizes} {length.reference!r}" for check, length in lengths),
    )
    sizes = [length.reference for _, length in lengths]
    prior = _assumed_scale(known) if max(sizes) < SPREAD * min(sizes) else None
    weighing = Weighing(errors, 1.0)
    before = (prior.u if prior is not None else None, None)
    solution = regress(observed, columns, before, weighing)
    assert solution is not None, "lengths that spread, or a prior of the scale, make it regular"
    dof = len(lengths) - 2 + (prior is not None)
    spare = dof - (prior is not None)
    p = chi2_tail(solution.chi2, dof) if spare > 0 else 1.0
    widened = math.sqrt(solution.chi2 / dof) if p < DOUBTFUL and solution.chi2 > dof else 1.0
    units = [[float(i == k) for i in range(len(lengths))] for k in range(len(lengths))]
    moved = [regress(unit, columns, before, weighing) for unit in units]
    dofs = []
    for k in (0, 1):
        parts = [(m.values[k] * s.sigma, s.dof) for m, s in zip(moved, alone, strict=True) if m is not None]
        below = math.fsum(u**4 / d for u, d in parts)
        free = solution.u(k) ** 4 / below if below > 0 else math.inf
        dofs.append(min(free, float(spare)) if widened > 1 else free)
    r = solution.covariance[0][1] / (solution.u(0) * solution.u(1))
    how = f"least squares of {len(lengths)} length{'s' if len(lengths) > 1 else ''} of {_range(lengths)}"
    offset = _measured("offset", solution.values[1], solution.u(1) * widened, dofs[1], how)
    if prior is not None:
        offset = replace(offset, source=f"{how}; what scale may hold of it is in u")
    scale = prior or _measured("scale", solution.values[0], solution.u(0) * widened, dofs[0], how)
    return _Fit(scale, offset, r, solution.chi2, dof, widened, prior is not None)


def _alone(check: Check, length: Length, form: Spread, repeat: Spread | None) -> Spread:
    """
    Return what the length draws anew at each scan: what scans show of it, or what it does between them, if more.

    How far regions lie off is the scanner's and not the scan's, so all scans' *form* counts for each.  Else the scans
    that look better by chance would weigh more, and a mean weighed so is less sure than its weights say.
    """
    own, pooled = 2 * check.found.form.sigma**2, 2 * form.sigma**2  # a length ends on two regions
    one = Spread(math.sqrt(max(length.u**2 - own, 0.0) + pooled), length.dof)
    return repeat if repeat is not None and repeat.sigma > one.sigma else one


def _assumed_scale(known: Device | None) -> Prior:
    prior = known.prior("scale") if known is not None else None
    if prior is not None and known is not None:
        return replace(prior, source=f"{prior.source} (class {known.name})")
    source = f"within {WIDEST:.0%}, as no class was named with --device"
    return Prior("scale", "1", WIDEST / math.sqrt(3), WIDEST, 0.0, math.inf, "rectangular", "assumed", source)


def _repeat(lengths: Lengths) -> Spread | None:
    """Return the standard deviation of a length between scans of one artefact, pooled over lengths."""
    groups: dict[object, list[float]] = {}
    for check, length in lengths:
        groups.setdefault((check.artefact, length.reference), []).append(length.value)
    squares, dof = 0.0, 0
    for values in groups.values():
        mean = math.fsum(values) / len(values)
        squares += math.fsum((v - mean) ** 2 for v in values)
        dof += len(values) - 1
    return Spread(math.sqrt(squares / dof), float(dof)) if dof else None


def _registration(checks: Sequence[Check], repeat: Spread | None) -> Prior:
    """Return how far a region or face lies off as a whole, by one scan's form or by what lengths do between scans."""
    form = _pooled([check.found.form for check in checks])
    if repeat is not None and repeat.sigma / math.sqrt(2) > form.sigma:  # a length ends on two faces
        how = f"scatter of lengths between {len(checks)} scans, over √2"
        return _measured("registration", 0.0, repeat.sigma / math.sqrt(2), repeat.dof, how)
    how = f"regions of the surface against the fitted shape, less noise, {_of(checks)}"
    return _measured("registration", 0.0, form.sigma, form.dof, how)


def _drift(checks: Sequence[Check], known: Device | None) -> Prior | None:
    """
    Return how unlike lengths along two axes are: u covers what was seen, or what could not be told from nothing.

    The mean square of a difference that was seen holds its own variance already (GUM F.2.4.5 for the rest: nothing
    corrects it).
    """
    seen = [check.found.drift for check in checks if check.found.drift is not None]
    if not seen:
        return None
    weight = math.fsum(1 / d.u**2 for d in seen)
    x_z = math.fsum(d.x_z / d.u**2 for d in seen) / weight
    y_z = math.fsum(d.y_z / d.u**2 for d in seen) / weight
    u, rms = 1 / math.sqrt(weight), math.hypot(x_z, y_z) / math.sqrt(2)
    of_class = known.prior("drift") if known is not None else None
    if of_class is not None and rms < SIGNIFICANT * u and of_class.u < u:
        return replace(of_class, source=f"{of_class.source} (class {known.name if known else ''})")
    how = f"ovality of {'a sphere' if len(seen) == 1 else f'{len(seen)} spheres'}: x-z {x_z:+.1e}, y-z {y_z:+.1e}"
    return _measured("drift", 0.0, max(rms, u), math.fsum(d.dof for d in seen), how)


def _pooled(spreads: Sequence[Spread]) -> Spread:
    dof = math.fsum(s.dof for s in spreads)
    return Spread(math.sqrt(math.fsum(s.sigma**2 * s.dof for s in spreads) / dof), dof)


def _noise(spreads: Sequence[Spread]) -> Spread:
    """
    Return the pooled noise with degrees of freedom that also hold what scans differ in.

    Views that overlap are placed anew at every scan, which moves all of its points' scatter at once; the scatter of the
    scans' own figures shows that, with few degrees of freedom, so Student's t replaces the normal factor.
    """
    pooled = _pooled(spreads)
    if len(spreads) < 2:
        return pooled
    of_mean = math.fsum((s.sigma**2 - pooled.sigma**2) ** 2 for s in spreads) / (len(spreads) * (len(spreads) - 1))
    wider = coverage_factor(0.95, len(spreads) - 1) / coverage_factor(0.95, math.inf)
    seen = 2 * pooled.sigma**4 / (of_mean * wider**2) if of_mean > 0 else math.inf
    return Spread(pooled.sigma, min(pooled.dof, seen))


def _measured(name: Name, value: float, u: float, dof: float, source: str) -> Prior:
    shape: Distribution = "t" if math.isfinite(dof) else "normal"
    return Prior(name, UNIT[name], u, math.nan, value, dof, shape, "measured", source)


def _range(lengths: Lengths) -> str:
    sizes = sorted({length.reference * 1e3 for _, length in lengths})
    return f"{sizes[0]:.6g} mm" if len(sizes) == 1 else f"{sizes[0]:.6g} to {sizes[-1]:.6g} mm"


def _of(checks: Sequence[Check]) -> str:
    return "1 scan" if len(checks) == 1 else f"{len(checks)} scans"
