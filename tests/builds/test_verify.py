"""Verifying an asset: what was changed is found, names that lead elsewhere are not followed, a rebuild is compared."""

from __future__ import annotations

import json
import math
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trimesh
from click.testing import CliRunner
from tests_support import files

from r2s.compiler.action import key_of
from r2s.compiler.cli import cli
from r2s.compiler.codec import canonical, sha256
from r2s.compiler.devices import device
from r2s.compiler.driver import compile_asset
from r2s.compiler.errors import InvalidInputError, R2SError, UsageError
from r2s.compiler.ir import Source
from r2s.compiler.manifest import sealed, text_of
from r2s.compiler.outputs import combined_hash
from r2s.compiler.pipeline import DEFAULT, Pipeline
from r2s.compiler.request import again, effective
from r2s.compiler.verify import check, place_of
from r2s.compiler.verify.inputs import find_inputs, staged
from r2s.compiler.worker import Limits

SHEET = """\
schema: 1
object: brick
instrument: {kind: digital_caliper, unit: mm}
measurements:
  - {feature: extent_x, value: 80.0}
  - {feature: extent_y, value: 50.0, role: check}
mass: {value: 200 g}
friction: {slide: {value: 0.6, lo: 0.5, hi: 0.7, source: measured, readings: pulls.csv}}
"""

PROFILE = """\
schema: r2s-device/1
name: desktop_7
terms:
  scale: {value: 2.0e-4, u: 1.0e-4, unit: "1", dof: 12, method: measured, source: two balls}
  offset: {half_width: 0.05, unit: mm, source: data sheet}
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with scan, sheet and a file of pulls, and the asset built from them in ``out``."""
    folder = tmp_path_factory.mktemp("a place with blanks")
    trimesh.creation.box(extents=(80, 50, 40)).export(folder / "scan of brick.stl")
    (folder / "m.yaml").write_text(SHEET)
    (folder / "pulls.csv").write_text("0.58\n0.62\n")
    (folder / "desk.yaml").write_text(PROFILE)
    pipeline = Pipeline.parse(DEFAULT).with_options([("decompose", "primitives", "false"), ("emit", "body", "static")])
    options = {"pipeline": pipeline, "within": 2e-3, "device": str(folder / "desk.yaml"), "salt": "a pinch"}
    options["cache"] = tmp_path_factory.mktemp("store")
    compile_asset(folder / "scan of brick.stl", folder / "out" / "b.xml", folder / "m.yaml", **options)
    return folder


@pytest.fixture
def place(built: Path, tmp_path: Path) -> Path:
    """A copy of the whole folder, to be damaged."""
    return Path(shutil.copytree(built, tmp_path / "copy of it"))


def verified(place: Path, *words: str | Path) -> tuple[int, str, str]:
    """Exit code, stdout, and the line of the error."""
    done = CliRunner().invoke(cli, ["verify", str(place / "out" / "b.xml"), *map(str, words)], standalone_mode=False)
    if isinstance(done.exception, R2SError):
        return done.exception.exit_code, done.stdout, str(done.exception)
    assert done.exception is None, done.exception
    return done.return_value, done.stdout, ""


def findings(place: Path) -> dict[str, str]:
    return {f.where: f.what for f in check(place_of(place / "out" / "b.xml")).findings}


def test_a_fresh_asset_holds_and_nothing_is_written(place: Path) -> None:
    before = files(place)
    code, out, _ = verified(place)

    assert code == 0
    assert "6 files hold their hashes" in out
    assert "build key" in out
    assert files(place) == before


def test_json_tells_the_same(place: Path) -> None:
    told = json.loads(verified(place, "--json")[1])
    manifest = json.loads((place / "out" / "b.manifest.json").read_bytes())

    assert (told["schema"], told["holds"], told["findings"], told["outputs"]) == ("r2s-verify/1", True, [], 6)
    assert (told["asset"], told["build_key"]) == (manifest["asset"], manifest["build_key"])


