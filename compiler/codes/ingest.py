"""Codes of units, axes and points: R2S301 to R2S319 settle what a number means, R2S320 to R2S349 clean the points."""

from __future__ import annotations

from r2s.compiler.codes._code import Code

_UNITS: tuple[Code, ...] = (
    Code(
        "R2S301",
        "no unit and no length",
        "OBJ, STL, PLY, XYZ and PCD files carry no unit, and no calibrate reading that the scan can answer says how"
        " large the object is. Check readings may not decide, because they judge the result. A guess from magnitude"
        " alone would be wrong by a factor of a thousand sooner or later.",
        "Give --unit mm (or m, cm, in), or add one calibrate length to the caliper sheet.",
    ),
    Code(
        "R2S302",
        "one reading near no unit",
        "The only calibrate reading gives a ratio that lies more than 8 % from every named unit. Either the scan has"
        " a scale of its own, as photogrammetry has, or the reading is wrong; one reading cannot tell which.",
        "Measure a second, different feature, or say --unit arbitrary if the scan has a scale of its own.",
    ),
    Code(
        "R2S303",
        "readings disagree",
        "The calibrate readings ask for different scales of one and the same scan. A fit through them would make"
        " every length wrong, so nothing is fitted.",
        "Measure the named reading again and look at the guess: a radius for a diameter, a slipped decimal point,"
        " another unit, an inside jaw for an outside one, two readings exchanged.",
    ),
    Code(
        "R2S304",
        "declared unit contradicted",
        "The unit given with --unit and the calipers differ by more than 8 %, and the calipers agree among"
        " themselves, or the one reading is off by the ratio of two units. Often a scale was already applied by an"
        " exporter.",
        "Drop --unit to let the calipers decide, or correct the readings.",
    ),
    Code(
        "R2S305",
        "unit settled by calipers",
        "The file has no unit. The calibrate readings lie within 8 % of a named unit and agree with each other.",
        "Nothing to do. Give --unit to say it yourself.",
        severity="note",
    ),
    Code(
        "R2S306",
        "free scale",
        "The readings agree with each other but with no named unit, as with photogrammetry or a normalised export."
        " The scale pass anchors the size to the calibrate readings.",
        "Nothing to do. More readings of different features make the scale more certain.",
        severity="note or warning",
    ),
    Code(
        "R2S307",
        "format's unit contradicted",
        "The format defines a unit (glTF: metres), and the calipers agree on another. The exporter broke the rule of"
        " the format; the calipers win.",
        "Export again with the right unit, or ignore the warning.",
        severity="warning",
    ),
    Code(
        "R2S308",
        "reading takes no part in settling the unit",
        "The feature cannot be measured on the raw points yet, or is too uncertain to tell one unit from another. The"
        " reading still takes part in the scale fit and the verdict where it can.",
        "Nothing to do if other readings settle the unit.",
        severity="note",
    ),
    Code(
        "R2S309",
        "axes mapped",
        "The caliper lengths fit the scan only if another of its axes points up. The scan was rotated, never mirrored.",
        "Nothing to do if the asset stands upright. If it does not, two readings were exchanged: measure again.",
        severity="warning",
    ),
    Code(
        "R2S310",
        "object turned about z",
        "extent_x and extent_y are widths along the scan's own axes, and the object lies turned between them.",
        "Name the same jaws extent_long, extent_mid and extent_short: those follow the object's own box.",
    ),
    Code(
        "R2S311",
        "axes cannot be read",
        "An axis map names the file axis, with its sign, that becomes x, y and z in turn. It must be a rotation: a"
        " mirror would make another object.",
        "Write z-up, y-up, x-up, or a map such as +x-z+y.",
        exit_code=2,
    ),
    Code(
        "R2S312",
        "unknown unit of the scan",
        "--unit names the unit of the file's numbers.",
        "Use one of the units that the message lists, or arbitrary where the scan has a scale of its own.",
        exit_code=2,
    ),
)

