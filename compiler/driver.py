"""
One build from inputs to files: settle the unit, run the passes, measure, judge, write.

The order matters: everything that can tune the asset happens before the check readings are looked at.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from r2s.compiler import bounds, budget, outputs
from r2s.compiler.account import Account, Known, account_of, matter_of_asset, matter_of_sheet
from r2s.compiler.blind_spots import BlindSpot, blind_spots
from r2s.compiler.checklog import Asked, scored
from r2s.compiler.closure import close, left_out
from r2s.compiler.codec import canonical, sha256
from r2s.compiler.decision import Decision
from r2s.compiler.devices import Device, noise_for_priors
from r2s.compiler.direct import Directs
from r2s.compiler.dump.place import Place, place
from r2s.compiler.dump.stages import check_names, names
from r2s.compiler.dump.write import write as write_stages
from r2s.compiler.errors import Diagnostic, R2SError, UsageError
from r2s.compiler.experiment import Compared, check_draws, experiment
from r2s.compiler.inputs import Inputs, read_inputs
from r2s.compiler.intervals.asked import read_choices
from r2s.compiler.ir import Anchor, Asset
from r2s.compiler.judge import judge
from r2s.compiler.ledger import FLOOR, NOISE, SPACING, Scalar, StandardUncertainty
from r2s.compiler.manager import Manager, Observer, Trace, default_cache
from r2s.compiler.manifest import manifest, text_of
from r2s.compiler.measured import StageReadings
from r2s.compiler.pipeline import Pipeline
from r2s.compiler.readings import Reading, Sheet
from r2s.compiler.report import report
from r2s.compiler.request import Request
from r2s.compiler.responses import SolidResponse
from r2s.compiler.store import DamagedEntryError, Store
from r2s.compiler.verdict import failure_of

__all__ = ["Build", "Request", "asset_name", "compile_asset", "run"]


@dataclass(frozen=True)
class Build:
    """
    What a build made; *written* is None for a pipeline that stops before an asset.

    *files* are all that were written, or were there with these bytes, in the order of writing.  *asked* is what the
    check readings had judged before, None where they judged nothing; it is in no file of the build.  *blind* is what no
    check could have seen, as the report has it in words.
    """

    report: dict[str, Any]
    diagnostics: tuple[Diagnostic, ...]
    traces: tuple[Trace, ...]
    written: Path | None
    failure: R2SError | None = None
    files: tuple[Path, ...] = ()
    asked: Asked | None = None
    blind: tuple[BlindSpot, ...] = ()


def compile_asset(
    scan: str | Path,
    output: str | Path,
    calipers: str | Path | None = None,
    instances: Iterable[str | Path] = (),
    **options: Any,
) -> Build:
    """
    Compile *scan* into a MuJoCo asset at *output* (``.xml``) and return the build.

    *instances* are caliper sheets of objects like the scanned one; *options* are fields of :class:`Request`.  Raises a
    child of R2SError: InvalidInputError for a scan or sheet that cannot be used, OverBudgetError and
    CalipersDisagreeError for a build that fails its verdict.
    """
    sheet = Path(calipers) if calipers is not None else None
    build = run(Request(Path(scan), Path(output), sheet, tuple(map(Path, instances)), **options))
    if build.failure is not None:
        raise build.failure
    return build


def run(request: Request, observe: Observer = lambda _: None, shared: Manager | None = None) -> Build:
    """
    Run *request*; a failed verdict is returned in ``Build.failure``, every other error is raised.

    Many builds may use one *shared* manager, whose worker then loads its libraries once; it keeps its own store, limits
    and observer.

    A damaged cache entry is dropped where it is met and the build starts again, once.
    """
    if request.monte_carlo:
        _check_draws(request)
    where, said = outputs.layout(request.output) if request.output is not None else (None, ())
    limits = budget.split(request.within, request.budgets)
    view = _view(request)
    begun = time.time_ns()
    asked = read_choices(f"{slot}={recipe}" for slot, recipe in request.intervals.items())
    inputs = read_inputs(request.scan, request.calipers, request.instances, asked, request.device)
    read = (*inputs.files, *((request.recipe,) if request.recipe is not None else ()))
    if view is not None:
        view.refuse(read)
    if request.depfile is not None:
        outputs.write_depfile(request.depfile, request.output, read)

    # an input from a clock that is ahead is newer than now
    read_at = max(begun, inputs.newest)

    def attempt() -> Build:
        store = shared.store if shared is not None else Store(request.cache or default_cache())
        own = Manager(store, request.limits, salt=request.salt, observe=observe) if shared is None else None
        with own or nullcontext(shared) as manager:
            assert manager is not None
            reached: list[Trace] = []

            def dumped(failure: R2SError | None) -> tuple[Path, ...]:
                name = asset_name(inputs.sheet.object or inputs.stem)
                return write_stages(manager, view, reached, name=name, failure=failure) if view is not None else ()

            try:
                made = _make(manager, request, inputs, where, reached.append)
            except DamagedEntryError:
                raise
            except R2SError as error:
                with suppress(R2SError):  # what ended the build is what the user must read
                    dumped(error)
                raise
            build = _conclude(store, request, inputs, made, where, said, limits, read_at, observe)
            depfile = (request.depfile,) if request.depfile is not None else ()
            return replace(build, files=(*depfile, *build.files, *dumped(build.failure)))

    try:
        return attempt()
    except DamagedEntryError:
        return attempt()


@dataclass(frozen=True)
class _Made:
    decision: Decision
    traces: tuple[Trace, ...]
    stages: tuple[StageReadings, ...]
    solid: SolidResponse | None
    directs: Directs | None


def _view(request: Request) -> Place | None:
    """Return where stages are to be written; raise UsageError before the work where they cannot be."""
    pipeline = request.pipeline.upto(request.stop_after) if request.stop_after else request.pipeline
    check_names(request.emit, names(pipeline.names()))
    return place(request.dump, request.emit, request.output)


def _make(
    manager: Manager,
    request: Request,
    inputs: Inputs,
    where: outputs.Layout | None,
    took: Callable[[Trace], None],
) -> _Made:
    calibrate = inputs.sheet.of_role("calibrate")
    asked = {
        "unit": request.unit,
        "mode": request.scale_mode,
        "readings": calibrate,
        "axes": request.axes,
        "kinds": _kinds(inputs),
    }
    for step in request.pipeline.steps:
        if hasattr(step, "support"):  # the table that ingest will cut must not be measured
            asked["support"] = step.support
    decision: Decision = manager.ask("settle", asked, inputs.source)
    pipeline = request.pipeline.given(_given(request, inputs, decision, where))
    if request.stop_after:
        pipeline = pipeline.upto(request.stop_after)
    traces = manager.run(pipeline, inputs.source, took)
    stages = _measure(manager, inputs.sheet.readings, traces, _MEASURED)
    return _Made(decision, traces, stages, _respond(manager, pipeline, traces), _direct(manager, traces))


def _given(
    request: Request, inputs: Inputs, decision: Decision, where: outputs.Layout | None
) -> dict[str, dict[str, object]]:
    sheet = inputs.sheet
    name = asset_name(sheet.object or inputs.stem)
    return {
        "ingest": {"unit": decision.unit, "factor": decision.factor, "axes": decision.axes},
        "scale": {
            "mode": request.scale_mode,
            "free": decision.free,
            "prior_u": inputs.device.prior_u,
            "prior_offset": inputs.device.prior_offset,
            **_registration(inputs.device),
            "readings": sheet.of_role("calibrate"),
            "kinds": _kinds(inputs),
        },
        "emit": {
            "model": name,
            "stem": where.stem if where is not None else name,
            "mass": sheet.mass,
            "density": sheet.density,
            "fill": sheet.fill,
            "com": sheet.com,
            "friction": sheet.friction,
            "objects": inputs.objects,
            "intervals": inputs.intervals,
        },
    }


def _registration(known: Device) -> dict[str, object]:
    """Return what the device promises of its registration, in metres or in multiples of the scan's noise."""
    prior = known.prior("registration")
    if prior is None:
        return {}
    return {"of_noise": prior.of_noise} if math.isnan(prior.u) else {"registration": prior.whole}