def output_names(built: Path) -> list[str]:
    return sorted(json.loads((built / "out" / "b.manifest.json").read_bytes())["outputs"])


def test_one_changed_byte_in_any_output_is_found(place: Path) -> None:
    for name in output_names(place):
        path = place / "out" / name
        data = path.read_bytes()
        for at in sorted({0, 1, len(data) // 3, len(data) // 2, len(data) - 2, len(data) - 1}):
            path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
            assert list(findings(place)) == [name], at
        path.write_bytes(data[:-1])
        assert list(findings(place)) == [name]
        path.write_bytes(data)
    assert findings(place) == {}


def test_one_changed_byte_anywhere_in_the_manifest_is_found(place: Path) -> None:
    path = place / "out" / "b.manifest.json"
    data = path.read_bytes()
    for at in [*range(0, len(data), 41), len(data) - 2, len(data) - 1]:
        for change in (bytes([data[at] ^ 1]), b"", b" " + data[at : at + 1]):
            path.write_bytes(data[:at] + change + data[at + 1 :])
            assert list(findings(place)) == ["b.manifest.json"], (at, change)


def test_damage_is_exit_5_with_one_line_a_finding(place: Path) -> None:
    (place / "out" / "b.slots.json").unlink()
    (place / "out" / "b.xml").write_text("<mujoco/>")
    code, out, error = verified(place)

    assert code == 5
    assert [line.split()[1] for line in out.splitlines() if line.startswith("DAMAGED")] == ["b.slots.json:", "b.xml:"]
    assert "b.slots.json: is missing" in out
    assert "2 findings" in error
    assert json.loads(verified(place, "--json")[1])["holds"] is False


def test_what_lies_among_the_meshes_and_is_not_of_the_build_is_said(place: Path) -> None:
    (place / "out" / "b.assets" / "piece_007-01234567.obj").write_text("o x\n")
    (place / "out" / "notes.txt").write_text("beside the asset anything may lie")

    assert findings(place) == {"b.assets/piece_007-01234567.obj": "is not of this build"}


def test_links_and_pipes_are_not_followed(place: Path, tmp_path: Path) -> None:
    out = place / "out"
    shutil.move(out / "b.slots.json", tmp_path / "elsewhere.json")
    (out / "b.slots.json").symlink_to(tmp_path / "elsewhere.json")
    (out / "b.report.json").unlink()
    os.mkfifo(out / "b.report.json")

    assert findings(place) == {
        "b.slots.json": "is a link, and was not followed",
        "b.report.json": "not a regular file",
    }


def test_a_linked_folder_of_meshes_is_not_followed(place: Path, tmp_path: Path) -> None:
    shutil.move(place / "out" / "b.assets", tmp_path / "meshes")
    (place / "out" / "b.assets").symlink_to(tmp_path / "meshes")

    assert set(findings(place).values()) == {"lies behind a link"}


def test_a_loop_of_links_is_a_finding(place: Path) -> None:
    shutil.rmtree(place / "out" / "b.assets")
    (place / "out" / "b.assets").symlink_to("b.assets")

    assert set(findings(place).values()) == {"lies behind a link"}


def test_a_later_build_that_failed_is_told(place: Path) -> None:
    (place / "out" / "b.failed.report.json").write_text("{}")
    code, out, _ = verified(place)

    assert code == 0
    assert "b.failed.report.json" in out


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (None, "R2S821"),
        ("", "R2S822"),
        ("not json", "R2S822"),
        ("[1, 2]", "R2S822"),
        ('{"schema": "other/1", "x": NaN}', "R2S822"),
        ('{"name": "a web page", "icons": []}', "R2S822"),
        (text_of(sealed({"schema": "r2s-manifest/2"})), "R2S822"),
        (text_of(sealed({"schema": "r2s-manifest/1"})), "R2S822"),
        (text_of(sealed({"schema": ["r2s-manifest/1"]})), "R2S822"),
    ],
)
def test_no_manifest_or_a_foreign_one_is_one_plain_line(place: Path, text: str | None, code: str) -> None:
    path = place / "out" / "b.manifest.json"
    path.unlink()
    if text is not None:
        path.write_text(text)
    exit_code, out, error = verified(place)

    assert (exit_code, out) == (3, "")
    assert code in error
    assert "\n" not in error


