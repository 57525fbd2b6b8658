"""What a user asks of a build: as a value, and as plain data from which the same can be asked again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from r2s.compiler.devices import label
from r2s.compiler.pipeline import DEFAULT, Pipeline
from r2s.compiler.worker import Limits


@dataclass(frozen=True)
class Request:
    """
    Everything that a user can ask of a build; defaults are those of the command line.

    *instances* are sheets of objects like the scanned one; *intervals* is the recipe of each slot's interval as text,
    by slot or ``all`` (see :mod:`r2s.compiler.intervals.asked`).
    *device* is a class of scanners or the path of a profile (see :mod:`r2s.compiler.devices`).
    *depfile* is where make's dependencies go; *recipe* is the file that options were read from, which they name too.
    *dump* is a folder for the stages, *emit* which of them; without a folder they go beside the output.
    *monte_carlo* is how often to compile again under errors drawn from *seed*, 0 for not at all.
    *rehearsal* is a build that nobody chooses by, so that its checks are not counted as asked.
    """

    scan: Path
    output: Path | None = None
    calipers: Path | None = None
    instances: tuple[Path, ...] = ()
    pipeline: Pipeline = field(default_factory=lambda: Pipeline.parse(DEFAULT))
    unit: str = ""
    axes: str = "auto"
    scale_mode: str = "auto"
    device: str = "unknown"
    within: float | None = None
    budgets: dict[str, float] = field(default_factory=dict)
    intervals: dict[str, str] = field(default_factory=dict)
    stop_after: str = ""
    cache: Path | None = None
    limits: Limits = field(default_factory=Limits)
    salt: str = ""
    monte_carlo: int = 0
    seed: int = 1
    depfile: Path | None = None
    recipe: Path | None = None
    dump: Path | None = None
    emit: tuple[str, ...] = ()
    rehearsal: bool = False


# What can change a byte of the asset and its report.  Cache, limits, depfile, dump and rehearsal cannot, and files are
# named by their hash elsewhere.
_EFFECTIVE = (
    "unit",
    "axes",
    "scale_mode",
    "device",
    "within",
    "budgets",
    "intervals",
    "stop_after",
    "salt",
    "monte_carlo",
    "seed",
)


def effective(request: Request) -> dict[str, Any]:
    """
    Return every option of *request* that can change a written byte, JSON-ready; lengths in metres.

    The profile of a device stands there by the name of its file, as inputs do.
    """
    options = {name: getattr(request, name) for name in _EFFECTIVE}
    return {"pipeline": str(request.pipeline), **options, "device": label(request.device)}


def again(
    options: Mapping[str, Any],
    *,
    scan: Path,
    output: Path,
    calipers: Path | None,
    instances: tuple[Path, ...],
    device: Path | None,
    cache: Path,
    limits: Limits,
) -> Request:
    """
    Return the request that :func:`effective` made *options* from, for files at these places.

    *device* is where the profile lies, None where *options* name a class.

    An option that *options* does not know, as those of an older manifest may not, has its default.
    """
    options = {name: options[name] for name in ("pipeline", *_EFFECTIVE) if name in options}
    if device is not None:
        options["device"] = str(device.absolute())  # so that no file is taken for a class of its name
    return Request(
        scan=scan,
        output=output,
        calipers=calipers,
        instances=instances,
        pipeline=Pipeline.parse(options.pop("pipeline")),
        cache=cache,
        limits=limits,
        **options,
    )
