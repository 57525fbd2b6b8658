"""Codes of bugs of ours: the user did nothing wrong."""

from __future__ import annotations

from r2s.compiler.codes._code import Code

CODES: tuple[Code, ...] = (
    Code(
        "R2S900",
        "unexpected exception",
        "Something broke that r2s did not foresee. The input may be unusual, but a traceback is always a bug of ours.",
        "Report it with the scan, the sheet and the command; R2S_DEBUG=1 prints the traceback.",
        exit_code=70,
    ),
    Code(
        "R2S901",
        "broken value between passes",
        "A pass made a value that breaks the rules of its type. The input is not at fault.",
        "Report it with the scan, the sheet and the command.",
        exit_code=70,
    ),
    Code(
        "R2S902",
        "a pass breaks its contract",
        "A pass in the catalogue is not a frozen dataclass with a typed run.",
        "Report it; if the pass is yours, see docs/add-a-pass.md.",
        exit_code=70,
    ),
    Code(
        "R2S903",
        "a pass broke",
        "A pass raised something that is no error of r2s.",
        "Report it with the scan, the sheet and the command.",
        exit_code=70,
    ),
    Code(
        "R2S904",
        "no such stage",
        "The virtual caliper was asked to measure a stage on a value that has none.",
        "Report it; if the pass is yours, see docs/add-a-pass.md.",
        exit_code=70,
    ),
    Code(
        "R2S905",
        "pass left no value",
        "The store holds a record of a pass without the value it made.",
        "Run with another --cache and report it.",
        exit_code=70,
    ),
    Code(
        "R2S906",
        "out of memory",
        "The manager itself, not a pass, ran out of memory.",
        "Free memory and run again; report it if the scan is small.",
        exit_code=70,
    ),
    Code(
        "R2S907",
        "closure violated",
        "Every pass says how far its result is off at most, and these bounds add. The distance measured directly "
        "between the scan and the emitted files, by other code than the passes use, is larger than their sum. So a "
        "pass loses more than it says, and no figure of this build can be trusted. The input is not at fault.",
        "Report it with the scan, the sheet and the command; the failed report holds the parts of the bound and the "
        "place. If a pass of your own is in the pipeline, look at its directed distances first.",
        exit_code=70,
    ),
    Code(
        "R2S908",
        "emitted files are not what was measured",
        "The XML and meshes, read back as text, do not hold the convex pieces whose errors were measured: a piece is "
        "missing, moved, turned, mirrored or torn. The input is not at fault.",
        "Report it with the scan, the sheet and the command.",
        exit_code=70,
    ),
)