def test_only_an_asset_can_be_verified(place: Path) -> None:
    with pytest.raises(UsageError, match="is no asset"):
        place_of(place / "out" / "b.report.json")
    assert place_of(Path("b.manifest.json")) == place_of(Path("b.scene.xml")) == place_of(Path("b.xml"))


# --- manifests that somebody made to hold ---------------------------------------------------------------------------


def forge(place: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the manifest and make everything consistent again, as another machine or a liar would."""
    out = place / "out"
    path = out / "b.manifest.json"
    manifest = json.loads(path.read_bytes())
    old_key = manifest["build_key"]
    change(manifest)
    value = Source("stl", manifest["inputs"]["scan"]["sha256"]).digest()
    for step in manifest["passes"]:
        step["key"] = key_of(
            name=step["name"],
            version=step["version"],
            options=step["options"],
            libraries=step["libraries"],
            input_digest=value,
            source=manifest["tools"]["r2s_source"],
            of_machine=manifest["platform"]["machine"],
            salt=manifest["request"]["salt"],
        )
        value = step["digest"]
    manifest["build_key"] = sha256(canonical([step["key"] for step in manifest["passes"]]))
    for name in ("b.xml", "b.scene.xml"):
        (out / name).write_text((out / name).read_text().replace(old_key, manifest["build_key"]))
    _reseal(out, manifest)


def _reseal(out: Path, manifest: dict[str, Any]) -> None:
    meshes = sorted(p.name for p in (out / "b.assets").iterdir())
    hashes = {f"assets/{n}": sha256((out / "b.assets" / n).read_bytes()) for n in meshes}
    hashes |= {k: sha256((out / f"b.{k}").read_bytes()) for k in ("xml", "scene.xml", "slots.json")}
    report = json.loads((out / "b.report.json").read_bytes())
    report["asset"] = manifest["asset"] = combined_hash(hashes)
    (out / "b.report.json").write_text(canonical(report) + "\n")
    hashes["report.json"] = sha256((out / "b.report.json").read_bytes())
    manifest["outputs"] = {f"b.{kind}": hash_ for kind, hash_ in hashes.items()}
    (out / "b.manifest.json").write_text(text_of(sealed(manifest)))


def retype(place: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the manifest and give it its own hash again, nothing more."""
    path = place / "out" / "b.manifest.json"
    manifest = json.loads(path.read_bytes())
    change(manifest)
    path.write_text(text_of(sealed(manifest)))


def test_the_forger_is_good_enough_to_be_believed(place: Path) -> None:
    forge(place, lambda m: m["platform"].update(machine="plan9-mips"))

    assert findings(place) == {}


@pytest.mark.parametrize(
    "name", ["../../x", "/etc/passwd", "b.assets/../../x", "b.assets/..", "c.xml", "b.assets/a/b", "", "b.assets"]
)
def test_a_name_that_leads_elsewhere_is_refused(place: Path, name: str) -> None:
    retype(place, lambda m: m["outputs"].update({name: "0" * 64}))
    found = findings(place)

    assert list(found) == ["outputs"]
    assert f"{name!r}, which is no file of this asset; it was not read" in found["outputs"]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda m: m["passes"][3]["options"].update(share=0.5), "passes.decompose.key"),
        (lambda m: m["passes"][0].update(version=9), "passes.ingest.key"),
        (lambda m: m["passes"][1].update(digest="0" * 64), "passes.simplify.key"),
        (lambda m: m["passes"][5]["libraries"].update(mujoco="0.1"), "passes.emit.key"),
        (lambda m: m["inputs"]["scan"].update(sha256="0" * 64), "passes.ingest.key"),
        (lambda m: m.update(build_key="0" * 64), "build_key"),
        (lambda m: m.update(asset="0" * 64), "asset"),
        (lambda m: m["outputs"].pop("b.slots.json"), "b.slots.json"),
    ],
)
def test_what_does_not_follow_is_found_though_the_manifest_holds_its_hash(
    place: Path, change: Callable[[dict[str, Any]], None], where: str
) -> None:
    retype(place, change)

    assert where in findings(place)


