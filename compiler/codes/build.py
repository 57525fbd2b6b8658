"""Codes of the store, the worker, the manager and the output files, and of measuring, verifying and comparing."""

from __future__ import annotations

from r2s.compiler.codes._code import Code

CODES: tuple[Code, ...] = (
    Code(
        "R2S801",
        "damaged cache entry",
        "An entry of the cache does not hold the bytes it was stored with: a disk fault, or somebody edited it. It "
        "was dropped.",
        "Run again; the entry is made anew. If it happens often, check the disk.",
    ),
    Code(
        "R2S802",
        "not reproducible",
        "The same pass with the same input, options and versions gave two different results. That breaks the "
        "promise of equal bytes.",
        "Compare with a fresh --cache, and report it with the scan and the platform.",
        exit_code=5,
    ),
    Code(
        "R2S803",
        "cache cannot be written",
        "The cache folder does not exist and cannot be made, is full, or may not be written.",
        "Name another folder with --cache or R2S_CACHE.",
    ),
    Code(
        "R2S804",
        "scan changed while it was read",
        "The file's hash after reading is not the one before. What was read would be stored under a wrong name, so "
        "it was not stored.",
        "Wait until the scanner has finished writing, and run again.",
    ),
    Code(
        "R2S805",
        "input cannot be read",
        "A file that the command or another file names, such as a recipe, does not exist, is no ordinary file, loops "
        "through links, or may not be read.",
        "Check the path and its permissions.",
    ),
    Code(
        "R2S806",
        "output folder is a link",
        "The folder of the output is a symbolic link, so the files land where it leads.",
        "Nothing, if that is meant; else name the real folder.",
        severity="warning",
    ),
    Code(
        "R2S807",
        "output is a link",
        "The output's name is a symbolic link. It is replaced by a regular file; its target is neither read nor "
        "changed.",
        "Nothing, if that is meant.",
        severity="note",
    ),
    Code(
        "R2S808",
        "output cannot be written",
        "The output folder is full, read-only or cannot be made.",
        "Check the folder, or name another with -o.",
    ),
    Code(
        "R2S809",
        "nothing can be printed",
        "stdout or stderr goes to a full disk or a broken device. The build itself was not disturbed: what it was to "
        "write, asset or report, is in place.",
        "See where stdout and stderr go, and run the command again: it answers from the cache.",
    ),
    Code(
        "R2S811",
        "pass over its time",
        "A pass used more CPU time than its limit, or waited four times as long, and was stopped. No other "
        "result was put in its place.",
        "Allow more with --limit 300s, simplify more, or scan with fewer points.",
    ),
    Code(
        "R2S812",
        "library broke down",
        "A native library crashed inside a pass, or went over its memory. The worker process was replaced; nothing "
        "was kept of its result.",
        "If it is memory, allow more with --limit 16GiB; else report the scan.",
    ),
    Code(
        "R2S813",
        "pass out of memory",
        "A pass asked for more memory than its limit.",
        "Allow more with --limit 16GiB, or scan with fewer points.",
    ),
    Code(
        "R2S814",
        "r2s changed during a build",
        "The key of an action holds r2s's own source; worker and manager no longer agree on it, so a file of r2s or"
        " of a package with passes was changed, installed or upgraded meanwhile.",
        "Run again.",
    ),
    Code(
        "R2S820",
        "not an asset",
        "verify wants the XML of an asset; the other files are found beside it.",
        "Write r2s-compile verify build/name.xml.",
        exit_code=2,
    ),
    Code(
        "R2S821",
        "no manifest",
        "There is no manifest beside the XML, so nothing says what the asset was made of. It was not built by r2s, or"
        " was copied without the files beside it.",
        "Copy name.xml together with name.manifest.json and all that it names, or build it again.",
    ),
    Code(
        "R2S822",
        "foreign manifest",
        "The file with the manifest's name is another program's, another version's, or lacks what a manifest holds.",
        "Build the asset again with this r2s.",
    ),
    Code(
        "R2S823",
        "damaged asset",
        "A file of the asset is missing, was changed, or lies there and is not of this build; or the manifest does not"
        " hold its own hash. Each finding is a line of the output.",
        "Restore the files, or build again; copy all files of an asset together.",
        exit_code=5,
    ),
    Code(
        "R2S824",
        "input of the build not found",
        "Rebuilding needs the scan and the caliper sheet that the manifest names, and one of them is not there.",
        "Say where it is with --scan or --calipers.",
    ),
    Code(
        "R2S825",
        "input changed since the build",
        "The file has the right name and another hash than the one the asset was built from, so rebuilding from it"
        " would prove nothing.",
        "Find the old file, for example in version control; or build the asset again from the new one.",
    ),
    Code(
        "R2S826",
        "rebuild differs",
        "The same inputs, options, versions and platform gave other bytes. That breaks the promise of r2s.",
        "Report it with the scan, the sheet and both manifests.",
        exit_code=5,
    ),
    Code(
        "R2S827",
        "rebuild too far away",
        "Another platform or other versions gave an asset that was measured to be further away than --within allows.",
        "Install the versions that the manifest names under tools, or allow more.",
        exit_code=5,
    ),
    Code(
        "R2S841",
        "report cannot be read",
        "diff wants two reports, or two assets with their reports beside them, and one of them is not there or may not"
        " be read.",
        "Check the path. A build that failed its verdict leaves NAME.failed.report.json instead.",
    ),
    Code(
        "R2S842",
        "not a report",
        "The file is empty, cut off, no text or no JSON, or holds what JSON does not have, such as NaN.",
        "Build the asset again; if a program of yours wrote the file, make it write strict JSON.",
    ),
    Code(
        "R2S843",
        "another kind of file, or another schema",
        "Reports name their schema. Numbers of two schemas need not mean the same, so they are not compared.",
        "Give NAME.report.json or the NAME.xml beside it; build again what another version of r2s has built.",
    ),
    Code(
        "R2S844",
        "damaged report",
        "The file names our schema but lacks a key of a report, or a value is of the wrong kind: text where a number"
        " belongs. An older r2s, an editor or a program wrote it.",
        "Build the asset again.",
    ),
    Code(
        "R2S845",
        "one id, two measurands",
        "A reading of the same id measures another feature, or a section at another height, in the other report. Their"
        " difference would be no change of anything.",
        "Give readings of different things different ids, on both sheets.",
    ),
    Code(
        "R2S846",
        "no reading in common",
        "Both reports have readings, and no id is in both, so there is no number to compare.",
        "Give the readings that measure the same thing the same id on both sheets.",
    ),
    Code(
        "R2S851",
        "nothing to measure",
        "The virtual caliper reads the features of a caliper sheet, and this sheet has none.",
        "Add readings under measurements, such as {feature: extent_x, value: 57.0, unit: mm}.",
    ),
    Code(
        "R2S861",
        "nothing sound to compare damage with",
        "inject damages the scan and the sheet and looks for what the sound build did not say. This one fails before "
        "any damage was done.",
        "Build the asset with its sheet first, and mend what the message names.",
    ),
)