def _kinds(inputs: Inputs) -> tuple[str, ...]:
    """Kinds of feature on the whole sheet: a height is along the axis of revolution where any reading is a diameter."""
    return tuple(sorted({r.feature.kind for r in inputs.sheet.readings}))


# what is measured on the value of which pass
_MEASURED = {
    "scan": "surface",
    "surface": "surface",
    "simplified": "simplify",
    "pieces": "decompose",
    "model": "emit",
}


def _measure(
    manager: Manager, readings: tuple[Reading, ...], traces: tuple[Trace, ...], wanted: Mapping[str, str]
) -> tuple[StageReadings, ...]:
    features = tuple((r.id, r.feature) for r in readings)
    made = {t.name: t.digest for t in traces}
    return tuple(
        manager.ask("measure", {"stage": stage, "features": features}, made[name])
        for stage, name in wanted.items()
        if features and name in made
    )


def _respond(manager: Manager, pipeline: Pipeline, traces: tuple[Trace, ...]) -> SolidResponse | None:
    """Return what errors of the scan do to the closed surface as a solid; None for a build that stopped before it."""
    if len(traces) < 2:
        return None
    origin = next((step.origin for step in pipeline.steps if step.name == "emit"), "base")
    solid: SolidResponse = manager.ask("respond", {"origin": origin}, traces[-1].digest)
    return solid


