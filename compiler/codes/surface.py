"""Codes of this range; see the package for the ranges."""

from __future__ import annotations

from r2s.compiler.codes._code import Code

CODES: tuple[Code, ...] = (
    Code(
        "R2S401",
        "no thickness",
        "The scan holds fewer than four points, or all of them lie in one plane or on one line, or its faces lie "
        "back to back. Such a shape encloses no volume, so it has neither mass nor inside.",
        "Scan the other side as well. A sheet that is thinner than the scanner resolves is better modelled as a "
        "box with a measured thickness.",
    ),
    Code(
        "R2S402",
        "not orientable",
        "Going round the surface from face to face ends on the other side of the face where it began, as on a "
        "Moebius strip. No winding makes such a surface the boundary of a solid.",
        "Remove the twisted strip in the program that made the mesh, or scan the part again.",
    ),
    Code(
        "R2S403",
        "too much of the surface is missing",
        "Closing the surface would invent more of it than surface.max_unobserved allows. A flat underside, on "
        "which the part stood, is not counted here; it has a warning of its own.",
        "Scan the missing side. If the invented area does not matter, allow it: -p surface.max_unobserved=0.5.",
    ),
    Code(
        "R2S404",
        "too few points",
        "Fewer points are left than a surface can be drawn through.",
        "Scan the part more densely, or check that the crop kept it.",
    ),
    Code(
        "R2S405",
        "the points do not close",
        "Poisson reconstruction left a surface with open or crowded edges, and flat lids did not close it.",
        "Scan more of the part, from more directions, or give a mesh that is closed.",
    ),
    Code(
        "R2S406",
        "the mesh cannot be closed",
        "Joining, turning, splitting, stitching and closing holes left edges without exactly two faces, and "
        "surface.method=keep forbids to draw a new surface.",
        "Use surface.method=auto, or repair the mesh where it was made.",
    ),
    Code(
        "R2S407",
        "an option of surface is out of range",
        "surface.method is auto, poisson or keep; surface.depth is 0 or 5 to 10; surface.max_unobserved is a share "
        "of 0 to 1; keep needs a scan with faces.",
        "Change the option that the message names.",
        exit_code=2,
    ),
    Code(
        "R2S408",
        "an option of simplify is out of range",
        "simplify.max_error is a length of 0 (automatic) or more; simplify.min_faces is 4 or more.",
        "Change the option that the message names.",
        exit_code=2,
    ),
    Code(
        "R2S410",
        "near vertices joined",
        "Vertices a little apart were taken as one, because that closes the mesh. The message says how far apart.",
        "Export the mesh with shared vertices.",
        severity="warning",
    ),
    Code(
        "R2S411",
        "doubled or empty faces removed",
        "Faces that name the same three vertices as another, or one vertex twice, add no surface but would be "
        "counted twice in volume and mass.",
        "Export the part once, without hidden copies of it.",
        severity="warning",
    ),
    Code(
        "R2S412",
        "a shell faced inward",
        "One of several closed shells was wound inside out while the others were not; it was turned.",
        "If the shell is a cavity, it must lie inside another shell; check the assembly.",
        severity="warning",
    ),
    Code(
        "R2S413",
        "the mesh is inside out",
        "The signed volume is negative: every face looks inward. Exporters do so when they negate one axis to "
        "change between left- and right-handed frames. The winding was turned; whether the shape is mirrored "
        "cannot be known.",
        "Compare a detail that has a left and a right, such as lettering. If it is mirrored, export again without it.",
        severity="warning",
    ),
    Code(
        "R2S414",
        "faces turned",
        "Neighbouring faces disagreed about which side is out. The minority of each patch was turned.",
        "Look at the part in the viewer; if a face looks wrong, repair the winding where the mesh was made.",
        severity="warning",
    ),
    Code(
        "R2S415",
        "T-junctions stitched",
        "A vertex lay on an edge of a neighbouring face without being its end, so that the edges did not pair up. "
        "The neighbour was cut there; no point of the surface moved by more than the size in the message.",
        "Export without T-junctions, or ignore this: the shape did not change.",
        severity="warning",
    ),
    Code(
        "R2S416",
        "crowded edges split",
        "More than two faces shared an edge, as where two cubes touch along one. The solids were taken apart; they "
        "still touch.",
        "Separate or join the solids where the mesh was made.",
        severity="warning",
    ),
    Code(
        "R2S417",
        "inner shell dropped",
        "A closed shell lies inside another and is wound so that its inside would be counted twice. A cavity would "
        "be wound inward.",
        "Remove it from the mesh; if the part is hollow, wind the inner surface inward.",
        severity="warning",
    ),
    Code(
        "R2S418",
        "overlapping shells joined",
        "Closed shells reach into each other; apart, the volume they share would count twice. Their union was taken.",
        "Join them where the mesh was made, to choose the seam yourself.",
        severity="warning",
    ),
    Code(
        "R2S419",
        "loose pieces dropped",
        "Small pieces of surface stand apart from the part, or are open scraps. They were dropped.",
        "Crop the scan to the part if the pieces belong to something else; if they are part of it, scan what joins "
        "them.",
        severity="warning",
    ),
    Code(
        "R2S420",
        "underside closed flat",
        "The scan does not show what the part stood on. A flat face closes it; the area is in the message and in "
        "the budget as unobserved, and no distance counts it.",
        "Turn the part over and scan its underside too, if its shape matters.",
        severity="warning",
    ),
    Code(
        "R2S421",
        "holes closed",
        "Places without data were closed by the surface of least area or by the reconstruction. They are marked as "
        "unobserved, and no distance counts them.",
        "Scan those places.",
        severity="warning",
    ),
    Code(
        "R2S422",
        "new surface drawn",
        "Repair could not close the mesh, so a new closed surface was drawn through points sampled from it. Edges "
        "are a little rounder than in the input; the distances in the budget say how much.",
        "Repair the mesh where it was made to keep its own vertices.",
        severity="warning",
    ),
    Code(
        "R2S425",
        "not simplified",
        "No smaller mesh was found that is closed and stays within the error, so the surface was kept as it is.",
        "Allow more: -p simplify.max_error=0.5mm.",
        severity="note",
    ),
    Code(
        "R2S431",
        "the file's normals point inward",
        "Normals in the file do not agree with the side from which the points can be seen. All wrong, they were "
        "turned; mixed, they were set aside and found anew.",
        "Export without normals, or orient them towards the scanner.",
        severity="warning",
    ),
    Code(
        "R2S432",
        "outer skin kept",
        "In some places the points form two layers, one behind the other, where there is one surface: two passes "
        "of the scanner did not meet. The outer layer was kept; the distance is in the budget. It is a note where a "
        "warning about the same skins stands already.",
        "Register the views again, or scan the part in one pass.",
        severity="note or warning",
    ),
    Code(
        "R2S433",
        "surface larger than its points",
        "The closed surface is clearly wider than the points it was drawn through. Where points are sparse, a smooth "
        "surface swings out beyond edges and corners between them.",
        "Scan more densely. If that cannot be, read the bound from asset to scan as the size of the error.",
        severity="warning",
    ),
    Code(
        "R2S434",
        "separate bodies",
        "The surface has several shells that do not touch. They become pieces of one rigid body, with one mass.",
        "If they are separate objects, cut the scan and compile each by itself; else nothing.",
        severity="note",
    ),
)
