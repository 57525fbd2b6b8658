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
        "The readings scatter about the common scale by more than their uncertainties allow (chi-square, p under 5 %), "
        "however much of the makers' limits they may share. The uncertainty of the scale was widened by the Birge "
        "ratio, from four readings on after Bodnar and Elster. The message names the reading that stands out; it stays "
        "in the fit. A slip, a soft object, a surface offset, or an accuracy that is too good to be true does this.",
        "Measure the reading that stands out again; give the true accuracy of the instrument; mark soft parts "
        "compliant.",
        severity="warning",
    ),
    Code(
        "R2S607",
        "readings too good to be true",
        "Four or more readings agree with the scan better than their own resolution, repeats and the scan's noise make "
        "likely (p over 99.7 %), whatever they share and with nothing assumed counted. Either these are overstated, or "
        "the values were copied from the scan and test nothing. Fewer readings do so by rounding alone too often to "
        "say anything.",
        "Write down what the instrument showed, digit by digit, and its true accuracy and resolution.",
        severity="warning",
    ),
    Code(
        "R2S608",
        "surface offset",
        "Readings of different size or kind (outside, inside, step) ask for faces that lie further out or in than the "
        "scan's, by over 2 of the fit's uncertainties, and Akaike's criterion agrees. Spray, bleeding edges, a probe's "
        "size, or a zero error of the caliper does this. No face is moved: the scale alone is applied, and its "
        "uncertainty holds what that costs. A warning over 3 uncertainties.",
        "Look for what stands on the surface of the scan; close the caliper and look at its zero.",
        severity="note or warning",
    ),
    Code(
        "R2S609",
        "another scale along each axis",
        "The readings along the axes of the object's box, two or more along each, ask for different scales (p under "
        "5 %, a warning under 0.3 %). Depth cameras and drift do this. One scale for all is what is used.",
        "Calibrate the scanner, or scan the object lying another way.",
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
        "R2S632",
        "check not capable",
        "The uncertainty of a check is over a third of its tolerance, so an error of the whole tolerance would often "
        "escape it and a good asset would often not pass. The message gives the smallest error that the check would "
        "detect (5 % false alarms, 95 % power), and how many more calibrate readings would make it capable, if any "
        "number would. A warning where the check is inconclusive, else a note.",
        "Add that many readings, take a better instrument, or widen the tolerance if the use allows it.",
        severity="note or warning",
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
        "R2S636",
        "check used again",
        "These check readings have judged other builds of this scan before and turned some of them down. Whoever "
        "changes options until a check passes has calibrated with it: the more often it is asked, the less its yes "
        "means. The count is kept in the cache folder, by the hash of scan and check readings; it is in no report, so "
        "that equal builds stay equal.",
        "Measure a fresh feature as check once the options are settled.",
        severity="note",
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
        "R2S643",
        "calibrate readings contradict each other",
        "One scale does not explain the calibrate readings (chi-square, p under 0.3 %), neither an offset nor a scale "
        "of each axis explains them, and a reading lies further from the others than its own tolerance. A fit through "
        "that would be wrong for all of them. No asset was written; the failed report holds each reading's residual "
        "to the others. No reading is ever dropped by itself.",
        "Measure the named reading again: unit, feature, jaws. If it is wrong for good, take it out of the sheet and "
        "write down why; if the scan is, widen its tolerance.",
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
    Code(
        "R2S654",
        "recompiles failed",
        "Some recompiles of --monte-carlo ended with an error, as the build itself would with errors as large as its "
        "own account says. Their results are missing from the spread, which is too small if large errors caused it.",
        "Look up the code that the message names; where it is a limit, allow more with --limit.",
        severity="warning",
    ),
)
