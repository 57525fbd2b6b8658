"""
A recipe: the options of a build in a YAML file, for ``--recipe``; the command line wins over it.

    passes: ingest | surface | simplify | decompose | scale | emit
    options: [decompose.max_error=0.5mm]
    budget: {decompose: 0.8 mm}
    within: 1mm
    unit: mm
    device: structured_light
    interval: [prediction, "mass=minmax_margin:0.3g:the balance drifts"]

Scan, sheets and output are of one build, options of many, so it holds no path but that of a scanner's profile, seen
from the recipe's own folder: ``device: my_scanner.yaml``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from r2s.compiler.devices import is_class
from r2s.compiler.errors import InvalidInputError
from r2s.compiler.files import NotRegularError, read_regular
from r2s.compiler.strict_yaml import parse_yaml
from r2s.compiler.suggest import did_you_mean
from r2s.compiler.yaml_tree import Document, ListNode, MapNode, Mark, Node, TextNode

_LIMIT = 1 << 20  # bytes: a recipe is written by hand
_TEXT = ("passes", "unit", "scale", "device", "within", "up", "origin", "body", "level")
_LISTS = {"options": "[decompose.max_error=0.5mm, ...]", "interval": "[prediction, ...]"}
KEYS = (*_TEXT, *_LISTS, "budget", "primitives")

# fineness of the pieces: share of the diagonal that they may be off by
LEVELS = {"0": 0.05, "1": 0.02, "2": 0.01, "3": 0.005}
# looked at when the recipe is read, since --stop-after may leave out the pass that would refuse the word
WORDS = {
    "scale": ("auto", "apply", "verify"),
    "origin": ("base", "com", "scan"),
    "body": ("free", "static"),
    "level": tuple(LEVELS),
    "primitives": ("true", "false"),
}


def read_recipe(path: Path) -> dict[str, Any]:
    """
    Return the recipe at *path* as plain values;
    raise InvalidInputError with a place where a key or value is wrong.
    """
    try:
        data = read_regular(path, _LIMIT)
    except OSError as error:
        hint = "save it to a file" if isinstance(error, NotRegularError) else "check the path"
        raise InvalidInputError("R2S805", f"cannot read {path}: {error.strerror}", hint=hint) from None
    if not any(line.strip() and not line.lstrip().startswith(b"#") for line in data.splitlines()):
        raise InvalidInputError("R2S024", f"{path.name} is empty: no recipe", hint=f"it may hold {', '.join(KEYS)}")
    document = parse_yaml(data, path.name)
    if not isinstance(document.root, MapNode):
        document.fail("R2S024", Mark(1, 1), "a recipe holds keys", hint=f"it may hold {', '.join(KEYS)}")
    found = {key.text: _value(document, key, node) for key, node in document.root.entries}
    if _is_profile(found.get("device", "")):
        found["device"] = str(path.absolute().parent / found["device"])
    return found


def _is_profile(device: str) -> bool:
    """Return whether a recipe names a file as its device; a word that is no class stays one, for did-you-mean."""
    return not is_class(device) and (device.lower().endswith((".yaml", ".yml")) or "/" in device)


def _value(document: Document, key: TextNode, node: Node) -> Any:
    if key.text not in KEYS:
        hint = did_you_mean(key.text, KEYS) or f"it may hold {', '.join(KEYS)}"
        document.fail("R2S024", key, f"unknown key {key.text!r}", hint=hint)
    if key.text in _LISTS:
        if not isinstance(node, ListNode):
            document.fail("R2S024", node, f"{key.text} is a list", hint=f"write {_LISTS[key.text]}")
        return tuple(_text(document, key, item) for item in node.items)
    if key.text == "budget":
        if not isinstance(node, MapNode):
            document.fail("R2S024", node, "budget names passes", hint="write {decompose: 0.8 mm}")
        return {name.text: _text(document, name, value) for name, value in node.entries}
    text = _text(document, key, node)
    known = WORDS.get(key.text, (text,))
    if text not in known:
        hint = did_you_mean(text, known) or f"use {', '.join(known)}"
        document.fail("R2S024", node, f"{key.text} is one of {', '.join(known)}, not {text!r}", hint=hint)
    return text == "true" if key.text == "primitives" else text


def _text(document: Document, key: TextNode, node: Node) -> str:
    if not isinstance(node, TextNode) or node.empty:
        document.fail("R2S024", node, f"{key.text} needs a value")
    return node.text
