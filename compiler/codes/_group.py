"""The groups of the catalogue: the stages of a build at which a code can appear."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Group:
    """
    A range of codes with one source.

    *name* is its module and what ``explain`` calls it, *also* other words for it, *digit* the first of its numbers.
    """

    name: str
    digit: str
    title: str
    when: str
    also: tuple[str, ...] = ()


GROUPS: tuple[Group, ...] = (
    Group(
        "usage",
        "0",
        "Command line, pipeline text and options",
        "Raised before anything is read: the command, a recipe or an option makes no sense.",
        ("command", "options", "recipe", "pipeline"),
    ),
    Group("readers", "1", "Readers of scan files", "What the bytes of the scan say.", ("read", "file")),
    Group(
        "sheet",
        "2",
        "The caliper sheet",
        "measurements.yaml, read before the scan; the message names line and column.",
        ("calipers", "measurements"),
    ),
    Group(
        "ingest",
        "3",
        "Units, axes and points",
        "What a number of the file means, and whether its points can make an object.",
        ("settle", "units"),
    ),
    Group("surface", "4", "Surface and simplify", "From points or faces to one closed surface.", ("simplify", "mesh")),
    Group("decompose", "5", "Convex pieces", "From the surface to what MuJoCo collides.", ("pieces",)),
    Group(
        "verdict",
        "6",
        "Scale, check and budget",
        "The fit on the calibrate readings, and the judgement on the check readings and the budgets.",
        ("scale", "judge", "check", "budget"),
    ),
    Group(
        "emission",
        "7",
        "Emission and what MuJoCo compiled",
        "Mass, friction, the MJCF, and the same model as MuJoCo reads it back.",
        ("emit", "mujoco", "mjcf"),
    ),
    Group(
        "build",
        "8",
        "Cache, worker and output files",
        "The machine around the passes: files, memory, time.",
        ("cache", "store", "worker", "output"),
    ),
    Group("bugs", "9", "Bugs of r2s", "The user did nothing wrong.", ("bug", "internal")),
)
