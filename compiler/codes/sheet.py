"""Codes of the caliper sheet and of units; see the package for the ranges."""

from __future__ import annotations

from r2s.compiler.codes._code import Code

CODES: tuple[Code, ...] = (
    Code(
        "R2S201",
        "sheet cannot be read",
        "The caliper sheet could not be opened: no such file, no permission, a folder, or links in a loop.",
        "Check the path after --calipers.",
    ),
    Code(
        "R2S202",
        "sheet is not UTF-8",
        "A byte of the sheet belongs to another encoding, such as Latin-1 or UTF-16. The message gives its offset.",
        "Save the file as UTF-8; a byte order mark and Windows line ends are fine.",
    ),
    Code(
        "R2S203",
        "sheet too large",
        "A sheet may have 1 MB, 10000 values and 24 levels. Real ones have a few kilobytes and four levels.",
        "Check that the file is the caliper sheet; put long series of readings into a file of their own.",
    ),
    Code(
        "R2S204",
        "not YAML",
        "The file breaks YAML's grammar at the place given: a bracket, a colon, a tab, indentation, or a control "
        "character.",
        "Correct that line; indent with spaces, and quote texts that begin with * or &.",
    ),
    Code(
        "R2S205",
        "key given twice",
        "YAML readers silently keep the last of two equal keys, so one of the two values would be lost.",
        "Keep one of them; repeated readings go into values: [...].",
    ),
    Code(
        "R2S206",
        "aliases not allowed here",
        "Aliases that multiply what they stand for can fill a computer's memory, and an alias inside its own "
        "anchor never ends.",
        "Write the readings out; an alias for shared defaults (<<: *name) is fine.",
    ),
    Code(
        "R2S207",
        "tag",
        "A tag such as !!float asks the reader to turn a text into something else. The sheet needs none.",
        "Remove the tag.",
    ),
    Code(
        "R2S208",
        "several documents",
        "A line of three dashes begins a second YAML document, and one sheet describes one object.",
        "Keep one document in a file.",
    ),
    Code(
        "R2S209",
        "empty sheet",
        "The file holds no value, so there is nothing to measure against.",
        "Begin with schema: 1 and measurements: with a list.",
    ),
    Code(
        "R2S210",
        "merge key",
        "The key << takes over the keys of a mapping, or of a list of mappings, and got something else.",
        "Write <<: *name, where &name stands at a mapping.",
    ),
    Code(
        "R2S211",
        "unknown key",
        "A key that schema 1 does not have, mostly a misspelling. Ignoring it would use a default in silence.",
        "Use the key that the message proposes.",
    ),
    Code(
        "R2S212",
        "missing key or value",
        "A key that is needed is absent, or stands there with nothing behind it.",
        "Write the value. A sheet without lengths says measurements: [].",
    ),
    Code(
        "R2S213",
        "wrong kind of value",
        "A list, a mapping or a single value stands where another of these is expected.",
        "Compare the entry with the examples in the documentation of the sheet.",
    ),
    Code(
        "R2S214",
        "not a number",
        "A number is written with digits, at most one point and an exponent. A text in quotes is no number.",
        "Write a number such as 80.5, without quotes.",
    ),
    Code(
        "R2S215",
        "decimal comma",
        "A comma is not a decimal sign in YAML; {value: 80,0} even means value 80 and a key 0.",
        "Write a point: 80.0.",
    ),
    Code(
        "R2S216",
        "ambiguous number",
        "Readers of YAML 1.1 take 050 as octal (40) and 1:20 as base 60 (80), others do not.",
        "Write the plain decimal number.",
    ),
    Code(
        "R2S217",
        "not finite",
        "Not-a-number and infinity pass through every comparison and end as a silent nonsense.",
        "Write a finite number, or leave the reading out.",
    ),
    Code(
        "R2S218",
        "number out of range",
        "A length, mass or density must be over zero and within what a hand tool can measure.",
        "Check sign, digits and exponent.",
    ),
    Code(
        "R2S219",
        "not a truth value",
        "Only true and false are truth values; yes, no, on and off mean different things to different readers.",
        "Write true or false.",
    ),
    Code(
        "R2S220",
        "unit missing",
        "Every value needs a unit: its own, in the text (57.03 mm), or for lengths the instrument's. None is assumed.",
        "Add unit: mm, or whatever the instrument shows.",
    ),
    Code(
        "R2S221",
        "unknown unit",
        "Lengths are in um, mm, cm, m, in; masses in g, kg, lb, oz; densities in kg/m^3, g/cm^3.",
        "Use one of these spellings.",
    ),
    Code(
        "R2S222",
        "two units",
        "A value carries one unit in its text and another in its unit key.",
        "Keep one of them.",
    ),
    Code(
        "R2S223",
        "unknown word",
        "A feature, role, kind or end is one of a fixed list, which the message gives or proposes from.",
        "Use a word of the list.",
    ),
    Code(
        "R2S224",
        "unknown schema",
        "The sheet says which version of its grammar it follows, and this compiler reads version 1.",
        "Write schema: 1.",
    ),
    Code(
        "R2S225",
        "name not allowed",
        "Names become file names and MJCF names, so they hold letters, digits, _ and -, at most 64.",
        "Rename it; a path is no name.",
    ),
    Code(
        "R2S226",
        "key does not fit the feature",
        "The key says nothing about this feature: an extent has no pick, a thickness no axis.",
        "Remove the key or correct the feature.",
    ),
    Code(
        "R2S230",
        "readings of one thing disagree",
        "Repeats lie over 10 times the accuracy and over 2 % apart: a blunder of reading or typing, no scatter.",
        "Measure again and correct the wrong one; different things need different features.",
    ),
    Code(
        "R2S231",
        "one measurand in two roles",
        "The same feature is to tune the asset and to check it. A check must not know what it checks.",
        "Give all readings of one feature the same role.",
    ),
    Code(
        "R2S232",
        "id given twice",
        "Ids name readings in the report; two readings of different things have the same.",
        "Give each its own id.",
    ),
    Code(
        "R2S233",
        "inside exceeds outside",
        "An inner diameter is not smaller than the outer one around it.",
        "Exchange the two values or correct the features.",
    ),
    Code(
        "R2S234",
        "extents out of order",
        "extent_long, extent_mid and extent_short are sorted by size, and the values are not.",
        "Exchange the features.",
    ),
    Code(
        "R2S235",
        "repeats say different things",
        "Repeated readings of one feature give two tolerances, temperatures or expansion coefficients.",
        "Give it once, or give the readings different ids.",
    ),
    Code(
        "R2S236",
        "accuracy missing",
        "An instrument of kind other has no usual accuracy.",
        "Add accuracy: the half-width that its maker promises.",
    ),
    Code(
        "R2S240",
        "impossible density",
        "No solid object is lighter than 5 or denser than 25000 kg/m^3; mostly g/cm^3 and kg/m^3 are mixed up.",
        "Correct the unit.",
    ),
    Code(
        "R2S241",
        "mass and density",
        "Mass alone fixes the inertia's scale; a density beside it is not used.",
        "Nothing, or remove the density.",
        severity="note",
    ),
    Code(
        "R2S242",
        "file of readings",
        "The file with friction readings must lie in the folder of the sheet or below, so that both travel together.",
        "Put it there and name it by its relative path.",
    ),
    Code(
        "R2S243",
        "measured without readings",
        "A coefficient counts as measured only where its readings are given; otherwise it is somebody's word.",
        "Give values: [...] or readings: FILE.",
        severity="note",
    ),
    Code(
        "R2S244",
        "interval of a coefficient",
        "lo and hi are the ends of the interval in which the value lies; both are needed and in that order.",
        "Write lo <= value <= hi.",
    ),
    Code(
        "R2S245",
        "coefficient given twice",
        "Two entries give the same coefficient against the same counter-surface.",
        "Name the surfaces with against:, or keep one entry.",
    ),
    Code(
        "R2S247",
        "accuracy assumed",
        "No instrument is named, so 0.1 mm is taken as the accuracy of these readings.",
        "Name the instrument's kind, or give accuracy.",
        severity="note",
    ),
    Code(
        "R2S248",
        "accuracy of a balance point assumed",
        "A balance point without accuracy is taken as good to 1 mm.",
        "Add accuracy.",
        severity="note",
    ),
    Code(
        "R2S249",
        "coefficient without interval",
        "A coefficient without lo and hi will be the same in every sample.",
        "Add lo and hi.",
        severity="note",
    ),
    Code(
        "R2S250",
        "length on the command line",
        "A length in an option needs a number over 0 and a unit, such as 1mm.",
        "Write it like 1mm, 0.5mm or 20um.",
        exit_code=2,
    ),
    Code(
        "R2S260",
        "another kind of object",
        "A sheet after --instances does not measure an object like the scanned one: it shares no reading with it, or "
        "one id means two things, or a length or the mass differs by so much that it is a slip or another kind. A "
        "reading that is a check on the sheet of the scanned object does not count: its value may tune nothing.",
        "Give readings of the same thing the same id on all sheets, check unit and digits, or leave the sheet out.",
    ),
    Code(
        "R2S261",
        "one object twice",
        "Two sheets hold the same bytes, so they are one object. Repeated readings of one object say how well it is "
        "known and nothing of the next; counted as two objects they would make every interval too narrow.",
        "Leave one out. If another object really gave the same readings, add a comment with its number to its sheet.",
    ),
    Code(
        "R2S262",
        "like object without a mass",
        "The scanned object was weighed and an object after --instances was not, so the masses of the kind are not "
        "known from as many objects as it seems.",
        "Weigh it and add mass: {value: 94.0, unit: g}, or leave its sheet out.",
    ),
    Code(
        "R2S264",
        "too few objects for an interval over objects",
        "A prediction, a tolerance or a smallest-to-largest interval is about the differences between objects. One "
        "object shows none, and two show one difference, from which nothing follows.",
        "Measure at least three objects, the scanned one included, or declare an interval with a reason.",
    ),
    Code(
        "R2S265",
        "two objects only",
        "One sheet of a like object makes two objects with the scanned one, which say nothing of a third. The slots "
        "keep the intervals of the scanned object alone.",
        "Add the sheet of one more object, or declare an interval with a reason.",
        severity="warning",
    ),
    Code(
        "R2S266",
        "tolerance interval from few objects",
        "The factor of a tolerance interval grows fast where objects are few: 9.8 standard deviations each way for "
        "three, 6.3 for four, 5.1 for five, 4.4 for six (95 % of all with 95 % confidence). Such an interval tells "
        "more of the number of objects than of the objects.",
        "Measure more objects, six or more, ask for less, or take the prediction.",
        severity="warning",
    ),
    Code(
        "R2S267",
        "slot not over objects",
        "Sheets of like objects were given, but one quantity was not measured on enough of them, or not on the "
        "scanned one, so its slot says how well this object is known and nothing of others.",
        "Measure it on every object, or declare an interval with a reason.",
        severity="note",
    ),
)
