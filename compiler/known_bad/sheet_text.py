"""A caliper sheet written anew, in metres and kilograms, so that a damaged one goes through the parser as a user's."""

from __future__ import annotations

import json
from typing import Any

from r2s.compiler.readings import BalancePoint, Quantity, Reading, Sheet


def sheet_text(sheet: Sheet) -> str:
    """
    Return *sheet* as ``measurements.yaml`` (JSON is YAML); reading it gives the same measurands, values and roles.

    Friction is left out, as nothing that damages a shape or a reading concerns it and its files lie elsewhere.
    """
    written: dict[str, Any] = {"schema": 1}
    if sheet.object:
        written["object"] = sheet.object
    written["measurements"] = [_entry(reading) for reading in sheet.readings]
    for key, quantity in (("mass", sheet.mass), ("density", sheet.density)):
        if quantity is not None:
            written[key] = _quantity(quantity)
    if sheet.fill.kind == "shell":
        written["fill"] = {"shell": sheet.fill.thickness, "unit": "m"}
    else:
        written["fill"] = sheet.fill.kind
    if sheet.com:
        written["com"] = [_balance_point(point) for point in sheet.com]
    return json.dumps(written, indent=1)


def _entry(reading: Reading) -> dict[str, Any]:
    feature = reading.feature
    entry: dict[str, Any] = {
        "id": reading.id,
        "feature": feature.kind,
        "values": list(reading.values),
        "unit": "m",
        "role": reading.role,
        "compliant": reading.compliant,
    }
    for key, point in (("from", feature.start), ("to", feature.end), ("at", feature.pick)):
        if point is not None:
            entry[key] = list(point)
    if feature.along is not None:
        entry["at"] = {"value": feature.along, "unit": "m"}
    if feature.axis is not None:
        entry["axis"] = feature.axis
    if reading.tolerance_method == "declared":
        entry["tolerance"] = reading.tolerance
    if reading.accuracy_method == "declared":
        entry["accuracy"] = reading.accuracy
        if reading.resolution > 0:
            entry["resolution"] = reading.resolution
        if reading.instrument:
            entry["instrument"] = {"kind": "other", "id": reading.instrument, "unit": "m"}
    for key, number in (("temperature", reading.temperature), ("alpha", reading.alpha)):
        if number is not None:
            entry[key] = number
    return entry


def _quantity(quantity: Quantity) -> dict[str, Any]:
    return {"value": quantity.value, "unit": quantity.unit, "accuracy": quantity.accuracy}


def _balance_point(point: BalancePoint) -> dict[str, Any]:
    return {"along": point.along, "from": point.end, "value": point.value, "unit": "m", "accuracy": point.accuracy}
