"""What ``verify`` found, for people and for machines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from r2s.compiler.verify.check import Checked
from r2s.compiler.verify.equivalence import Distance
from r2s.compiler.verify.rebuild import Rebuilt

SCHEMA = "r2s-verify/1"


def screen(checked: Checked, rebuilt: Rebuilt | None = None) -> str:
    """Return what was checked, one line each; on damage one line a finding."""
    return "\n".join(
        [*_found(checked), *(_line("note", n) for n in checked.notes), *(_rebuilt(rebuilt) if rebuilt else ())]
    )


def as_json(checked: Checked, rebuilt: Rebuilt | None = None) -> dict[str, Any]:
    """Return the same as JSON-ready data (schema ``r2s-verify/1``); lengths in metres."""
    manifest = checked.manifest or {}
    return {
        "schema": SCHEMA,
        "holds": checked.holds,
        "asset": manifest.get("asset"),
        "build_key": manifest.get("build_key"),
        "outputs": checked.outputs,
        "findings": [asdict(finding) for finding in checked.findings],
        "notes": list(checked.notes),
        "rebuild": None if rebuilt is None else _rebuild_json(rebuilt),
    }


def _rebuild_json(rebuilt: Rebuilt) -> dict[str, Any]:
    found = asdict(rebuilt)
    if rebuilt.apart is not None:
        found["apart"]["within"] = rebuilt.apart.within
    return found


def _found(checked: Checked) -> Iterator[str]:
    manifest, place = checked.manifest, checked.place
    if manifest is not None:
        made = f"by r2s {manifest['tools']['r2s']} on {manifest['platform']['machine']}"
        yield _line("verify", f"{place.beside('xml')}   asset {manifest['asset'][:12]}   {made}")
    yield from (_line("DAMAGED", str(finding)) for finding in checked.findings)
    if manifest is None or checked.findings:
        return
    yield _line("manifest", "holds its own hash")
    yield _line("outputs", f"{checked.outputs} files hold their hashes; nothing else in {place.stem}.assets")
    yield _line("asset", "the hash of XML, scene, slots and meshes together holds")
    passes = len(manifest["passes"])
    yield _line("key", f"build key {manifest['build_key'][:12]} follows from {passes} passes; XML and scene carry it")


def _rebuilt(rebuilt: Rebuilt) -> Iterator[str]:
    if rebuilt.ground:
        yield _line("ground", f"another than of the build: {', '.join(rebuilt.ground)}")
    if rebuilt.verdict == "equal" and rebuilt.ground:
        yield _line("rebuild", "equal: the asset to the byte, but for the build key, which holds the versions")
    elif rebuilt.verdict == "equal":
        yield _line("rebuild", f"equal: {rebuilt.compared} files to the byte, manifest included")
    elif rebuilt.apart is not None:
        yield _line("rebuild", f"equivalent within {rebuilt.apart.within * 1e6:.3g} um: {_apart(rebuilt.apart)}")
    else:
        yield from (_line("DIFFERS", name) for name in rebuilt.files)


def _apart(apart: Distance) -> str:
    visual = "triangles are others" if apart.visual is None else f"{apart.visual * 1e6:.3g} um"
    return (
        f"pieces {apart.pieces * 1e6:.3g} um at most, visual {visual}, centre of mass {apart.com * 1e6:.3g} um, "
        f"mass {apart.mass * 100:.3g} %, inertia {apart.inertia * 100:.3g} %"
    )


def _line(name: str, text: str) -> str:
    return f"{name:<9}{text}"
