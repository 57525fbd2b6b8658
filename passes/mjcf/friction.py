"""Friction of the asset: what the sheet gives, or assumptions that say so, as slots on every collision geom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from r2s.compiler.errors import Diagnostic
from r2s.compiler.readings import Friction
from r2s.compiler.slots import Slot, Target
from r2s.passes.mjcf.openslots import RECIPES


@dataclass(frozen=True, slots=True)
class _Kind:
    """One of the three numbers of ``geom_friction``: its place, and what is assumed when nobody measured it."""

    index: int
    nominal: float
    lo: float
    hi: float
    unit: str
    meaning: str


# In the order of geom_friction.  What is assumed is judgement: dry everyday materials; MuJoCo's defaults for two.
_KINDS = {
    "slide": _Kind(
        0, 0.6, 0.3, 1.0, "1", "sliding coefficient; the asset's priority makes it hold whatever the other surface says"
    ),
    "spin": _Kind(1, 0.005, 0.001, 0.02, "m", "torsional coefficient, the size of a contact patch"),
    "roll": _Kind(2, 0.0001, 0.00001, 0.001, "m", "rolling coefficient; acts where condim is 6, and the asset has 4"),
}


def friction_slots(geoms: Sequence[str], given: tuple[Friction, ...]) -> tuple[Slot, ...]:
    """Return the slots slide, spin and roll, each on all *geoms*; the first of several readings is nominal."""
    return tuple(_slot(kind, geoms, tuple(f for f in given if f.kind == kind)) for kind in _KINDS)


def judge_friction(given: tuple[Friction, ...]) -> tuple[Diagnostic, ...]:
    """Return notes on what was assumed, merged or left out."""
    notes = []
    slides = [f for f in given if f.kind == "slide"]
    if not slides:
        k = _KINDS["slide"]
        text = f"nobody measured friction: {k.nominal:g} [{k.lo:g}, {k.hi:g}] ASSUMED"
        notes.append(Diagnostic("note", "R2S702", text, "add friction: {slide: ...} to the caliper sheet"))
    if len(slides) > 1:
        lo, hi = min(f.low for f in slides), max(f.high for f in slides)
        text = f"{len(slides)} sliding frictions: {slides[0].value:g} is nominal, the slot covers {lo:g} to {hi:g}"
        notes.append(Diagnostic("note", "R2S716", text, "put the counter-surface of your scene first"))
    if any(f.kind == "damping" for f in given):
        text = "damping is not used: the asset has no joint that could be damped"
        notes.append(Diagnostic("note", "R2S715", text))
    return tuple(notes)


def _slot(kind: str, geoms: Sequence[str], found: tuple[Friction, ...]) -> Slot:
    k = _KINDS[kind]
    nominal = found[0].value if found else k.nominal
    return Slot(
        name=f"friction/{kind}",
        unit=k.unit,
        nominal=nominal,
        lo=min([f.low for f in found] or [k.lo]),
        hi=max([f.high for f in found] or [k.hi]),
        distribution="uniform" if found else "log_uniform",
        operation="abs",
        method=found[0].method if found else "assumed",
        meaning=k.meaning,
        provenance="; ".join(map(_said, found)) or "nobody measured it: dry everyday materials",
        joint_group=f"friction/{kind}",
        targets=tuple(Target("geom", name, "geom_friction", k.index) for name in geoms),
        recipe=RECIPES[found[0].method] if found else "assumed",
    )


def _said(friction: Friction) -> str:
    against = f" against {friction.against}" if friction.against else ""
    evidence = f", readings {friction.readings_sha256[:8]}" if friction.readings_sha256 else ""
    return f"{friction.method} {friction.value:g} [{friction.low:g}, {friction.high:g}]{against}{evidence}"
