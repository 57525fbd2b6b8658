"""R2S1xx: what can be wrong with a scan file before anything is known of the scan in it."""

from __future__ import annotations

from r2s.compiler.codes._code import Code

CODES: tuple[Code, ...] = (
    Code(
        "R2S101",
        "no such file",
        "The path of the scan leads to nothing.",
        "Check the spelling and the folder; a name with blanks must be quoted in a shell, and one that begins with a "
        "dash is written with ./ before it.",
    ),
    Code(
        "R2S102",
        "not a file",
        "The path leads to a folder, a pipe, a socket or a device. r2s reads a scan more than once and must know its "
        "size, so it takes ordinary files only.",
        "Name the scan file itself; save what comes through a pipe to a file first.",
    ),
    Code(
        "R2S103",
        "file cannot be opened",
        "The file is there, but it may not be read, or its symbolic links lead round in a circle, or the disk failed.",
        "Change the permissions, mend the link, or copy the file to where it can be read.",
    ),
    Code(
        "R2S104",
        "empty file",
        "The file holds no bytes. An export or a copy was broken off.",
        "Export the scan again.",
    ),
    Code(
        "R2S105",
        "unknown format",
        "Neither the content nor the suffix of the file is one that r2s knows. The content is asked first: a scan with "
        "a wrong suffix is read all the same.",
        "Export the scan as PLY, OBJ, STL or a text of x, y, z columns.",
    ),
    Code(
        "R2S106",
        "format not supported",
        "The file was recognised, and r2s has no reader for its format. A reader that guesses would find points in it "
        "nevertheless, so it is refused by name.",
        "Convert it to PLY, OBJ or STL with the tool that the message names; keep double precision and metres or "
        "millimetres if you are asked.",
    ),
    Code(
        "R2S107",
        "required glTF extension",
        "The glTF says that it cannot be understood without an extension, mostly a compression of the mesh such as "
        "KHR_draco_mesh_compression. Read without it the mesh would be empty or wrong.",
        "Export it again without compression.",
    ),
    Code(
        "R2S108",
        "path leaves the model's folder",
        "The model names another file by a path that leads out of its own folder. r2s never opens such a file: a scan "
        "from somebody else must not read your disk.",
        "Export the model as one file.",
    ),
    Code(
        "R2S109",
        "PCD counts disagree",
        "The header of the PCD file counts more points than its data holds, or its POINTS is not WIDTH times HEIGHT. "
        "Some readers fill the rest with points at the origin.",
        "Export or copy the file again.",
    ),
    Code(
        "R2S110",
        "suffix and content disagree",
        "The file's name promises one format and its bytes are another. It was read by its bytes.",
        "Rename the file, so that other tools read it too.",
        severity="warning",
    ),
    Code(
        "R2S120",
        "PLY header broken",
        "The header of a PLY file names the elements (vertex, face) and the type of each property. Here a line of it "
        "makes no sense, or x, y and z of a vertex are missing, or it never ends.",
        "Export the scan again; if you wrote the file yourself, compare the line that the message names with the "
        "PLY description.",
    ),
    Code(
        "R2S121",
        "file ends too early",
        "The header counts more rows than the file has bytes for. The count is compared with the size of the file "
        "before any memory is taken, so a false count costs nothing.",
        "Export or copy the file again; a download may have been broken off.",
    ),
    Code(
        "R2S122",
        "rows do not fit the header",
        "A row has more or fewer numbers than the header says, or there are more rows than it counts. If the counts "
        "are wrong, a vertex would be read as a face.",
        "Export the scan again, or correct the counts in the header.",
    ),
    Code(
        "R2S123",
        "no points",
        "The file is sound and holds no vertex or no triangle.",
        "Check in the scanning app that the scan is not empty or hidden, and export it again.",
    ),
    Code(
        "R2S124",
        "not a number",
        "Where a coordinate or an index must stand, the file has a word, or a number that no computer can hold.",
        "Look at the line that the message names; export the scan again.",
    ),
    Code(
        "R2S125",
        "decimal comma",
        "The file writes 0,25 for 0.25, as the exporting program followed the language of its computer. Some readers "
        "silently take 0 for it.",
        "Export the scan with the locale set to English (or LC_ALL=C), or replace the commas by points.",
    ),
    Code(
        "R2S126",
        "index names no vertex",
        "A face names a vertex that is not there. A negative index would mean the last vertex in some languages, and "
        "a wrong surface.",
        "The file is damaged or its exporter is; export the scan again.",
    ),
    Code(
        "R2S127",
        "list too long",
        "A face claims more corners than the file has bytes left, or a negative number of them.",
        "The file is damaged; export or copy it again.",
    ),
    Code(
        "R2S128",
        "vertex not finite",
        "A vertex of the mesh is not a number or infinite. In a cloud such points mark holes and are dropped; in "
        "a mesh dropping one opens the surface.",
        "Remove the vertex and close the hole in the scanning app or in MeshLab, then export again.",
    ),
    Code(
        "R2S129",
        "faces of fewer than three corners",
        "Faces of no, one or two corners have no area and were left out.",
        "Nothing needs to be done if the surface is closed; r2s checks that later.",
        severity="warning",
    ),
    Code(
        "R2S130",
        "loose vertices left out",
        "Vertices that no face uses are no part of the surface. They are left out, so that they do not stretch the "
        "measured size.",
        "Nothing needs to be done; if you meant the points and not the mesh, export a cloud.",
        severity="note",
    ),
    Code(
        "R2S131",
        "bytes after the data",
        "Something follows what the header describes. It was passed over.",
        "Nothing needs to be done, unless points are missing: then the count in the header is too small.",
        severity="note or warning",
    ),
    Code(
        "R2S132",
        "face of too many corners",
        "A face with thousands of corners takes very long to cut into triangles and is mostly a damaged list.",
        "Triangulate the mesh before you export it.",
    ),
    Code(
        "R2S133",
        "line too long",
        "A line of the text is longer than 8 MiB. No scanner writes such lines: the file is binary, or its line ends "
        "were lost.",
        "Export the scan again.",
    ),
    Code(
        "R2S134",
        "radiance-field export",
        "The file holds the Gaussians of a radiance field (3D Gaussian splatting). Their centres do not lie on the "
        "surface of the object, so they cannot be used as its points.",
        "Export a mesh or a point cloud from the radiance-field tool and pass that.",
    ),
    Code(
        "R2S140",
        "STL size wrong",
        "A binary STL has exactly 84 bytes and 50 more for each triangle that it counts. This one has another size, so "
        "its count or its data is wrong.",
        "Export or copy the file again.",
    ),
    Code(
        "R2S141",
        "ASCII STL broken",
        "An ASCII STL lists facets of three vertices in a fixed order of lines. Here the order breaks.",
        "Export or copy the file again; look at the line that the message names.",
    ),
    Code(
        "R2S150",
        "OBJ vertex broken",
        "A line that begins with v must give three numbers; a fourth or a colour may follow.",
        "Look at the line that the message names; export the scan again.",
    ),
    Code(
        "R2S151",
        "materials not read",
        "The OBJ names a file of materials. They colour the surface; r2s reads its geometry, which is complete without "
        "them, and does not look whether the file is there.",
        "Nothing needs to be done.",
        severity="note",
    ),
    Code(
        "R2S152",
        "free-form surface",
        "The OBJ describes curves or surfaces by control points. Those do not lie on the surface, and r2s reads "
        "polygons only.",
        "Export the object as a polygon mesh.",
    ),
    Code(
        "R2S160",
        "columns disagree",
        "A row of the point text has another number of columns than the first row, or no row of numbers was found.",
        "Look at the line that the message names; export the points as x y z with blanks between.",
    ),
    Code(
        "R2S161",
        "last line cut off",
        "The last line of the point text ends in the middle, as when a copy is broken off. It was left out; whole "
        "lines after it may be missing too.",
        "Copy or export the file again if the scan looks incomplete.",
        severity="warning",
    ),
    Code(
        "R2S162",
        "point count wrong",
        "A PTS file says first how many points follow. It has more or fewer.",
        "Export or copy the file again, or correct the count.",
    ),
)
