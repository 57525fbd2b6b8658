"""
Compares an asset on the disk with its manifest: every output and its hash, nothing else among them, every key.

The manifest is taken as somebody may have left it: no name in it leads out of the asset's folder, and its keys must
follow from what it says of inputs, options and versions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from r2s.compiler.action import key_of
from r2s.compiler.codec import canonical, sha256
from r2s.compiler.files import read_regular
from r2s.compiler.instances import digest_of_sheet
from r2s.compiler.ir import Source
from r2s.compiler.outputs import combined_hash
from r2s.compiler.strict_json import parse_json
from r2s.compiler.verify.places import LIMIT, OUTPUTS, Place
from r2s.compiler.verify.reading import DamagedManifestError, read_manifest

_KEY_IN_XML = re.compile(rb'<text name="build_key" data="([^"]*)"')
_KEY_IN_SCENE = re.compile(rb"<!-- build (\S+) -->")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that does not hold: *where* is a file or a key of the manifest, *what* a few words."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass(frozen=True)
class Checked:
    """
    What a check saw: the manifest (None where it is damaged), how many outputs it names, findings and notes.

    The asset holds if there is no finding.
    """

    place: Place
    manifest: Mapping[str, Any] | None
    outputs: int
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether everything is as it was built."""
        return not self.findings


def check(place: Place) -> Checked:
    """
    Return what holds and what does not of the asset at *place*; it builds nothing and writes nothing.

    Raises InvalidInputError where there is no manifest of ours to check against.
    """
    try:
        manifest = read_manifest(place)
    except DamagedManifestError as error:
        return Checked(place, None, 0, (Finding(place.beside("manifest.json").name, str(error)),), ())
    found: dict[str, bytes] = {}
    findings = [*_outputs(place, manifest["outputs"], found), *_strays(place, manifest["outputs"])]
    findings += _keys(manifest)
    if not findings:
        findings += _together(place, manifest, found)
    return Checked(place, manifest, len(manifest["outputs"]), tuple(findings), tuple(_notes(place)))


def _outputs(place: Place, outputs: Mapping[str, str], found: dict[str, bytes]) -> Iterator[Finding]:
    """Yield what is wrong with each output, and put the bytes of those that hold their hash into *found*."""
    for kind in OUTPUTS:
        if f"{place.stem}.{kind}" not in outputs:
            yield Finding(f"{place.stem}.{kind}", "the manifest does not name it")
    for name, hash_ in outputs.items():
        if not place.belongs(name):
            yield Finding("outputs", f"the manifest names {name!r}, which is no file of this asset; it was not read")
            continue
        path = place.folder / name
        if path.is_symlink() or not place.inside(path):
            yield Finding(name, "is a link, and was not followed" if path.is_symlink() else "lies behind a link")
            continue
        try:
            data = read_regular(path, LIMIT)
        except OSError as error:
            yield Finding(name, "is missing" if isinstance(error, FileNotFoundError) else f"{error.strerror}")
            continue
        if sha256(data) != hash_:
            yield Finding(name, f"was changed: its hash is {sha256(data)[:12]}, it was built as {hash_[:12]}")
            continue
        found[name] = data


def _strays(place: Place, outputs: Mapping[str, str]) -> Iterator[Finding]:
    """Yield what lies among the meshes and is no output; a simulator that is given the folder would load it."""
    folder = place.beside("assets")
    if folder.is_symlink() or not folder.is_dir():
        return  # an asset of primitives alone still has a visual mesh, so that is a finding of its own
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError as error:
        yield Finding(folder.name, f"cannot be read: {error.strerror}")
        return
    for name in names:
        if f"{folder.name}/{name}" not in outputs:
            yield Finding(f"{folder.name}/{name}", "is not of this build")


def _keys(manifest: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield the keys that do not follow from what the manifest says of inputs, options and versions."""
    scan = manifest["inputs"]["scan"]
    value = Source(Path(scan["name"]).suffix.lower().lstrip("."), scan["sha256"]).digest()
    for step in manifest["passes"]:
        key = key_of(
            name=step["name"],
            version=step["version"],
            options=step["options"],
            libraries=step["libraries"],
            input_digest=value,
            source=manifest["tools"]["r2s_source"],
            of_machine=manifest["platform"]["machine"],
            salt=manifest["request"]["salt"],
        )
        if key != step["key"]:
            yield Finding(f"passes.{step['name']}.key", "does not follow from its options, versions and input")
        value = step["digest"]
    yield from _instances(manifest)
    if sha256(canonical([step["key"] for step in manifest["passes"]])) != manifest["build_key"]:
        yield Finding("build_key", "does not follow from the keys of the passes")


def _instances(manifest: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield where the sheets of like objects are not those that emit was given."""
    emit: Mapping[str, Any] = next((step["options"] for step in manifest["passes"] if step["name"] == "emit"), {})
    objects = emit.get("objects", {})
    given = objects.get("sources", []) if isinstance(objects, dict) else None
    there = [digest_of_sheet(one["sha256"], one["files"]) for one in manifest["inputs"].get("instances", [])]
    if given != there:
        yield Finding("inputs.instances", "are not the sheets that the slots were made from")


def _together(place: Place, manifest: Mapping[str, Any], found: Mapping[str, bytes]) -> Iterator[Finding]:
    """Yield where files that hold their own hash do not belong together."""
    meshes = {n.removeprefix(f"{place.stem}."): sha256(d) for n, d in found.items() if "/" in n}
    parts = {kind: sha256(found[f"{place.stem}.{kind}"]) for kind in ("xml", "scene.xml", "slots.json")}
    if combined_hash({**meshes, **parts}) != manifest["asset"]:
        yield Finding("asset", "the hash of XML, scene, slots and meshes together is another")
    for kind, pattern in (("xml", _KEY_IN_XML), ("scene.xml", _KEY_IN_SCENE)):
        keys = pattern.findall(found[f"{place.stem}.{kind}"])
        if keys != [manifest["build_key"].encode()]:
            yield Finding(f"{place.stem}.{kind}", "carries another build key than the manifest")
    name = f"{place.stem}.report.json"
    report = parse_json(found[name])
    if not isinstance(report, dict) or report.get("asset") != manifest["asset"]:
        yield Finding(name, "is the report of another asset")


def _notes(place: Place) -> Iterator[str]:
    failed = place.beside("failed.report.json")
    if failed.exists():
        yield f"a later build failed its verdict and left this asset as it was: see {failed.name}"
