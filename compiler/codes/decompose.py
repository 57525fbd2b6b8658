"""Codes of the decomposition into convex pieces; see the package for the ranges."""

from __future__ import annotations

from r2s.compiler.codes._code import Code

CODES: tuple[Code, ...] = (
    Code(
        "R2S501",
        "a limit of decompose makes no sense",
        "An error, a share or a count given to decompose is negative, not finite, or a share of 1 or more.",
        "Give max_error and prune_error as lengths, max_volume_error as a share below 1, and counts as whole numbers; "
        "0 lets decompose choose.",
        exit_code=2,
    ),
    Code(
        "R2S502",
        "nothing solid to decompose",
        "Every convex piece of the surface is flat: MuJoCo collides no solid that thin, and neither can anything be "
        "decomposed.",
        "Check the unit and that the scan shows a body and not a sheet; a sheet needs a thickness.",
    ),
    Code(
        "R2S503",
        "walls thinner than the error of the pieces",
        "The thinnest wall of the surface, the length of rays inwards from it, is below max_error. Convex pieces may "
        "be wrong by that much, so a wall this thin is not safely told from the space beside it. The largest outward "
        "error that the pieces really have is in the report, certified.",
        "Compare the certified inflation with the clearance your task needs; ask for less with a smaller max_error.",
        severity="warning",
    ),
    Code(
        "R2S504",
        "the pieces stand out further than asked",
        "No decomposition that was tried keeps the 99th percentile of phantom contact below max_error. The best one "
        "found is used, and its measured error is in the report.",
        "Raise max_pieces if you set it, accept a larger max_error, or simplify less: noise makes walls rough.",
        severity="warning",
    ),
    Code(
        "R2S505",
        "the pieces fill more, or less, space than asked",
        "The union of the pieces differs from the surface in volume by more than max_volume_error. With thin walls a "
        "small outward error is a large share of the volume. Mass and inertia are not touched: they come from the "
        "closed surface.",
        "If the phantom contact in millimetres suits your task, allow a larger max_volume_error; else allow more "
        "pieces or a smaller max_error.",
        severity="warning",
    ),
)
