"""
What the terminal says after a build: one screen from the report, each number with its unit and where it comes from.

Everything printed here stands in ``<stem>.report.json``; this file only chooses and formats.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from r2s.compiler.budget_table import budget_lines
from r2s.compiler.experiment import told

_STEPS = (
    ("surface", "surface"),
    ("simplify", "simplify"),
    ("decompose", "hulls"),
    ("scale", "scale"),
    ("emit", "MJCF"),
)
_MM = 1e3


def summary(report: Mapping[str, Any], *, seconds: float, written: str = "") -> str:
    """Return the screen for *report*: lengths in mm, masses in g; *written* is the XML's path as the user gave it."""
    lines = [
        _headline(report, seconds),
        unit_line(report["unit"]),
        *_waterfall(report),
        *_scale(report),
        *_check(report),
    ]
    lines += [*_contact(report), *_closure(report), *_budgets(report), *_unseen(report)]
    lines += budget_lines(report["uncertainty"])
    lines += told.lines(report["uncertainty"]["monte_carlo"])
    lines += [*_slots(report), *_blind(report)]
    if written:
        lines.append(
            _line("wrote", f"{written} +scene +assets +slots +report +manifest   asset {report['asset'][:12]}")
        )
    return "\n".join(lines)


def _headline(report: Mapping[str, Any], seconds: float) -> str:
    verdict = report["verdict"]["check"]
    parts = [report["name"], verdict if verdict == "UNCHECKED" else f"CHECK {verdict}"]
    size = _scalar(report, "emit.size_x"), _scalar(report, "emit.size_y"), _scalar(report, "emit.size_z")
    if all(s is not None for s in size):
        parts.append(" x ".join(f"{s * _MM:.2f}" for s in size if s is not None) + " mm")
    mass = _slot(report, "mass")
    if mass:
        parts.append(f"{mass['nominal'] * 1e3:.4g} g")
    pieces = _scalar(report, "decompose.pieces")
    if pieces is not None:
        parts.append(f"{pieces:.0f} piece" + ("s" if pieces != 1 else ""))
    return "   ".join([*parts, f"{seconds:.1f} s"])


def unit_line(unit: Mapping[str, Any]) -> str:
    """Return the line that says what settled the unit and the axes."""
    axes = "" if unit["axes"] == "+x+y+z" else f"   axes {unit['axes']} -> x, y, z"
    return _line("unit", f"{unit['evidence']} ({unit['method']}){axes}")


def _waterfall(report: Mapping[str, Any]) -> Iterator[str]:
    rows = report["features"]
    if not rows:
        return
    width = max(len(label(r)) for r in rows) + 1
    head = f"{'mm':<{width}} {'calipers':>13} {'scan':>8}" + "".join(f"{name:>9}" for _, name in _STEPS[:-1])
    yield f"{head} {'MJCF':>8} {'error':>7} {'U95':>6}"
    for row in rows:
        cells = [
            f"{label(row):<{width}}",
            f"{_caliper(row):>13}",
            f"{_mm(row['stages'].get('scan', {}).get('value')):>8}",
        ]
        cells += [f"{_signed(row['introduced'].get(key)):>8}" for key, _ in _STEPS[:-1]]
        model = row["stages"].get("model", {}).get("value")
        cells += [f"{_mm(model):>8}", f"{_signed(row['error']['value']):>7}", f"{_mm(row['error']['U95']):>6}"]
        yield " ".join(cells)
        refused = next((s["refused"] for s in row["stages"].values() if s["refused"]), "")
        if refused:
            what = f"lost by {row['lost_by']}" if row["lost_by"] else "not measured"
            yield f"{'':<{width}} {what}: {refused}"
    yield f"{'':<{width}} {'measured':>13} inherited |{'introduced by each pass':^33}|"


