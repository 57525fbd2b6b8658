"""Codes of this range; see the package for the ranges."""

from __future__ import annotations

from r2s.compiler.codes._code import Code

CODES: tuple[Code, ...] = (
    Code(
        "R2S601",
        "reading without a feature",
        "The scan does not have the feature of a calibrate reading, or has it below its resolution floor, so this "
        "reading cannot tune the scale. The message gives the reason.",
        "Measure another feature, or scan the side that is missing.",
        severity="warning",
    ),
    Code(
        "R2S602",
        "large correction of scale",
        "The scan has a unit, and the calipers changed its scale by more than 2 %. Scanners are mostly better than "
        "that.",
        "Check the unit and the readings; if they are right, calibrate the scanner.",
        severity="warning",
    ),
    Code(
        "R2S603",
        "calipers contradict the scan's scale",
        "The scan has a unit, and the calipers differ from it by more than 8 %: no drift of a scanner, but a wrong "
        "unit, feature or reading.",
        "Correct the unit or the readings; a scan whose scale is arbitrary needs --unit arbitrary.",
    ),
    Code(
        "R2S604",
        "free scale may not be set",
        "The scan has a scale of its own, and --scale verify forbids to change it, so its size would mean nothing.",
        "Use --scale auto.",
    ),
    Code(
        "R2S605",
        "unknown scale mode",
        "The scale pass knows the modes auto, apply and verify.",
        "Use one of them.",
        exit_code=2,
    ),
    Code(
        "R2S606",
        "readings do not agree on one scale",
        "The readings scatter about the common scale by more than their uncertainties allow. The uncertainty of the"
        " scale was widened by the Birge ratio. A surface offset, a soft object, or a slip does this.",
        "Measure the reading that stands out again; give the true accuracy of the instrument; mark soft parts "
        "compliant.",
        severity="note or warning",
    ),
    Code(
        "R2S631",
        "inconclusive check",
        "The probability that the asset meets the tolerance of a check reading lies between 5 % and 95 %, or the "
        "feature could not be measured on the compiled model, or not on the raw scan, without which the error has no "
        "uncertainty. Neither pass nor fail would be honest.",
        "Measure with a better instrument, repeat the reading, widen the tolerance if the use allows it, or scan "
        "again.",
        severity="warning",
    ),
    Code(
        "R2S633",
        "unchecked",
        "Every length on the sheet may tune the asset, so none of them can confirm it.",
        "Mark a reading that the fit does not need with role: check, or measure one more length.",
        severity="note",
    ),
    Code(
        "R2S634",
        "a pass lost a feature",
        "The stage before a pass has the feature of a reading, its result has not: a thin wall became solid, a hollow "
        "was filled, a face was cut away. The message gives the reason.",
        "Ask that pass for less loss with its max_error option; a wall that is thin for the scan needs a denser one.",
        severity="note",
    ),
    Code(
        "R2S635",
        "a feature beyond its tolerance",
        "The asset differs from a reading by more than the reading's tolerance; a note where that is the default. "
        "Named is the pass with the largest share; what the scan itself had wrong is inherited and no pass can mend "
        "it.",
        "Ask that pass for less loss with its max_error option, or state another tolerance.",
        severity="note or warning",
    ),
    Code(
        "R2S641",
        "over budget",
        "A pass lost more, as p99 of its directed distances, than --within or --budget allows it. No asset was "
        "written.",
        "Allow more, or ask the pass for less loss with its max_error option.",
        exit_code=4,
    ),
    Code(
        "R2S642",
        "calipers disagree",
        "A check reading says that the finished asset does not meet its tolerance, with a conformance probability "
        "of 5 % or less (JCGM 106). An earlier asset was left as it is; the failed report holds the waterfall.",
        "Measure the feature again, see in the waterfall which pass moved it, and look for a wrong unit, role or "
        "feature.",
        exit_code=6,
    ),
    Code(
        "R2S651",
        "bound too loose to mean much",
        "The error measured directly between scan and asset is under a fifth of the sum of the passes' bounds. The "
        "bound holds, but the errors of the passes lie in different places or cancel, so it tells little of this "
        "asset. The direct figures of closure in the report tell more.",
        "Nothing, if the direct figures suit you; else look which part of the bound is largest and ask that pass for "
        "less with its max_error.",
        severity="note",
    ),
)