_POINTS: tuple[Code, ...] = (
    Code(
        "R2S320",
        "points without a place",
        "Depth cameras mark holes with NaN and out-of-range returns with infinity. Such points were dropped and"
        " counted.",
        "Nothing to do unless the count is a large part of the scan.",
        severity="warning",
    ),
    Code(
        "R2S321",
        "points given twice",
        "Exact copies of a point say nothing new and spoil the spacing; one of each was kept.",
        "Nothing to do.",
        severity="note",
    ),
    Code(
        "R2S322",
        "too few points",
        "Four points in different places are the least that can enclose a volume; copies of one count once, and a point"
        " without a place counts for nothing.",
        "Export the whole scan; look whether a filter removed the points, or whether the exporter wrote the same one"
        " again and again.",
    ),
    Code(
        "R2S323",
        "points on a line",
        "All points lie on one line, so there is no surface to find.",
        "Look whether two columns of the file were lost or hold the same number.",
    ),
    Code(
        "R2S324",
        "points on a plane",
        "All points lie on one plane, or scatter about it by no more than their noise. The object has no thickness"
        " and so no volume and no mass.",
        "Scan the other side, or describe the part as a box with a measured thickness.",
    ),
    Code(
        "R2S325",
        "precision already lost",
        "The coordinates are so far from the origin that their number format steps by a visible part of the object."
        " What is lost cannot be found again.",
        "Subtract the offset before the export, or export in double precision.",
    ),
    Code(
        "R2S326",
        "size out of reason",
        "With the unit given, the object is over 10 m or under 0.1 mm large. r2s makes assets of things that fit in a"
        " hand or on a floor; such a size nearly always means a wrong unit.",
        "Give the right --unit, or let a calibrate reading decide.",
    ),
    Code(
        "R2S327",
        "strays dropped",
        "A few points float far from everything else, as flying pixels do. Sparse parts of the object hang together"
        " and are kept; strays do not.",
        "Nothing to do; use -p ingest.strays=keep if they belong to the object.",
        severity="warning",
    ),
    Code(
        "R2S328",
        "support plane cut away",
        "The scan holds the table under the object. Its plane reaches far beyond the object's footprint and nothing"
        " lies below it, so it was cut, and the object's underside is taken to rest on it.",
        "Nothing to do; use -p ingest.support=none if the plane belongs to the object.",
        severity="warning",
    ),
    Code(
        "R2S329",
        "several objects on the table",
        "After the table was cut, several parts of like size remain that do not touch.",
        "Crop the scan to one object.",
    ),
    Code(
        "R2S330",
        "points thinned",
        "The scan is denser than later passes can use. Points were averaged in the cells of a fixed grid.",
        "Nothing to do; -p ingest.limit=1000000 keeps more points and takes longer.",
        severity="note",
    ),
    Code(
        "R2S331",
        "normals without a side",
        "Neighbouring normals point to opposite sides, so they do not tell inside from outside. They were dropped and"
        " are estimated anew.",
        "Export normals that were oriented by the camera, or none.",
        severity="warning",
    ),
    Code(
        "R2S332",
        "normals pointed inward",
        "All normals point into the object, as some exporters write them. They were reversed.",
        "Nothing to do.",
        severity="warning",
    ),
    Code(
        "R2S333",
        "normals not usable",
        "Some normals have no length or are no numbers. All were dropped and are estimated anew.",
        "Nothing to do.",
        severity="note",
    ),
    Code(
        "R2S334",
        "underside not seen",
        "No point was seen on the underside, so the object is taken to rest on the plane of its lowest points.",
        "Nothing to do if it stood on a table; scan the underside too if its shape matters.",
        severity="note",
    ),
    Code(
        "R2S335",
        "scan levelled",
        "The table under the object was tilted in the scan; the scan was turned so that the table is level.",
        "Nothing to do.",
        severity="warning",
    ),
    Code(
        "R2S337",
        "two skins",
        "Parts of the surface occur twice, one skin behind the other, both facing the same way. Two passes of the"
        " scanner were not registered to each other.",
        "Register the passes again; until then the gap is part of the error budget.",
        severity="warning",
    ),
    Code(
        "R2S338",
        "no support plane",
        "ingest.support=cut insists on a table under the object, and no plane of points reaches beyond its footprint"
        " with nothing below it.",
        "Use support=auto, or keep more of the table when the scan is cropped: it must show on most sides.",
    ),
    Code(
        "R2S340",
        "not the artefact that was named",
        "device-check was told that the scan is of a sphere, a plate or a block, and most of its points lie on none, "
        "or on one that is bent or of other proportions. A fit through it would measure the object, not the scanner.",
        "Name what was scanned, crop the scan to it, and scan a ball or block that is not worn.",
    ),
    Code(
        "R2S341",
        "too little of the artefact was seen",
        "The radius of a small cap cannot be told from its centre, and a face that few points lie on has no form. "
        "device-check then has nothing to hold against the size that was named.",
        "Scan it from all sides, as near as you scan your objects.",
    ),
    Code(
        "R2S342",
        "artefact of another size",
        "In the unit that was given or that the format defines, the artefact's length is over 8 % from the size that "
        "was named: another unit, or another artefact. A scanner with a free scale at each scan cannot be checked so.",
        "Give the --unit that the message proposes, or look at the size.",
    ),
)

CODES: tuple[Code, ...] = _UNITS + _POINTS