def _direct(manager: Manager, traces: tuple[Trace, ...]) -> Directs | None:
    """Return what was measured past all passes, None for a pipeline that stops before an asset."""
    emitted = next((t.digest for t in traces if t.name == "emit"), None)
    if emitted is None:
        return None
    cutoff = left_out(term for t in traces for term in t.terms)
    directs: Directs = manager.ask("closure", {"left_out": cutoff}, emitted)
    return directs


def _conclude(
    store: Store,
    request: Request,
    inputs: Inputs,
    made: _Made,
    where: outputs.Layout | None,
    said: tuple[Diagnostic, ...],
    limits: dict[str, float],
    read_at: int,
    observe: Observer,
) -> Build:
    terms = {t.name: t.terms for t in made.traces}
    every = [t for of_pass in terms.values() for t in of_pass]
    anchor, asset = _ends_of(store, made.traces)
    slots = asset.slots if asset is not None else "{}"
    known = _known(inputs, made, anchor, asset)
    account = account_of(known)
    judgement = judge(inputs.sheet.readings, made.stages, anchor, account)
    entries = budget.entries(limits, terms)
    closure = close(made.directs, every, anchor.factor) if made.directs is not None else None
    # A bug first: what broke its own bound has no verdict to give.
    verdict = failure_of(judgement, entries, anchor.calibration)
    failure = closure.failure if closure is not None and closure.failure is not None else verdict
    spread: Compared | None = None
    doubts: tuple[Diagnostic, ...] = ()
    if request.monte_carlo and failure is None:
        spread, doubts = _experiment(store, request, inputs, made, account, known, observe)
    diagnostics = (
        *inputs.diagnostics,
        *made.decision.diagnostics,
        *(d for t in made.traces for d in t.diagnostics),
        *judgement.diagnostics,
        *(closure.diagnostics if closure is not None else ()),
        *doubts,
    )
    build_key = sha256(canonical([t.key for t in made.traces]))
    meshes = dict(asset.files()) if asset is not None else {}
    xml = asset.xml.replace("{build_key}", build_key) if asset is not None else ""
    scene = asset.scene.replace("{build_key}", build_key) if asset is not None else ""
    hash_ = outputs.asset_hash(meshes, slots, scene, xml) if asset is not None else ""
    blind = blind_spots(inputs, made.decision, judgement, anchor, every)
    data = report(
        name=asset_name(inputs.sheet.object or inputs.stem),
        inputs=inputs,
        decision=made.decision,
        traces=made.traces,
        judgement=judgement,
        anchor=anchor,
        bounds=bounds.compose(every, anchor.factor),
        account=account,
        budgets=entries,
        closure=closure,
        spread=spread,
        scan_to_asset=_scan_to_asset(store, made.traces, asset),
        slots=json.loads(slots),
        asset=hash_,
        blind=blind,
        diagnostics=diagnostics,
    )
    text = canonical(data) + "\n"
    asked = None
    if asset is not None and judgement.verdict != "UNCHECKED" and not request.rehearsal:
        asked = scored(store.root, inputs.source.sha256, inputs.check_digest, build_key, judgement.verdict)
    told = (*said, *diagnostics, *(asked.diagnostics if asked is not None else ()))
    if where is None or asset is None:
        return Build(data, told, made.traces, None, failure, asked=asked, blind=blind)
    if failure is not None:
        failed = outputs.write_failed(where, text)
        return Build(data, told, made.traces, None, failure, (failed,), asked, blind)
    texts = {"slots.json": slots, "report.json": text}
    hashes = {f"{where.stem}.assets/{n}": sha256(d) for n, d in meshes.items()}
    hashes |= {f"{where.stem}.{k}": sha256(t) for k, t in (*texts.items(), ("scene.xml", scene), ("xml", xml))}
    texts["manifest.json"] = text_of(manifest(inputs, request, made.decision, made.traces, build_key, hash_, hashes))
    texts["scene.xml"] = scene
    files = outputs.write(where, meshes, texts, xml, read_at=read_at)
    return Build(data, told, made.traces, where.xml, None, files, asked, blind)


