"""Hulls to a MuJoCo asset: meshes, MJCF, scene and slots, compiled by MuJoCo and read back before they are believed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np

from r2s.compiler.errors import InvalidInputError, UsageError
from r2s.compiler.ir import Asset, Floats, Hulls, floats
from r2s.compiler.ledger import Scalar, StandardUncertainty, Term
from r2s.compiler.population import Choice, Objects
from r2s.compiler.protocol import Outcome
from r2s.compiler.readings import BalancePoint, Fill, Friction, Quantity
from r2s.compiler.slots import to_json
from r2s.passes.caliper.features import pose_of_surface
from r2s.passes.mjcf.balance import BOX_AXES, balance
from r2s.passes.mjcf.document import BUILD_KEY, Body, asset_xml, scene_xml
from r2s.passes.mjcf.form import form_of
from r2s.passes.mjcf.friction import friction_slots, judge_friction
from r2s.passes.mjcf.kind import keeps_of, over_kind
from r2s.passes.mjcf.mass import Mass, Matter, fill_with, judge_mass, weigh
from r2s.passes.mjcf.massprops import physical
from r2s.passes.mjcf.openslots import com_slots, inertia_slot, mass_slot, size_slot
from r2s.passes.mjcf.readback import compare, compile_texts
from r2s.passes.mjcf.rest import rest

_ORIGINS, _BODIES = ("base", "com", "scan"), ("free", "static")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")


@dataclass(frozen=True)
class Emit:
    """
    Write the asset.

    *origin* is ``base`` (centre of the closed surface's footprint, its lowest point), ``com``, or ``scan`` (the file's
    own origin); *body* is ``free`` or ``static``.  *model* names what is inside the MJCF, *stem* its files.
    *objects* is what was measured on others of its kind, *intervals* which slots speak of the kind and by which recipe.
    The other fields are the sheet's.
    """

    name: ClassVar[str] = "emit"
    version: ClassVar[int] = 2
    libraries: ClassVar[tuple[str, ...]] = ("mujoco", "numpy", "scipy")

    origin: Literal["base", "com", "scan"] = "base"
    body: Literal["free", "static"] = "free"
    model: str = field(default="asset", metadata={"given": True})
    stem: str = field(default="asset", metadata={"given": True})
    mass: Quantity | None = field(default=None, metadata={"given": True})
    density: Quantity | None = field(default=None, metadata={"given": True})
    fill: Fill = field(default=Fill(), metadata={"given": True})
    com: tuple[BalancePoint, ...] = field(default=(), metadata={"given": True})
    friction: tuple[Friction, ...] = field(default=(), metadata={"given": True})
    objects: Objects = field(default=Objects(), metadata={"given": True})
    intervals: tuple[Choice, ...] = field(default=(), metadata={"given": True})

    def __post_init__(self) -> None:
        """Raise UsageError for an unknown word, InvalidInputError for a name that cannot stand in a file or an MJCF."""
        for key, words in (("origin", _ORIGINS), ("body", _BODIES)):
            if getattr(self, key) not in words:
                raise UsageError("R2S711", f"emit.{key} is one of {', '.join(words)}, not {getattr(self, key)!r}")
        if not _NAME.fullmatch(self.model):
            hint = "use letters, digits, _ and -"
            raise InvalidInputError("R2S710", f"the asset cannot be called {self.model!r} inside an MJCF", hint=hint)
        if not self.stem or "/" in self.stem or not self.stem.isprintable() or BUILD_KEY in self.stem:
            raise InvalidInputError("R2S710", f"files cannot be called {self.stem!r}", hint="choose another -o")

    def run(self, source: Hulls, /) -> Outcome[Asset]:
        """Return the asset; raise InvalidInputError for impossible readings, SimulationError where MuJoCo disagrees."""
        factor, closed = source.anchor.factor, source.surface.first
        vertices = closed.vertices * factor
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        matter = fill_with(vertices, closed.faces, self.fill)
        mass = weigh(matter, self.mass, self.density)
        boxed = any(point.along in BOX_AXES for point in self.com)
        box = pose_of_surface(closed).rotation if boxed else np.eye(3)
        balanced = balance(matter.nominal.com, vertices, self.com, box)
        shift = self._shift(source, low, high, balanced.com)
        form = form_of(source, shift, self.model)
        frictions = friction_slots([part.geom for part in form.parts], self.friction)
        body = Body(
            name=self.model,
            folder=f"{self.stem}.assets",
            form=form,
            mass=mass.value,
            com=floats(balanced.com + shift),
            inertia=floats(physical(mass.value * matter.nominal.gyration)),
            friction=tuple(s.nominal for s in frictions),
            free=self.body == "free",
        )
        weight = replace(mass, keeps=keeps_of(self.objects, self.intervals, mass))
        known = (
            size_slot(self.model, source.anchor, weight),
            mass_slot(self.model, weight),
            inertia_slot(self.model, matter),
            *com_slots(self.model, matter, high - low, balanced),
            *frictions,
        )
        slots = over_kind(known, self.objects, self.intervals, source.anchor, weight, self.friction)
        asset = Asset(
            name=self.model,
            xml=asset_xml(body, slots, to_json(self.model, slots)),
            scene=scene_xml(body, f"{self.stem}.xml"),
            slots=to_json(self.model, slots, pretty=True) + "\n",
            file_names=tuple(form.files),
            file_bytes=tuple(form.files.values()),
            to_asset=floats([*np.column_stack([factor * np.eye(3), shift]), [0, 0, 0, 1]]),
            mass=body.mass,
            com=body.com,
            inertia=body.inertia,
            hulls=source,
        )
        said = (*judge_mass(matter, mass, self.density, factor), *balanced.diagnostics, *judge_friction(self.friction))
        return Outcome(asset, self._read_back(asset, body, matter, mass), said)

    def _shift(self, source: Hulls, low: Floats, high: Floats, com: Floats) -> Floats:
        """Return what takes the scaled surface, with its box *low* to *high* and its *com*, to the asset's frame."""
        match self.origin:
            case "com":
                return -com
            case "scan":
                return -source.surface.scan.from_source[:3, 3] * source.anchor.factor
            case _:
                return -np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])

    def _read_back(self, asset: Asset, body: Body, matter: Matter, mass: Mass) -> tuple[Term, ...]:
        model, scene = compile_texts(self.stem, asset.xml, asset.scene, dict(asset.files()))
        terms = compare(model, body)
        closed = "integral over the closed surface"
        return (
            *terms,
            *rest(scene, body),
            Scalar("emit.volume", "volume of the closed surface", matter.volume, "m3", "measured", closed),
            Scalar(
                "emit.density", "mass over filled volume", mass.value / matter.material, "kg/m3", mass.method, closed
            ),
            StandardUncertainty(
                id="emit.mass.u",
                quantity="mass",
                u=(mass.hi - mass.lo) / 2 / 3**0.5,
                unit="kg",
                distribution="rectangular",
                dof=float("inf"),
                method=mass.method,
                evidence=mass.provenance,
                shape="offset",
                group="mass",
                blind_to=("inner mass",),
                value=mass.value,
            ),
        )
