"""
Runs the trials: damages the input, builds it as far as the answer needs, and compares with the sound build.

Everything goes through the store by the hash of the damaged file, so a run that was stopped goes on where it was.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from r2s.compiler.closure import close, left_out
from r2s.compiler.codec import plain
from r2s.compiler.corruption import Corrupted, Corruption
from r2s.compiler.driver import run
from r2s.compiler.errors import InternalError, InvalidInputError, R2SError
from r2s.compiler.inputs import Inputs, read_inputs
from r2s.compiler.ir import Asset
from r2s.compiler.known_bad.sheet_text import sheet_text
from r2s.compiler.known_bad.sight import Finding, Sight, from_closure, seen, sight_of
from r2s.compiler.known_bad.trials import KINDS, Known, Trial, moved_picks, trials
from r2s.compiler.manager import Event, Manager, Observer, default_cache
from r2s.compiler.measurements import parse_sheet
from r2s.compiler.request import Request
from r2s.compiler.store import DamagedEntryError, Store

SCHEMA = "r2s-inject/1"
# Pieces may be coarse: what is tried is whether damage is seen, and coarse pieces change no scan and no reading.
QUICK = "ingest | surface | decompose{share=0.05} | scale | emit"
_NEXT_TO_NOTHING = 1e-3  # of the points: damage that touches fewer is there already

_EARLY = ("ingest", "scale")  # where it pays to look before going on

Begun = Callable[[int, int, str], Observer]


@dataclass(frozen=True)
class Tried:
    """One trial and what came of it: ``seen``, ``missed``, ``harmless``, ``present`` already, or ``impossible``."""

    trial: Trial
    outcome: str
    findings: tuple[Finding, ...] = ()
    why: str = ""
    blind: str = ""


def inject(request: Request, only: tuple[str, ...] = (), begun: Begun = lambda *_: lambda _: None) -> dict[str, Any]:
    """
    Return what every trial came to (schema ``r2s-inject/1``).

    *request* names scan, sheet and options; its pipeline is run to the asset and nothing is written.  *begun* is told
    which trial of how many begins, and returns the observer of its passes.
    Raises InvalidInputError (R2S861) where the uncorrupted build fails, so that nothing could be compared with it.
    """
    request = replace(request, output=None, stop_after="", rehearsal=True)
    inputs = read_inputs(request.scan, request.calipers)
    _refuse_lossy(inputs)
    store, watcher = Store(request.cache or default_cache()), _Watcher()
    with (
        tempfile.TemporaryDirectory(prefix="r2s-inject-") as scratch,
        Manager(store, request.limits, salt=request.salt, observe=watcher) as manager,
    ):
        return _Bench(request, inputs, Path(scratch), manager, watcher, begun).tables(only)


class _Watcher:
    """The observer of the one manager, which passes on to whoever watches the trial that runs."""

    def __init__(self) -> None:
        self.now: Observer = lambda _: None

    def __call__(self, event: Event) -> None:
        self.now(event)


def _refuse_lossy(inputs: Inputs) -> None:
    """Raise InternalError where a sheet written anew says something else: that would be seen as damage."""
    again, _ = parse_sheet(sheet_text(inputs.sheet).encode(), inputs.sheet_name, None)
    for mine, theirs in zip(inputs.sheet.readings, again.readings, strict=True):
        if mine != theirs:
            raise InternalError("R2S904", f"reading {mine.id} changes when the sheet is written anew")


class _Bench:
    """One scan on the bench: the sound builds, kept, and what damage is compared with."""

    def __init__(
        self, request: Request, inputs: Inputs, scratch: Path, manager: Manager, watcher: _Watcher, begun: Begun
    ) -> None:
        self.request, self.inputs, self.scratch = request, inputs, scratch
        self.manager, self.watcher, self.begun = manager, watcher, begun
        early = [name for name in _EARLY if name in request.pipeline.names()]
        self.stops = (*early, "")

    def tables(self, only: tuple[str, ...]) -> dict[str, Any]:
        self.watcher.now = self.begun(0, 0, "the uncorrupted build")
        self.sound = run(self.request, shared=self.manager)
        if self.sound.failure is not None:
            what = f"the uncorrupted build fails already: {self.sound.failure.message}"
            raise InvalidInputError("R2S861", what, hint="mend that first: damage shows only against a sound build")
        self.sights = {stop: self._sight(self.request, stop) for stop in self.stops}
        every = trials(self._known(), only)
        tried = []
        for index, trial in enumerate(every):
            self.watcher.now = self.begun(index + 1, len(every), _told(trial))
            tried.append(self._try(trial))
        return self._document(tried)

    def _known(self) -> Known:
        report, sheet = self.sound.report, self.inputs.sheet
        unit = report["unit"]
        up = unit["axes"][4:6]
        noise = self.sights[""].noise
        pieces = len(self._asset().hulls.pieces)
        return Known(sheet, unit["factor"], 0.0 if math.isnan(noise) else noise, up, pieces)

    def _asset(self) -> Asset:
        emitted = next(t.digest for t in self.sound.traces if t.name == "emit")
        asset: Asset = self.manager.store.load(emitted)
        return asset

    def _try(self, trial: Trial) -> Tried:
        if trial.impossible:
            return Tried(trial, "impossible", why=trial.impossible)
        if trial.piece is not None:
            return self._without_piece(trial)
        corrupted: Corrupted | None = None
        if trial.scan is not None:
            corrupted = self._corrupted(trial.scan)
            if corrupted.impossible:
                return Tried(trial, "impossible", why=corrupted.impossible)
            if corrupted.touched <= _NEXT_TO_NOTHING * corrupted.points:
                return self._present(trial)
        request = self._damaged(trial, corrupted)
        for stop in self.stops:
            found = seen(self.sights[stop], self._sight(request, stop))
            if found:
                return Tried(trial, "seen", found)
        if trial.harmless:
            return Tried(trial, "harmless", why=trial.harmless)
        if corrupted is not None and self._looks_the_same(trial, corrupted):
            return Tried(trial, "harmless", why="the object looks the same afterwards")
        return self._missed(trial)

    def _corrupted(self, damage: Corruption) -> Corrupted:
        found: Corrupted = self.manager.ask("corrupt", {"damage": damage}, self.inputs.source)
        return found

    def _looks_the_same(self, trial: Trial, corrupted: Corrupted) -> bool:
        """
        Whether a damage that moves the object as a whole left it as it was.

        With the sheet made anew a place means nothing: it is enough that the object is a mirror image of itself in some
        plane, for then every mirror image of it is the object, turned.
        """
        if trial.kind == "mirror_all":
            images = (self._corrupted(Corruption("mirror", axis=axis)) for axis in "xyz")
            return any(image.apart <= image.alike for image in images)
        return trial.kind in ("mirror", "swap") and corrupted.apart <= corrupted.alike

    def _damaged(self, trial: Trial, corrupted: Corrupted | None) -> Request:
        """Return the request for the damaged input, written to the scratch folder as a user's files would lie there."""
        sheet, request = self.inputs.sheet, self.request
        if corrupted is not None:
            scan = self.scratch / f"{self.inputs.stem}.ply"
            scan.write_bytes(corrupted.data)
            request = replace(request, scan=scan)
        if trial.follows != "nothing" and corrupted is not None:
            sheet = moved_picks(sheet, corrupted.matrix, ends=trial.follows == "all")
        if trial.edit is not None:
            sheet = trial.edit(sheet)
        if sheet is not self.inputs.sheet:
            written = self.scratch / "measurements.yaml"
            written.write_text(sheet_text(sheet))
            request = replace(request, calipers=written)
        return request

    def _sight(self, request: Request, stop: str) -> Sight:
        try:
            return sight_of(run(replace(request, stop_after=stop), shared=self.manager), whole=not stop)
        except DamagedEntryError:
            raise
        except R2SError as error:
            return sight_of(error, whole=not stop)

    def _present(self, trial: Trial) -> Tried:
        """Return what the sound build said of damage that its scan has already."""
        said = [d for d in self.sights[""].warnings.values() if d.code.startswith("R2S4")]
        found = tuple(Finding("warned", d.code, d.message, "the scan") for d in said)
        why = "the scan is so already, and its own build says so" if found else "the scan is so already"
        return Tried(trial, "present", found, why)

    def _missed(self, trial: Trial) -> Tried:
        kind = "mirror" if trial.kind == "mirror_all" else trial.kind
        spot = next((s for s in self.sound.blind if s.covers(kind, trial.size)), None)
        return Tried(trial, "missed", blind="" if spot is None else str(spot))

    def _without_piece(self, trial: Trial) -> Tried:
        """Take one colliding geom out of the emitted asset and let closure judge what is left."""
        asset = self._asset()
        root = ET.fromstring(asset.xml)
        body = root.find("worldbody/body")
        assert body is not None
        geoms = [g for g in body.iter("geom") if g.get("class") == "collision"]
        body.remove(geoms[trial.piece or 0])
        lacking = replace(asset, xml=ET.tostring(root, encoding="unicode"))
        digest = self.manager.store.put(lacking)
        every = [term for trace in self.sound.traces for term in trace.terms]
        directs = self.manager.ask("closure", {"left_out": left_out(every)}, digest)
        found = close(directs, every, float(self.sound.report["scale"]["factor"]))
        if found.failure is None:
            return self._missed(trial)
        return Tried(trial, "seen", (from_closure(found.failure),))

    def _document(self, tried: list[Tried]) -> dict[str, Any]:
        report = self.sound.report
        return {
            "schema": SCHEMA,
            "name": report["name"],
            "scan": report["inputs"]["scan"],
            "calipers": report["inputs"]["calipers"],
            "pipeline": str(self.request.pipeline),
            "tools": report["tools"],
            "trials": [_row(one) for one in tried],
            "table": _table(tried),
            "unexplained": [_told(one.trial) for one in tried if one.outcome == "missed" and not one.blind],
            "blind_spots": report["blind_spots"],
        }


