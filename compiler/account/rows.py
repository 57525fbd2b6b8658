"""The rows of one build, from its device, its scale fit, the terms of its passes and its caliper sheet."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from r2s.compiler.account.known import Known, Matter
from r2s.compiler.account.row import Row
from r2s.compiler.devices import Prior
from r2s.compiler.ledger import VOLUME, Method, StandardUncertainty
from r2s.compiler.measured import VIEWS

SCALE_ROW, UNFITTED_SCALE_ROW = "scale.fit", "ingest.scale"
OFFSET_ROW, SURFACE_OFFSET_ROW, UNSEEN_ROWS = "ingest.offset", "surface.offset", "surface.unseen."
CONTACT_ROWS = ("ingest.contact.noise", "ingest.contact.registration")
UNMEASURED = "no calibrate reading, and the class of device promises no scale"
UNFITTED = "the build stopped before the scale was fitted, and the class of device promises none"
_SCALE_BLIND = ("zero error common to all readings of one caliper", "mirror image")
_SCAN_BLIND = ("scale", "offset", "drift", "registration", "presmoothing")


def registration_row(view: str) -> str:
    """Return the id of the row of *view*."""
    return f"ingest.registration.{view}"


def drift_row(axis: str) -> str:
    """Return the id of the row of the relative error along *axis* against z."""
    return f"ingest.drift.{axis}"


def reading_row(id_: str) -> str:
    """Return the id of the row of how the reading *id_* was read on the scan."""
    return f"ingest.reading.{id_}"


def rows_of(known: Known) -> tuple[Row, ...]:
    """Return every row of *known*, in the order of the passes."""
    found = [*_of_device(known), *_of_readings(known)]
    if known.solid is not None:
        found += [*_of_contact(known), *_of_surface(known)]
    return (*found, _of_scale(known), *_of_matter(known))


def _of_device(known: Known) -> Iterator[Row]:
    offset = known.prior("offset")
    if offset is not None:
        kept = _narrowed(known, offset)
        yield _from_prior(kept, OFFSET_ROW, "surface offset", "offset", known.scan_source, "offset:scan")
    drift = known.prior("drift")
    if drift is not None:
        for axis in "xy":
            yield _from_prior(drift, drift_row(axis), "drift between axes", "scale", known.scan_source, f"drift:{axis}")
    registration = known.prior("registration")
    if registration is not None:
        for view in VIEWS:
            id_, group = registration_row(view), f"registration:{view}"
            yield _from_prior(registration, id_, "view registration", "form", known.scan_source, group)


def _narrowed(known: Known, prior: Prior) -> Prior:
    """Return what is left of the *prior* of the offset once the calibrate readings told it, if they can."""
    fitted = known.anchor.calibration.offset if known.anchor.calibration is not None else None
    if fitted is None or not fitted.identifiable:
        return prior
    if fitted.preferred != "scale":  # asked for by the readings and not corrected: it counts in full
        said = f"fit of scale and offset: {fitted.d * 1e3:+.3f} mm, which no pass corrects"
        return replace(prior, u=fitted.u_d, value=fitted.d, distribution="normal", method="measured", source=said)
    u = 1 / math.hypot(1 / fitted.u_d, 1 / math.hypot(prior.u, prior.value))
    said = f"{prior.source}; narrowed by the fit of scale and offset"
    return replace(prior, u=u, value=0.0, half_width=math.nan, distribution="normal", source=said)


def _from_prior(prior: Prior, id_: str, term: str, shape: str, source: str, group: str) -> Row:
    return Row(
        id=id_,
        made_by="ingest",
        term=term,
        shape=shape,  # type: ignore[arg-type]  # the callers' own words
        unit=prior.unit,
        u=prior.u,
        method=prior.method,
        evidence=prior.source,
        source=source,
        group=group,
        distribution=prior.distribution,
        half_width=prior.half_width,
        dof=prior.dof,
        value=prior.value,
    )


def _of_readings(known: Known) -> Iterator[Row]:
    for measured in known.scan:
        if measured.there:
            yield Row(
                id=reading_row(measured.id),
                made_by="ingest",
                term="reading of the scan",
                shape="white",
                unit="m",
                u=measured.u,
                method="estimated",
                evidence=f"{measured.how}: scatter of the points and form under the jaws",
                source=known.scan_source,
                group=f"white:{measured.id}",
                blind_to=_SCAN_BLIND,
            )


def _of_contact(known: Known) -> Iterator[Row]:
    """Yield how far the height of one place that touches the floor may be off, against that of another."""
    registration = known.prior("registration")
    if known.noise > 0:
        yield Row(
            id=CONTACT_ROWS[0],
            made_by="ingest",
            term="noise at the contacts",
            shape="white",
            unit="m",
            u=known.noise,
            method="estimated",
            evidence="scatter of single points about local fits",
            source=known.scan_source,
            group="white:contact",
            blind_to=_SCAN_BLIND,
        )
    if registration is not None:
        yield _from_prior(
            registration, CONTACT_ROWS[1], "view registration", "form", known.scan_source, "registration:contact"
        )


def _of_surface(known: Known) -> Iterator[Row]:
    """Yield how far the closed surface may lie off, where the passes said it as a doubt about volume."""
    for term in known.terms:
        if not (isinstance(term, StandardUncertainty) and term.quantity == VOLUME):
            continue
        name = term.id.rpartition(".")[2]
        offset = name == "offset"
        yield Row(
            id=SURFACE_OFFSET_ROW if offset else f"{UNSEEN_ROWS}{name}",
            made_by="surface",
            term="surface against scan" if offset else name,
            shape="offset" if offset else "missing",
            unit="m^3",
            u=term.u,
            method=term.method,
            evidence=term.evidence,
            source=known.scan_source,
            group=term.group,
            distribution=term.distribution,
            half_width=term.u * math.sqrt(3),
            dof=term.dof,
            blind_to=term.blind_to,
        )


def _of_scale(known: Known) -> Row:
    anchor, calibration = known.anchor, known.anchor.calibration
    if not math.isfinite(anchor.u):
        return _of_prior_scale(known)
    # what the fit owes to offset and to the reading of the scan is counted with those rows
    offset = calibration.u_offset if calibration is not None else 0.0
    own = math.sqrt(max(anchor.u**2 - offset**2 - known.u_read**2, 0.0))
    ids = [r.id for r in calibration.readings] if calibration is not None else []
    said = f"weighted fit of ln(caliper/scan) on {', '.join(ids)}"
    left = 0.0 if anchor.applied else math.log(anchor.fitted)
    return Row(
        id=SCALE_ROW,
        made_by="scale",
        term="scale",
        shape="scale",
        unit="1",
        u=own,
        method="measured",
        evidence=said if anchor.applied else f"{said}; what it found is not applied and counts as a bias",
        source=known.scale_source,
        group="scale:all",
        dof=anchor.dof,
        value=left,
        blind_to=_SCALE_BLIND,
    )


def _of_prior_scale(known: Known) -> Row:
    prior = known.prior("scale")
    if prior is not None:
        return _from_prior(prior, UNFITTED_SCALE_ROW, "scale", "scale", known.scan_source, "scale:all")
    return Row(
        id=UNFITTED_SCALE_ROW,
        made_by="ingest",
        term="scale",
        shape="scale",
        unit="1",
        u=math.inf,
        method="assumed",
        evidence=UNFITTED if known.stopped else UNMEASURED,
        source=known.scan_source,
        group="scale:all",
    )


def _of_matter(known: Known) -> Iterator[Row]:
    matter = known.matter
    if matter is None:
        return
    name, term = ("mass.balance", "mass") if matter.keeps == "mass" else ("mass.density", "density")
    yield Row(
        id=name,
        made_by="emit",
        term=term,
        shape="offset",
        unit="1",
        u=matter.u_mass / matter.mass if matter.mass else 0.0,
        method=matter.method,
        evidence=matter.provenance,
        source=known.sheet_source,
        group="mass",
        distribution="rectangular",
        half_width=matter.u_mass / matter.mass * math.sqrt(3) if matter.mass else 0.0,
    )
    yield from _of_fill(known, matter)


def _of_fill(known: Known, matter: Matter) -> Iterator[Row]:
    """Yield what another fill, or the accuracy of a balance point, would do to inertia and centre of mass."""
    of_com = zip("xyz", matter.com_half, matter.com_method, strict=False)
    wanted: list[tuple[str, str, float, Method]] = [("mass.fill", "1", matter.fill_half, "assumed")]
    for id_, unit, half, method in (*wanted, *((f"mass.com.{axis}", "m", half, how) for axis, half, how in of_com)):
        if half > 0:
            yield Row(
                id=id_,
                made_by="emit",
                term="balance point" if method == "measured" else "fill",
                shape="form",
                unit=unit,
                u=half / math.sqrt(3),
                method=method,
                evidence="how far the asset's slot reaches from the nominal, to the side where it reaches further",
                source=known.sheet_source,
                group=id_,
                distribution="rectangular",
                half_width=half,
            )
