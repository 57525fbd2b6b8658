"""
Files that are recognised but not read: each is refused with its name, what stands in the way, and how to convert it.

A wrong reader would find points in any of them.  Nothing that such a file names is ever opened.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable
from typing import Any, NoReturn

from r2s.compiler.errors import InvalidInputError
from r2s.passes.readers.content import Content, text_start

READ_NOW = "PLY, OBJ, STL and XYZ/PTS/CSV text"

_LARGEST_JSON = 64 << 20
_HEAD = 1 << 16


def refuse_radiance_field() -> NoReturn:
    """Refuse a PLY whose vertices are Gaussians: they are no points of a surface."""
    raise InvalidInputError(
        "R2S134",
        "the PLY holds 3D Gaussians of a radiance field (splats), which are no surface and not supported yet",
        hint="export a mesh or a point cloud from the radiance field and pass that",
    )


def later_format(content: Content) -> Callable[[Content], NoReturn] | None:
    """Return what refuses *content* if it is of a format that is known and not read; else None."""
    start = text_start(content)
    head = content[start : start + _HEAD]
    for magic, name, hint in _MAGIC:
        if re.match(magic, head):
            return _refusal(name, hint)
    if head[:4] == b"glTF":
        return _refuse_glb
    if head[:4] == b"LASF":
        return _refuse_las
    if _is_pcd(head):
        return _refuse_pcd
    if re.match(rb"\s*\{", head):
        return _refuse_json
    return None


def _refusal(name: str, hint: str) -> Callable[[Content], NoReturn]:
    def refuse(_content: Content) -> NoReturn:
        raise _unsupported(f"the file is {name}", hint)

    return refuse


def _unsupported(what: str, hint: str) -> InvalidInputError:
    return InvalidInputError("R2S106", f"{what}; r2s reads {READ_NOW} for now", hint=hint)


def _refuse_glb(content: Content) -> NoReturn:
    length = struct.unpack("<I", content[12:16])[0] if len(content) >= 20 else 0
    if length > min(len(content) - 20, _LARGEST_JSON) or content[16:20] != b"JSON":
        raise _unsupported("the file is a damaged GLB (its JSON part is not there)", _GLTF_HINT)
    _refuse_gltf(_parse_json(content[20 : 20 + length]), "GLB")


def _refuse_json(content: Content) -> NoReturn:
    tree = _parse_json(content[text_start(content) : _LARGEST_JSON])
    if isinstance(tree, dict) and "asset" in tree:
        _refuse_gltf(tree, "glTF")
    if isinstance(tree, dict) and "frames" in tree:
        raise _unsupported(
            "the file lists camera frames (transforms.json), which are not supported yet",
            "fuse the depth frames with another tool and pass the cloud or mesh",
        )
    raise InvalidInputError(
        "R2S105", "the file is JSON, but neither glTF nor camera frames", hint="name the scan itself"
    )


def _refuse_gltf(tree: Any, name: str) -> NoReturn:  # any JSON value: the file is not trusted
    required = _strings(tree.get("extensionsRequired") if isinstance(tree, dict) else None)
    if required:
        raise InvalidInputError(
            "R2S107",
            f"the {name} requires {', '.join(required)[:200]}, which r2s does not support",
            hint="export without compression, as PLY, OBJ or STL",
        )
    tables = [tree.get(key) for key in ("buffers", "images")] if isinstance(tree, dict) else []
    entries = [entry for table in tables if isinstance(table, list) for entry in table]
    uris = _strings([entry.get("uri") for entry in entries if isinstance(entry, dict)])
    outside = next((u for u in uris if not u.startswith("data:") and _leaves_folder(u)), None)
    if outside is not None:
        raise InvalidInputError(
            "R2S108",
            f"the {name} names the file {outside[:80]!a}, which is outside the model's folder; it was not opened",
            hint="export the model as one file, as PLY, OBJ or STL",
        )
    raise _unsupported(f"the file is {name}, which is not supported yet", _GLTF_HINT)


def _refuse_las(content: Content) -> NoReturn:
    compressed = len(content) > 104 and content[104] & 0x80
    name = "LAZ (compressed LAS)" if compressed else "LAS"
    raise _unsupported(
        f"the file is {name}, which is not supported yet", "convert it to PLY (CloudCompare, pdal translate)"
    )


def _is_pcd(head: bytes) -> bool:
    words = [
        line.split(None, 1)[0] for line in head.splitlines() if line.strip() and not line.lstrip().startswith(b"#")
    ]
    return head.startswith(b"# .PCD") or words[:2] in ([b"VERSION", b"FIELDS"], [b"VERSION", b"COLUMNS"])


def _refuse_pcd(content: Content) -> NoReturn:
    head = content[:_HEAD]
    fields = dict(re.findall(rb"^[ \t]*(WIDTH|HEIGHT|POINTS|DATA)[ \t]+(\w+)", head, re.MULTILINE))
    data = re.search(rb"^[ \t]*DATA[^\n]*\n", head, re.MULTILINE)
    points, width, height = (_count(fields.get(key)) for key in (b"POINTS", b"WIDTH", b"HEIGHT"))
    if points is not None and width is not None and height is not None and points != width * height:
        raise _pcd_mismatch(f"the PCD header says {points:,} points and {width:,} x {height:,} = {width * height:,}")
    if points is not None and data is not None:
        found = _pcd_points(content, head, data.end(), fields.get(b"DATA", b""))
        if found is not None and found < points:
            raise _pcd_mismatch(f"the PCD header says {points:,} points, and the data has {found:,}")
    raise _unsupported("the file is PCD, which is not supported yet", "convert it to PLY (CloudCompare, pcl_pcd2ply)")


def _pcd_points(content: Content, head: bytes, begin: int, layout: bytes) -> int | None:
    """Return how many points stand or have room after the header; None where that cannot be told."""
    if layout == b"ascii":
        rows = re.compile(rb"^[^\S\n]*\S", re.MULTILINE).finditer(content, begin)
        return sum(1 for _ in rows)
    sizes, counts = (re.search(rb"^[ \t]*" + key + rb"([ \t\d]*)", head, re.MULTILINE) for key in (b"SIZE", b"COUNT"))
    if layout != b"binary" or sizes is None:
        return None
    each = [int(n[:6]) for n in sizes[1].split()]
    times = [int(n[:6]) for n in counts[1].split()] if counts else [1] * len(each)
    row = sum(size * count for size, count in zip(each, times, strict=False))
    return (len(content) - begin) // row if row else None


def _pcd_mismatch(what: str) -> InvalidInputError:
    return InvalidInputError("R2S109", what, hint="the file is cut off or its header is wrong; export or copy it again")


def _count(word: bytes | None) -> int | None:
    return int(word) if word is not None and word.isdigit() and len(word) <= 18 else None


def _parse_json(text: bytes) -> Any:  # any JSON value
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(
            "R2S105", "the file begins like JSON or glTF, but its JSON is broken", hint="export it again"
        ) from error


def _strings(value: Any) -> list[str]:  # any JSON value
    return [v for v in value if isinstance(v, str)] if isinstance(value, list) else []


def _leaves_folder(uri: str) -> bool:
    parts = uri.replace("\\", "/").replace("%2e", ".").replace("%2E", ".").replace("%2f", "/").replace("%2F", "/")
    return ".." in parts.split("/") or parts.startswith("/") or re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", parts) is not None


_GLTF_HINT = "export the model as PLY, OBJ or STL (Blender does)"
_MESH_HINT = "export it as PLY, OBJ or STL"
_MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (rb"ASTM-E57", "E57, which is not supported yet", "convert it to PLY (CloudCompare)"),
    (rb"\x76\x2f\x31\x01", "an OpenEXR picture", "pass the fused cloud or mesh, not one frame"),
    (rb"\x89PNG|\xff\xd8\xff|II\*\0|MM\0\*", "a picture", "pass the fused cloud or mesh, not one frame"),
    (rb"PK\x03\x04", "a ZIP archive (3MF, USDZ and KMZ are such)", "unpack it, or " + _MESH_HINT),
    (rb"\x1f\x8b|7z\xbc\xaf|Rar!|\x28\xb5\x2f\xfd|BZh", "a compressed archive (or an SPZ splat)", "unpack it"),
    (rb"\s*(?:ST)?C?N?4?n?OFF\s", "OFF, which is not supported yet", "convert it to PLY (MeshLab)"),
    (rb"# vtk DataFile", "VTK, which is not supported yet", "save it as PLY (ParaView)"),
    (rb"Kaydara FBX Binary|; FBX ", "FBX, which is not supported", _MESH_HINT),
    (rb"PXR-USDC|#usda ", "USD, which is not supported yet", _MESH_HINT),
    (rb"ISO-10303-21", "STEP, which holds no scan", _MESH_HINT),
    (rb"BLENDER", "a Blender file", _MESH_HINT),
    (rb"%PDF", "a PDF", "name the scan file itself"),
    (rb"version https://git-lfs", "a Git LFS pointer, not the scan that it stands for", "run: git lfs pull"),
    (rb"\xff\xfe|\xfe\xff", "text in UTF-16", "save it as UTF-8"),
    (rb"\s*<(?:!DOCTYPE html|html)", "a web page, maybe a failed download", "download the scan again"),
    (rb"\s*<(?:\?xml|COLLADA|X3D|mujoco|robot|sdf)", "XML (COLLADA, X3D, MJCF and URDF are such)", _MESH_HINT),
)