def test_files_of_two_builds_do_not_belong_together(place: Path) -> None:
    xml = place / "out" / "b.xml"
    key = json.loads((place / "out" / "b.manifest.json").read_bytes())["build_key"]
    xml.write_text(xml.read_text().replace(key, "f" * 64))
    _reseal(place / "out", json.loads((place / "out" / "b.manifest.json").read_bytes()))

    assert findings(place) == {"b.xml": "carries another build key than the manifest"}


# --- building again -------------------------------------------------------------------------------------------------


def manifest_of(place: Path) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((place / "out" / "b.manifest.json").read_bytes())
    return manifest


def test_the_manifest_holds_every_option_of_the_request(built: Path) -> None:
    asked = manifest_of(built)["request"]

    assert Pipeline.parse(asked["pipeline"]).steps[3].primitives is False
    assert (asked["within"], asked["device"], asked["salt"]) == (2e-3, "desk.yaml", "a pinch")
    assert manifest_of(built)["inputs"]["device"] == {"name": "desk.yaml", "sha256": sha256(PROFILE)}
    assert manifest_of(built)["inputs"]["calipers"]["files"] == {"pulls.csv": sha256(b"0.58\n0.62\n")}


def test_inputs_are_found_beside_the_xml_or_where_the_user_says(place: Path) -> None:
    manifest = manifest_of(place)
    empty = place / "empty"
    found = find_inputs(manifest, (empty, place))
    assert (found.scan, found.calipers, found.files) == (place / "scan of brick.stl", place / "m.yaml", ("pulls.csv",))

    shutil.move(place / "scan of brick.stl", place / "other.stl")
    with pytest.raises(InvalidInputError, match=r"cannot find scan of brick\.stl") as error:
        find_inputs(manifest, (empty, place))
    assert error.value.code == "R2S824"
    found = find_inputs(manifest, (empty,), scan=place / "other.stl")
    assert (found.calipers, found.device) == (place / "m.yaml", place / "desk.yaml")


def test_the_profile_of_the_scanner_reaches_the_build_and_its_report_by_name_and_hash(built: Path) -> None:
    report = json.loads((built / "out" / "b.report.json").read_bytes())
    scale = next(step["options"] for step in manifest_of(built)["passes"] if step["name"] == "scale")

    assert report["inputs"]["device"] == {"name": "desktop_7", "file": "desk.yaml", "sha256": sha256(PROFILE)}
    assert scale["prior_u"] == pytest.approx(math.hypot(2e-4, 1e-4))
    assert scale["prior_offset"] == pytest.approx(0.05e-3 / math.sqrt(3))
    for name in ("b.report.json", "b.manifest.json"):
        assert str(built) not in (built / "out" / name).read_text()


