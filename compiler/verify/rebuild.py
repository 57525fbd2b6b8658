"""Builds an asset again from its inputs, into an empty cache and an empty folder, and compares what comes out."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from r2s.compiler.driver import run
from r2s.compiler.errors import NotReproducibleError
from r2s.compiler.files import read_regular
from r2s.compiler.manager import Observer
from r2s.compiler.request import again
from r2s.compiler.verify.equivalence import Distance, distance, read_shape
from r2s.compiler.verify.inputs import Found, staged
from r2s.compiler.verify.places import LIMIT, Place
from r2s.compiler.worker import Limits

Files = dict[str, bytes]


@dataclass(frozen=True)
class Rebuilt:
    """
    How a rebuild compares.

    ``equal``: every byte that had to be equal is.  ``equivalent``: on other *ground* (the platform or versions that
    are not those of the first build), *apart* by a measured distance.  ``differs``: on the same ground, the *files*
    differ, and *first* is the first pass whose value does; empty if every pass gave the same.
    """

    verdict: Literal["equal", "equivalent", "differs"]
    files: tuple[str, ...]
    compared: int
    first: str
    ground: tuple[str, ...]
    apart: Distance | None


def rebuild(
    place: Place, manifest: Mapping[str, Any], found: Found, limits: Limits, observe: Observer = lambda _: None
) -> Rebuilt:
    """
    Build again with the options of *manifest* from the inputs *found*, and compare with the asset at *place*.

    Raises what a build raises, and NotReproducibleError where the first build wrote an asset and this one would not.
    """
    with tempfile.TemporaryDirectory(prefix="r2s-verify-") as text:
        folder = Path(text)
        inputs = folder / "inputs"
        inputs.mkdir()
        of = staged(found, manifest, inputs)
        output = folder / "out" / f"{place.stem}.xml"
        request = again(
            manifest["request"],
            scan=of.scan,
            output=output,
            calipers=of.calipers,
            instances=of.instances,
            device=of.device,
            cache=folder / "cache",
            limits=limits,
        )
        made = run(request, observe)
        if made.failure is not None or made.written is None:
            said = made.failure.message if made.failure is not None else "it stops before an asset"
            raise NotReproducibleError("R2S826", f"built again, the asset is not written: {said}", hint=_REPORT)
        now = json.loads(output.with_name(f"{place.stem}.manifest.json").read_bytes())
        names = (f"{place.stem}.manifest.json", *sorted({**manifest["outputs"], **now["outputs"]}))
        return _compared(place, manifest, now, _files(place.folder, names), _files(output.parent, names))


def must_be_near(rebuilt: Rebuilt, furthest: float | None = None) -> None:
    """Raise NotReproducibleError if the rebuild *differs*, or is measured to be over *furthest* metres away."""
    if rebuilt.verdict == "differs":
        where = f"{rebuilt.first} is the first pass whose value differs"
        if not rebuilt.first:
            where = "every pass gave the same value, so what was written differs"
        names = ", ".join(rebuilt.files[:4]) + (", ..." if len(rebuilt.files) > 4 else "")
        what = f"built again, {len(rebuilt.files)} of {rebuilt.compared} files differ ({names}); {where}"
        raise NotReproducibleError("R2S826", what, hint=_REPORT)
    if furthest is not None and rebuilt.apart is not None and rebuilt.apart.within > furthest:
        away, allowed = rebuilt.apart.within * 1e6, furthest * 1e6
        what = f"built again, the asset is {away:.3g} um away, and {allowed:.3g} um are allowed"
        raise NotReproducibleError("R2S827", what, hint="install the versions that the manifest names")


_REPORT = "the same inputs, options, versions and platform must give the same bytes: please report it with both"


def _files(folder: Path, names: tuple[str, ...]) -> Files:
    return {name: read_regular(folder / name, LIMIT) for name in names if (folder / name).is_file()}


def _compared(place: Place, then: Mapping[str, Any], now: Mapping[str, Any], old: Files, new: Files) -> Rebuilt:
    ground = _ground(then, now)
    if ground:
        apart = _apart(place, then, now, old, new)
        equal = apart is None
        return Rebuilt("equal" if equal else "equivalent", (), len(then["outputs"]), "", ground, apart)
    names = sorted({**old, **new})
    differing = tuple(name for name in names if old.get(name) != new.get(name))
    return Rebuilt("differs" if differing else "equal", differing, len(names), first_differing(then, now), (), None)


def first_differing(then: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return the first pass whose value differs between two manifests, empty if none does."""
    for before, after in zip(then["passes"], now["passes"], strict=True):
        if before["digest"] != after["digest"]:
            return str(before["name"])
    return ""


def _ground(then: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, ...]:
    """Return in words where platform and versions are other than those of the first build."""
    a = {**then["tools"], **then["platform"]}
    b = {**now["tools"], **now["platform"]}
    return tuple(
        f"{key} {_short(a.get(key, 'absent'))} -> {_short(b.get(key, 'absent'))}"
        for key in sorted({**a, **b})
        if a.get(key) != b.get(key)
    )


def _short(value: object) -> str:
    text = str(value)
    return text[:12] if len(text) == 64 else text


def _apart(place: Place, then: Mapping[str, Any], now: Mapping[str, Any], old: Files, new: Files) -> Distance | None:
    """Return how far the two assets are apart; None where they are equal but for the build key, which must differ."""
    old_asset, new_asset = _asset(place, then, old), _asset(place, now, new)
    if old_asset == new_asset:
        return None
    xml = f"{place.stem}.xml"
    return distance(
        read_shape(old_asset[xml], _meshes(place, old_asset)), read_shape(new_asset[xml], _meshes(place, new_asset))
    )


def _asset(place: Place, manifest: Mapping[str, Any], files: Files) -> Files:
    """Return the files of the asset itself, without the build key that versions and platform enter."""
    beside = {f"{place.stem}.manifest.json", f"{place.stem}.report.json"}
    key = str(manifest["build_key"]).encode()
    return {name: data.replace(key, b"") for name, data in files.items() if name not in beside}


def _meshes(place: Place, files: Files) -> Files:
    folder = f"{place.stem}.assets/"
    return {name.removeprefix(folder): data for name, data in files.items() if name.startswith(folder)}