def _scale(report: Mapping[str, Any]) -> Iterator[str]:
    scale = report["scale"]
    if scale["u"] is None:
        yield _line("scale", f"x{scale['factor']:.5g} {scale['method']}, not verified by any calibrate reading")
        return
    yield _line("scale", scale["reason"] or f"x{scale['factor']:.5g} {scale['method']}")
    if scale["calibration"] is not None:
        yield _line("fit", "; ".join(_fit(scale["calibration"])))


def _fit(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield how the calibrate readings stood the test, and what they cannot tell."""
    if found["p"] is None:
        yield "one reading, so its consistency is untestable"
    else:
        yield f"chi2 {found['chi2']:.2g} with {found['dof']} dof, p = {found['p']:.2g}"
    if found["inflation"] > 1:
        yield f"u widened {found['inflation']:.2g} times"
    if found["suspect"]:
        yield f"suspect {found['suspect']}"
    offset, axes = found["offset"], found["axes"]
    if offset is None or not offset["identifiable"]:
        yield "an offset is not told from scale"
    else:
        size = f"{offset['d'] * _MM:+.3f} ± {offset['u_d'] * _MM:.3f} mm"
        yield f"offset {size} beside it, {offset['preferred']} preferred"
    if axes is not None:
        yield f"the same along {', '.join(axes['axes'])} with p = {axes['p']:.2g}"
    yield f"a scale error of {100 * found['lod95']:.2f} % would show"


def _check(report: Mapping[str, Any]) -> Iterator[str]:
    checks = [r for r in report["features"] if r["role"] == "check"]
    for row in checks:
        p = row["conformance"]
        said = [f"{row['id']} within ±{row['tolerance'] * _MM:.2f} mm: {row['verdict']}"]
        said.append("no probability" if p is None else f"p = {p:.3f}")
        if row["lod95"] is not None:
            share = 100 * row["lod95"] / row["caliper"]["value"]
            said.append(f"an error of {row['lod95'] * _MM:.2f} mm ({share:.2f} %) would show")
            said += [] if row["capable"] else ["NOT CAPABLE"]
        yield _line("check", ", ".join(said))
    if not checks:
        yield _line("check", "UNCHECKED: no reading has the role check")


def _contact(report: Mapping[str, Any]) -> Iterator[str]:
    inflation, deficit = _distance(report, "inflation"), _distance(report, "deficit")
    if inflation and deficit:
        sure = "certified" if inflation["certified"] and deficit["certified"] else "sampled"
        yield _line(
            "contact",
            f"phantom p99 {inflation['p99'] * _MM:.3f}, max {inflation['maximum'] * _MM:.3f} mm; "
            f"missing p99 {deficit['p99'] * _MM:.3f}, max {deficit['maximum'] * _MM:.3f} mm ({sure})",
        )
    for bound in report["bounds"]:
        if bound["parts"]:
            sure = "certified" if bound["certified"] else "partly sampled"
            way = "scan to asset" if bound["direction"] == "forward" else "asset to scan"
            parts = " + ".join(f"{p['maximum'] * _MM:.3f}" for p in bound["parts"])
            yield _line("bound", f"{way} at most {bound['total'] * _MM:.3f} mm = {parts} ({sure})")


def _closure(report: Mapping[str, Any]) -> Iterator[str]:
    found = report["closure"]
    if found is None:
        return
    if found["fault"]:
        yield _line("closure", f"BUG: {found['fault']}")
        return
    to = "scan" if found["reference"] == "scan" else "closed surface"
    said = [
        f"{ends} {max(way['maximum'], 0.0) * _MM:.3f} of {way['bound'] * _MM:.3f} mm"
        for ends, way in (("scan to asset", found["forward"]), (f"asset to {to}", found["backward"]))
    ]
    yield _line("closure", f"{'; '.join(said)} measured by other code: {found['verdict'].upper()}")


def _budgets(report: Mapping[str, Any]) -> Iterator[str]:
    for entry in report["budgets"]:
        held = "held" if entry["held"] else "OVER"
        yield _line(
            "budget", f"{entry['name']} {entry['lost'] * _MM:.3f} of {entry['limit'] * _MM:.3f} mm (p99): {held}"
        )


def _unseen(report: Mapping[str, Any]) -> Iterator[str]:
    for term in _terms(report, "Unobserved"):
        if term["fraction"] > 0.001:
            yield _line(
                "unseen",
                f"{term['area'] * 1e6:.0f} mm2, {term['fraction'] * 100:.0f} % of area: closed by {term['closed_by']}; "
                "excluded from the mm above",
            )


def _slots(report: Mapping[str, Any]) -> Iterator[str]:
    size = _slot(report, "size")
    if size and _of_kind(size):
        yield _line("size", f"x1 [{size['lo']:.5g}, {size['hi']:.5g}] {size['method']}{_of_kind(size)}")
    at_size = ", at this size" if size and size.get("keeps") == "density" else ""
    for name, label, factor, unit in (("mass", "mass", 1e3, "g"), ("friction/slide", "friction", 1.0, "")):
        slot = _slot(report, name)
        if slot:
            low, high = slot["lo"] * factor, slot["hi"] * factor
            method = slot["method"].upper() if slot["method"] == "assumed" else slot["method"]
            yield _line(
                label,
                f"{slot['nominal'] * factor:.4g} [{low:.4g}, {high:.4g}] {unit} {method}".replace("  ", " ")
                + (_of_kind(slot) and _of_kind(slot) + (at_size if name == "mass" else "")),
            )
    inertia = _slot(report, "inertia")
    if inertia:
        yield _line(
            "inertia", f"x{inertia['nominal']:.4g} [{inertia['lo']:.3g}, {inertia['hi']:.3g}] {inertia['method']}"
        )


def _of_kind(slot: Mapping[str, Any]) -> str:
    """Return what the interval of a slot says of other objects of the kind, nothing where it is of this one alone."""
    if slot["population"] == "this_object":
        return ""
    match slot["recipe"]:
        case "prediction":
            said = f"prediction {100 * slot['level']:.4g} %"
        case "tolerance":
            said = f"{100 * slot['level']:.4g} % of all with confidence {100 * slot['confidence']:.4g} %"
        case "minmax_margin":
            said = "smallest to largest with a margin, no probability"
        case _:
            return "; of any object of this kind, by declaration"
    return f"; {said}, from {slot['n']} objects"


def _blind(report: Mapping[str, Any]) -> Iterator[str]:
    if report["blind_spots"]:
        yield _line("blind", "; ".join(spot.partition(": ")[0] for spot in report["blind_spots"]))


def label(row: Mapping[str, Any]) -> str:
    """Return how a reading is called on a screen: its id where it has one of its own, the feature, the role."""
    id_ = "" if row["id"] == row["feature"] else f"{row['id']} "
    return f"{id_}{row['feature']} {'CHECK' if row['role'] == 'check' else 'calibrate'}"


def _caliper(row: Mapping[str, Any]) -> str:
    c = row["caliper"]
    return f"{c['value'] * _MM:.2f}±{2 * c['u'] * _MM:.2f}"


def _line(name: str, text: str) -> str:
    return f"{name:<9}{text}"


def _mm(value: float | None) -> str:
    return "-" if value is None else f"{value * _MM:.2f}"


def _signed(value: float | None) -> str:
    return "-" if value is None else f"{value * _MM:+.2f}"


def _terms(report: Mapping[str, Any], type_: str) -> Iterator[Mapping[str, Any]]:
    return (t for p in report["passes"] for t in p["terms"] if t["type"] == type_)


def _scalar(report: Mapping[str, Any], id_: str) -> float | None:
    return next((float(t["value"]) for t in _terms(report, "Scalar") if t["id"] == id_), None)


def _distance(report: Mapping[str, Any], role: str) -> Mapping[str, Any] | None:
    return next((t for t in _terms(report, "DirectedDistance") if t["role"] == role), None)


def _slot(report: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    return next((s for s in report["slots"] if s["name"] == name), None)