def test_a_profile_under_another_name_is_told_with_device(place: Path) -> None:
    manifest = manifest_of(place)
    shutil.move(place / "desk.yaml", place / "mine.yaml")
    with pytest.raises(InvalidInputError, match=r"cannot find desk\.yaml.*say where it is with --device"):
        find_inputs(manifest, (place,))
    found = find_inputs(manifest, (place,), device=place / "mine.yaml")
    (place / "inputs").mkdir()
    of = staged(found, manifest, place / "inputs")

    assert of.device is not None
    assert (of.device.name, of.device.read_text()) == ("desk.yaml", PROFILE)
    asked = again(
        manifest["request"],
        scan=of.scan,
        output=place / "x.xml",
        calipers=of.calipers,
        instances=of.instances,
        device=of.device,
        cache=place / "store",
        limits=Limits(),
    )
    assert device(asked.device).sha256 == manifest["inputs"]["device"]["sha256"]
    assert effective(asked) == manifest["request"]

    (place / "mine.yaml").write_text(PROFILE + "# another day\n")
    with pytest.raises(InvalidInputError) as error:
        find_inputs(manifest, (place,), device=place / "mine.yaml")
    assert error.value.code == "R2S825"


def test_a_profile_for_an_asset_of_a_class_of_devices_is_refused(place: Path) -> None:
    manifest = manifest_of(place)
    manifest["inputs"]["device"] = {"name": "", "sha256": ""}
    assert find_inputs(manifest, (place,)).device is None
    with pytest.raises(InvalidInputError, match="was built with a class of devices") as error:
        find_inputs(manifest, (place,), device=place / "desk.yaml")
    assert error.value.code == "R2S824"


@pytest.mark.parametrize("name", ["scan of brick.stl", "m.yaml", "pulls.csv", "desk.yaml"])
def test_a_changed_input_is_named(place: Path, name: str) -> None:
    with open(place / name, "a") as file:
        file.write("#")
    code, _, error = verified(place, "--rebuild", "--scan", place / "scan of brick.stl")

    assert code == 3
    assert f"{name}" in error
    assert "is not what the asset was built from" in error


def test_where_the_inputs_are_is_asked_for_a_rebuild_alone(place: Path) -> None:
    for option in ("--scan", "--calipers", "--instances", "--device"):
        done = CliRunner().invoke(cli, ["verify", str(place / "out" / "b.xml"), option, "x.yaml"])
        assert done.exit_code == 2
        assert "--scan, --calipers, --instances, --device and --within are for --rebuild" in done.stderr


def test_a_manifest_from_before_there_were_instances_is_read(place: Path) -> None:
    def older(manifest: dict[str, Any]) -> None:
        del manifest["inputs"]["instances"], manifest["request"]["intervals"], manifest["inputs"]["device"]
        for key in ("objects", "intervals"):
            del manifest["passes"][5]["options"][key]

    forge(place, older)
    assert findings(place) == {}
    found = find_inputs(manifest_of(place), (place,))
    assert (found.calipers, found.instances) == (place / "m.yaml", ())
    with pytest.raises(InvalidInputError, match="was not built from") as error:
        find_inputs(manifest_of(place), (place,), instances=(place / "m.yaml",))
    assert error.value.code == "R2S824"
    asked = again(
        manifest_of(place)["request"],
        scan=found.scan,
        output=place / "x.xml",
        calipers=found.calipers,
        instances=(),
        device=None,
        cache=place / "store",
        limits=Limits(),
    )
    assert (asked.intervals, asked.salt) == ({}, "a pinch")


def test_the_right_one_of_two_inputs_is_taken(place: Path) -> None:
    """A changed file beside the XML does not hide the old one in the working folder."""
    (place / "out" / "m.yaml").write_text("schema: 1\n")

    assert find_inputs(manifest_of(place), (place / "out", place)).calipers == place / "m.yaml"


@pytest.mark.parametrize("name", ["../m.yaml", "/etc/passwd", "..", "a/b.yaml", ""])
def test_an_input_with_a_name_that_leads_elsewhere_is_refused(place: Path, name: str) -> None:
    manifest = manifest_of(place)
    manifest["inputs"]["scan"]["name"] = name
    with pytest.raises(InvalidInputError, match="no plain file name"):
        find_inputs(manifest, (place,))
    manifest = manifest_of(place)
    manifest["inputs"]["calipers"]["files"] = {"../../x": "0"}
    with pytest.raises(InvalidInputError, match="no plain file name"):
        find_inputs(manifest, (place,))