def _check_draws(request: Request) -> None:
    """Raise UsageError where nothing could be seen of the recompiles that are asked for."""
    check_draws(request.monte_carlo, request.seed)
    if request.stop_after and len(request.pipeline.upto(request.stop_after).steps) < 2:
        what = f"--monte-carlo has nothing to compare after {request.stop_after}"
        raise UsageError("R2S055", what, hint="let the build go on to the surface at least, or leave out --stop-after")


def _experiment(
    store: Store,
    request: Request,
    inputs: Inputs,
    made: _Made,
    account: Account,
    known: Known,
    observe: Observer,
) -> tuple[Compared, tuple[Diagnostic, ...]]:
    """Return how far the outputs scatter when the scan is compiled again under drawn errors."""

    def manager(observe: Observer) -> Manager:
        return Manager(store, request.limits, salt=request.salt, observe=observe)

    def recompile(manager: Manager, pipeline: Pipeline, sheet: Sheet) -> dict[str, float]:
        drawn = replace(inputs, sheet=sheet)
        # the account speaks of the fitted scale, whether or not the build applied it
        given = _given(replace(request, scale_mode="apply"), drawn, made.decision, None)
        traces = manager.run(pipeline.given(given), inputs.source)
        stages = _measure(manager, sheet.readings, traces, {"scan": "surface"})
        again = _Made(made.decision, traces, stages, _respond(manager, pipeline, traces), None)
        found = account_of(_known(drawn, again, *_ends_of(store, traces)))
        return {o.name: o.value for o in found.outputs}

    pipeline = request.pipeline.upto(request.stop_after) if request.stop_after else request.pipeline
    return experiment(
        account,
        known,
        inputs.sheet,
        pipeline,
        recompile,
        manager,
        count=request.monte_carlo,
        seed=request.seed,
        observe=observe,
    )


def _ends_of(store: Store, traces: tuple[Trace, ...]) -> tuple[Anchor, Asset | None]:
    """Return the anchor and the asset, where the passes came so far."""
    values = {t.name: store.fields(t.digest) for t in traces if t.name in ("scale", "emit")}
    return values["scale"].anchor if "scale" in values else Anchor(), values.get("emit")


def _known(inputs: Inputs, made: _Made, anchor: Anchor, asset: Asset | None) -> Known:
    """Return what the account is made from."""
    terms = [t for trace in made.traces for t in trace.terms]
    if asset is not None:
        slots = json.loads(asset.slots).get("slots", [])
        matter = matter_of_asset(asset, inputs.sheet, terms, slots)
    else:
        matter = matter_of_sheet(inputs.sheet, made.solid.volume * anchor.factor**3) if made.solid is not None else None
    noise = next((t.u for t in terms if isinstance(t, StandardUncertainty) and t.id == NOISE), 0.0)
    numbers = {t.id: t.value for t in terms if isinstance(t, Scalar)}
    return Known(
        scan=next((s.values for s in made.stages if s.stage == "scan"), ()),
        solid=made.solid,
        anchor=anchor,
        device=inputs.device,
        noise=noise,
        prior_noise=noise_for_priors(noise, numbers.get(SPACING, 0.0), numbers.get(FLOOR, 0.0)),
        terms=tuple(terms),
        matter=matter,
        stopped=bool(inputs.sheet.of_role("calibrate")) and all(t.name != "scale" for t in made.traces),
        scan_source=inputs.source.sha256,
        scale_source=sha256(inputs.source.sha256 + inputs.calibrate_digest),
        sheet_source=sha256(canonical([getattr(inputs.sheet, n) for n in ("mass", "density", "fill", "com")])),
    )


def _scan_to_asset(store: Store, traces: tuple[Trace, ...], asset: Asset | None) -> list[list[float]] | None:
    if asset is None:
        return None
    ingest = next(t for t in traces if t.name == "ingest")
    matrix = asset.to_asset @ store.fields(ingest.digest).from_source
    rows: list[list[float]] = matrix.tolist()
    return rows


def asset_name(text: str) -> str:
    """
    Return *text* as a name that is safe in MJCF and in a file name.

    >>> asset_name('br"<ack>&et 1')
    'br__ack__et_1'
    """
    safe = re.sub(r"[^A-Za-z0-9_-]", "_", text).strip("_-")[:64]
    return safe or "asset"