def _told(trial: Trial) -> str:
    return trial.title if trial.told == trial.of else f"{trial.title}, {trial.told}"


def _row(one: Tried) -> dict[str, Any]:
    trial = one.trial
    damage = None if trial.scan is None else plain(asdict(trial.scan))
    return {
        "kind": trial.kind,
        "of": trial.of,
        "size": trial.size,
        "told": trial.told,
        "damage": damage,
        "outcome": one.outcome,
        "findings": [asdict(f) for f in one.findings],
        "why": one.why,
        "blind_spot": one.blind,
    }


def _table(tried: list[Tried]) -> list[dict[str, Any]]:
    """Return one line for each kind and variant with sizes: what was tried, the smallest seen, and by what."""
    groups: dict[str, list[Tried]] = {}
    for one in tried:
        apart = one.trial.kind in ("axis_scale", "mirror", "mirror_all", "swap")
        groups.setdefault(one.trial.title if apart else KINDS[one.trial.kind], []).append(one)
    return [_line(title, some) for title, some in groups.items()]


def _line(title: str, some: list[Tried]) -> dict[str, Any]:
    shown = [one for one in some if one.outcome in ("seen", "present")]
    first = shown[0] if shown else None
    return {
        "corruption": title,
        "tried": [one.trial.told for one in some if one.outcome != "impossible"],
        "smallest_seen": None if first is None else first.trial.told,
        "seen_by": None if first is None or not first.findings else asdict(first.findings[0]),
        "missed": [one.trial.told for one in some if one.outcome == "missed"],
        "harmless": [one.trial.told for one in some if one.outcome == "harmless"],
        "why": next((one.why for one in some if one.why), ""),
    }