def test_a_rebuild_is_equal_from_another_folder_and_under_other_names(place: Path, tmp_path: Path) -> None:
    """The cache of the first build is neither used nor needed, and nothing beside the asset changes."""
    inputs = tmp_path / "in puts"
    inputs.mkdir()
    for old, new in (("scan of brick.stl", "renamed.stl"), ("m.yaml", "sheet.yaml"), ("pulls.csv", "pulls.csv")):
        shutil.move(place / old, inputs / new)
    shutil.move(place / "desk.yaml", inputs / "scanner.yaml")
    before = files(place)
    words = ("--rebuild", "--scan", inputs / "renamed.stl", "--calipers", inputs / "sheet.yaml")
    words = (*words, "--device", inputs / "scanner.yaml")
    code, out, error = verified(place, *words)

    assert (code, error) == (0, "")
    assert "rebuild  equal: 7 files to the byte, manifest included" in out
    assert files(place) == before


@pytest.mark.slow
def test_a_build_without_calipers_is_rebuilt(place: Path) -> None:
    compile_asset(place / "scan of brick.stl", place / "out" / "b.xml", unit="mm", cache=place / "store")
    code, out, _ = verified(place, "--rebuild", "--scan", place / "scan of brick.stl")

    assert code == 0
    assert "equal" in out
    assert verified(place, "--rebuild", "--scan", place / "scan of brick.stl", "--calipers", place / "m.yaml")[0] == 3


@pytest.mark.slow
def test_a_rebuild_that_differs_names_the_pass_and_the_files(place: Path) -> None:
    """On the same platform and versions a manifest with another digest is a promise that was broken."""
    forge(place, lambda m: m["passes"][3].update(digest="0" * 64))
    assert findings(place) == {}
    code, out, error = verified(
        place, "--rebuild", "--scan", place / "scan of brick.stl", "--calipers", place / "m.yaml"
    )

    assert code == 5
    assert "decompose is the first pass whose value differs" in error
    assert "DIFFERS  b.xml" in out
    assert "b.slots.json" not in out


def move_a_vertex(place: Path, by: float) -> None:
    """Move one vertex of the collision piece by *by* metres along x, with all names and hashes that follow."""
    out = place / "out"
    (piece,) = (out / "b.assets").glob("piece_*.obj")
    lines = piece.read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("v "))
    x, *rest = lines[at].split()[1:]
    lines[at] = " ".join(["v", repr(float(x) + by), *rest])
    text = "\n".join(lines) + "\n"
    name = f"piece_000-{sha256(text)[:8]}.obj"
    (out / "b.xml").write_text((out / "b.xml").read_text().replace(piece.name, name))
    piece.unlink()
    (out / "b.assets" / name).write_text(text)


@pytest.mark.slow
def test_on_another_platform_a_rebuild_is_equal_or_measured(place: Path) -> None:
    inputs = ("--rebuild", "--scan", place / "scan of brick.stl", "--calipers", place / "m.yaml")

    def elsewhere(manifest: dict[str, Any]) -> None:
        manifest["platform"]["machine"] = "plan9-mips"
        manifest["tools"]["numpy"] = "0.0.1"

    forge(place, elsewhere)
    code, out, _ = verified(place, *inputs)
    assert code == 0
    assert "machine plan9-mips ->" in out
    assert "numpy 0.0.1 ->" in out
    assert "rebuild  equal: the asset to the byte" in out

    move_a_vertex(place, 3e-6)
    forge(place, elsewhere)
    code, out, error = verified(place, *inputs, "--within", "1um")
    assert code == 5
    assert "rebuild  equivalent within 3 um: pieces 3 um at most" in out
    assert "3 um away, and 1 um are allowed" in error
