"""Codes of emission and of what MuJoCo compiled; see the package for the ranges."""

from __future__ import annotations

from r2s.compiler.codes._code import Code

_MASS = (
    Code(
        "R2S701",
        "mass assumed",
        "Neither a mass nor a density is on the caliper sheet, so the asset weighs what 1000 kg/m3 in its volume "
        "weigh. Everyday objects lie between 300 and 3000 kg/m3, which is the interval of the mass slot.",
        "Weigh the object and add mass: {value: 94.0, unit: g, accuracy: 0.5}; or name the density of its material.",
        severity="warning",
    ),
    Code(
        "R2S702",
        "friction assumed",
        "No sliding friction is on the caliper sheet. The asset gets 0.6 and its slot 0.3 to 1.0, marked assumed: dry"
        " everyday materials lie there, and a policy that must not depend on it should see all of it.",
        "Pull the object along the surface with a spring balance and add friction: {slide: {values: [...]}}.",
        severity="note",
    ),
    Code(
        "R2S703",
        "fill unknown",
        "A scan shows the outside. At the same mass a hollow object has a larger moment of inertia than a solid one, "
        "a thin sphere by 67 %. The asset is solid and the inertia slot reaches to the thin shell.",
        "Add fill: solid, or fill: {shell: 1.2, unit: mm}, to the caliper sheet.",
        severity="note",
    ),
    Code(
        "R2S704",
        "denser than any ordinary material",
        "The mass over the filled volume is more than copper has (8960 kg/m3). Either the mass is wrong, often its "
        "unit, or the closed surface is thinner than the object, as scans of blades and handles tend to be.",
        "Check the mass and its unit, and measure a thickness of the object with role: check.",
        severity="warning",
    ),
    Code(
        "R2S705",
        "lighter than foam",
        "The mass over the filled volume is less than packing foam has (30 kg/m3).",
        "Check the mass and its unit; for a thin hollow object add fill: {shell: ..., unit: mm}.",
        severity="warning",
    ),
    Code(
        "R2S706",
        "probably hollow",
        "If it were solid, the object would be lighter than most woods. It probably is hollow, and its moment of "
        "inertia then lies near the upper end of the slot.",
        "Add fill: {shell: 1.2, unit: mm} to the caliper sheet if the wall can be measured.",
        severity="note",
    ),
    Code(
        "R2S709",
        "mass and density disagree",
        "The measured mass in the closed surface's volume gives a higher density than the sheet names for the "
        "material. The mass is used.",
        "Check mass, density and the thickness of the mesh; one of the three is wrong.",
        severity="warning",
    ),
    Code(
        "R2S714",
        "wall thicker than the object",
        "A wall of that thickness inside the closed surface leaves less than 1 % of it hollow: the object is solid.",
        "Check the unit of the thickness, or write fill: solid.",
    ),
)

