"""Codes of the command line, the pipeline text and options."""

from __future__ import annotations

from r2s.compiler.codes._code import Code

CODES: tuple[Code, ...] = (
    Code(
        "R2S001",
        "two packages define one pass",
        "Two installed packages offer a pass under one name, so the name does not say which one runs.",
        "Uninstall one of them, or ask its author to rename the pass.",
        exit_code=2,
    ),
    Code(
        "R2S002",
        "unknown pass",
        "The pipeline names a pass that no installed package offers.",
        "Run r2s-compile passes to see what exists.",
        exit_code=2,
    ),
    Code(
        "R2S003",
        "pass not in this pipeline",
        "An option or --stop-after names a pass that exists but that this pipeline does not run.",
        "Add the pass to --passes, or drop the option.",
        exit_code=2,
    ),
    Code(
        "R2S004",
        "unreadable pipeline text",
        "A pipeline is passes joined by |, each with options in braces: surface{method=poisson depth=9}.",
        "Compare with the text that r2s-compile passes prints.",
        exit_code=2,
    ),
    Code(
        "R2S005",
        "unknown option",
        "The pass has no option of that name.",
        "Run r2s-compile passes NAME to see its options.",
        exit_code=2,
    ),
    Code(
        "R2S006",
        "unreadable option value",
        "The value does not fit the type of the option: a number, a length with unit, true or false, or a word.",
        "Write lengths with a unit, as in decompose.max_error=0.5mm.",
        exit_code=2,
    ),
    Code(
        "R2S007",
        "passes do not meet",
        "Each pass turns one kind of value into another; the one before must make what the next one wants.",
        "Keep the usual order: ingest, surface, simplify, decompose, scale, emit.",
        exit_code=2,
    ),
    Code(
        "R2S010",
        "no such budget",
        "A budget can be set only for a pass that loses a distance.",
        "Name one of surface, simplify, decompose, emit.",
        exit_code=2,
    ),
    Code(
        "R2S011",
        "unknown device",
        "The device names a class of scanners, whose uncertainties become priors of the build, or a file with the "
        "profile of one's own scanner, as r2s-compile device-check writes it.",
        "Name one of the classes that the message lists, the path of a profile that ends in .yaml, or leave it out.",
        exit_code=2,
    ),
    Code(
        "R2S012",
        "unusable output name",
        "The output is the path of the XML; every other file goes beside it under the same stem.",
        "Write -o build/name.xml.",
        exit_code=2,
    ),
    Code(
        "R2S020",
        "unreadable command line",
        "A word, option or argument on the command line is not understood.",
        "See r2s-compile --help and r2s-compile build --help.",
        exit_code=2,
    ),
    Code(
        "R2S021",
        "no output named",
        "A build writes an asset, so it must know where.",
        "Add -o build/name.xml, or --stop-after PASS to write none.",
        exit_code=2,
    ),
    Code(
        "R2S022",
        "unreadable setting",
        "A setting has the form name=value.",
        "Write -p decompose.max_error=0.5mm or --budget decompose=0.8mm.",
        exit_code=2,
    ),
    Code(
        "R2S023",
        "unreadable limit",
        "A limit is a time or an amount of memory with its unit.",
        "Write --limit 300s, --limit 5min or --limit 16GiB.",
        exit_code=2,
    ),
    Code(
        "R2S024",
        "unusable recipe",
        "A recipe is a YAML file that holds options of a build and nothing else.",
        "Compare with the recipe in docs/file-formats.md.",
    ),
    Code(
        "R2S025",
        "unknown code or stage",
        "Only codes that r2s prints and the stages at which they appear can be explained.",
        "Run r2s-compile explain to list the stages, and explain STAGE to list its codes.",
        exit_code=2,
    ),
    Code(
        "R2S026",
        "nothing to prune",
        "Pruning needs to know how much may stay.",
        "Add --older-than DAYS, --max-size MB or --all.",
        exit_code=2,
    ),
    Code(
        "R2S040",
        "name that make cannot hold",
        "A depfile names the XML and every input as make reads them. Spaces, #, $, %, :, =, * and the like are quoted; "
        "a few names have no quoted form, so make would take them for others.",
        "Rename the file, or build without -MD.",
        exit_code=2,
    ),
    Code(
        "R2S041",
        "depfile without a place or a target",
        "A depfile says what the XML was made from, so there must be an XML, named with -o, and the depfile may not "
        "take the place of a file that the build reads or writes.",
        "Add -o build/name.xml, and leave out -MF or name a file of its own.",
        exit_code=2,
    ),
    Code(
        "R2S045",
        "unreadable interval",
        "The interval of a slot is asked for as prediction, tolerance, minmax_margin, declared or budget, each with "
        "what it needs. A margin or a declared interval that nobody can account for would look like a measurement, so "
        "both need a unit and a reason.",
        "Write --interval prediction, --interval tolerance:0.95,0.95, "
        "--interval 'mass=minmax_margin:0.3g:why so much' or --interval 'mass=declared:90g..98g:who says so'.",
        exit_code=2,
    ),
    Code(
        "R2S046",
        "like objects without the scanned one",
        "The sheets after --instances are compared with the sheet of the scanned object: which lengths they share, and "
        "by how much they differ. Without that sheet there is nothing to compare them with.",
        "Add --calipers measurements.yaml.",
        exit_code=2,
    ),
    Code(
        "R2S048",
        "device profile cannot be read",
        "--device names a file that is not there, is no ordinary file, or may not be read.",
        "Check the path; make a profile with r2s-compile device-check.",
    ),
    Code(
        "R2S049",
        "unusable device profile",
        "A profile (schema r2s-device/1) holds the terms scale, offset, registration, drift and noise, each with u or "
        "half_width over 0, a unit and a source. Nothing is guessed: a misspelt key or a unit that does not fit "
        "would make every figure of the report wrong.",
        "Compare the place that the message names with docs/devices.md, or measure again: r2s-compile device-check.",
    ),
    Code(
        "R2S047",
        "no such damage",
        "--only of inject names a kind of damage that there is not.",
        "Name kinds that r2s-compile inject --help lists, with commas between.",
        exit_code=2,
    ),
    Code(
        "R2S050",
        "nothing says what was scanned",
        "device-check holds a scan against an artefact of known size: a sphere, a block or a plate. Each artefact is "
        "that of the scans named before it.",
        "Write device-check ball.ply --sphere 25.400mm, or --block 25.4x50.8x76.2mm, or --plate.",
        exit_code=2,
    ),
    Code(
        "R2S051",
        "table in the place of an input",
        "-o of inject names the scan or the sheet itself, which the table would overwrite.",
        "Name another file, such as build/cube.inject.json.",
        exit_code=2,
    ),
    Code(
        "R2S052",
        "unusable name of a profile",
        "device-check writes a YAML file, which --device then reads.",
        "Write -o my_scanner.yaml.",
        exit_code=2,
    ),
    Code(
        "R2S055",
        "unusable number of recompiles",
        "--monte-carlo compiles the scan that many times under drawn errors, to see how far the results scatter. One "
        "has no spread, and each takes as long as a build; --seed is a whole number from 0, and belongs to it.",
        "Write --monte-carlo 20 for a first look, 50 for a verdict, with a build that goes to the surface at least.",
        exit_code=2,
    ),
    Code(
        "R2S042",
        "no such stage",
        "--emit names a stage that the build does not make: another word, or one that lies behind --stop-after.",
        "Name stages that the message lists, with commas between: --emit surface,pieces.",
        exit_code=2,
    ),
    Code(
        "R2S043",
        "no place for stages",
        "--dump writes a folder of its own, which a later dump replaces whole, so no other files may lie there. --emit "
        "writes beside the output, or into the folder of --dump, and never over a file that the build reads.",
        "Name a new or empty folder after --dump, or add -o build/name.xml to --emit.",
        exit_code=2,
    ),
)