_READINGS = (
    Code(
        "R2S707",
        "balance points disagree",
        "Two balance points along one axis lie further apart than their accuracies allow. Their mean is used, and the"
        " interval of the centre of mass reaches to both.",
        "Balance the object again, and measure from the end that the sheet names: min is the end with the smaller"
        " coordinate along that axis.",
        severity="warning",
    ),
    Code(
        "R2S719",
        "balance point at the other end",
        "Measured from the other end of the extent the balance point would agree with the computed centre of mass, and "
        "from the end that the sheet names it does not. A mirror image of the object looks just so: no length tells it "
        "from the object. The balance point is used as the sheet has it.",
        "Look at the object: is the heavier side where the scan has it? Then mend from: on the sheet, min or max; else"
        " export the scan again without flipping an axis.",
        severity="warning",
    ),
    Code(
        "R2S708",
        "balance point outside the object",
        "The distance from the named end is longer than the object, so the point cannot be where it balances.",
        "Check the value, its unit and the end it was measured from.",
    ),
    Code(
        "R2S710",
        "name that cannot be used",
        "Names inside the MJCF are letters, digits, point, underscore and minus, at most 64; file names are printable"
        " and without a slash.",
        "Set object: in the caliper sheet, or choose another -o.",
    ),
    Code(
        "R2S711",
        "unknown word for an option of emit",
        "origin is base, com or scan; body is free or static.",
        "Use one of the words.",
        exit_code=2,
    ),
    Code(
        "R2S718",
        "declared interval without this object",
        "An interval that was declared for all objects of a kind leaves out the one that was scanned, so it is wrong or"
        " speaks of another kind.",
        "Check the unit and the ends of the interval.",
    ),
    Code(
        "R2S715",
        "damping not used",
        "Damping belongs to a joint. The asset is one rigid body, free or static, and has none that could be damped.",
        "Keep it on the sheet for the scene that has the joint.",
        severity="note",
    ),
    Code(
        "R2S716",
        "several counter-surfaces",
        "An asset has one friction, the sheet several, one a counter-surface. The first is nominal and the slot "
        "covers all.",
        "Put the surface of your scene first on the sheet.",
        severity="note",
    ),
)

_MUJOCO = (
    Code(
        "R2S712",
        "impossible inertia",
        "The integrals over the closed surface give moments of inertia that no body has: one is not positive, or "
        "larger than the sum of the others.",
        "The surface intersects itself or is turned inside out in parts; repair it, or use surface{method=poisson}.",
        exit_code=7,
    ),
    Code(
        "R2S713",
        "too small for MuJoCo",
        "MuJoCo refuses a moving body with a moment of inertia under 1e-15 kg m2: a water cube of a third of a "
        "millimetre.",
        "Check the unit of the scan and of the mass; for an object that small simulate in other units.",
        exit_code=7,
    ),
    Code(
        "R2S721",
        "MuJoCo refuses the asset",
        "The emitted files do not load. The message is MuJoCo's own.",
        "A flat or tiny piece is the usual cause; ask decompose for a larger error, or report it.",
        exit_code=7,
    ),
    Code(
        "R2S722",
        "compiled mass properties differ",
        "Mass, centre of mass or inertia of the compiled model are not those of the XML, beyond rounding.",
        "Report it with the version of MuJoCo.",
        exit_code=7,
    ),
    Code(
        "R2S723",
        "compiled geometry differs",
        "A vertex or primitive of the compiled model is not where the compiler put it. MuJoCo reads meshes in single "
        "precision, which is coarse far from the origin.",
        "Use --origin base, which puts the origin at the object's foot.",
        exit_code=7,
    ),
    Code(
        "R2S724",
        "compiled contacts differ",
        "The compiled model has other geoms than were emitted, or other contact settings.",
        "Report it with the version of MuJoCo.",
        exit_code=7,
    ),
    Code(
        "R2S725",
        "simulation fails",
        "A second in the asset's own scene ends with a warning of MuJoCo or with numbers that are not finite.",
        "Report it with the scan and the sheet.",
        exit_code=7,
    ),
    Code(
        "R2S726",
        "object jumps",
        "The object starts with its lowest point on the floor and its centre of mass still rises: something pushes it"
        " up.",
        "Look at the pieces in the viewer (group 3); one may reach below the others.",
        exit_code=7,
    ),
    Code(
        "R2S727",
        "object sinks",
        "The object rests deeper in the floor than 0.1 mm and 2 % of its thinnest piece.",
        "Check the mass and its unit.",
        exit_code=7,
    ),
    Code(
        "R2S731",
        "slots cannot be used",
        "The slots of an asset break a rule of their schema: an unknown or missing key, an empty interval, a nominal "
        "outside it.",
        "Rebuild the asset; slots are written by the compiler and not by hand.",
    ),
)

CODES: tuple[Code, ...] = tuple(sorted((*_MASS, *_READINGS, *_MUJOCO), key=lambda code: code.name))
