"""Consistent winding: turn faces so that neighbours run their common edge opposite ways, or say that none can."""

from __future__ import annotations

import numpy as np

from r2s.compiler.errors import InvalidInputError
from r2s.compiler.ir import Bools, Ints
from r2s.passes.meshes.edges import components, edges_of, pairs_of


def oriented(faces: Ints) -> tuple[Ints, Bools]:
    """
    Return *faces* wound consistently within each patch, and which (m,) were turned; the majority of a patch stays.

    A patch is what hangs together over edges of exactly two faces.  Every face is two nodes, as it is and turned, and
    neighbours link the nodes that fit: a patch is orientable if and only if its faces' two nodes never connect.

    Raises InvalidInputError R2S402 where a patch has one side only, like a Moebius strip.
    """
    count = len(faces)
    one, two, agree = pairs_of(edges_of(faces))
    f, g = one % count, two % count
    turn = np.where(agree, 0, count)
    _, label = components(2 * count, np.concatenate([f, f + count]), np.concatenate([g + turn, g + count - turn]))
    asis, turned = label[:count], label[count:]
    twisted = asis == turned
    if twisted.any():
        raise InvalidInputError(
            "R2S402",
            f"the surface is not orientable: {int(twisted.sum())} of {count} faces lie on a one-sided strip, "
            "so it has no inside",
            hint="repair the mesh in the program that made it, or scan the part again",
        )
    size = np.bincount(label, weights=np.concatenate([np.ones(count), np.zeros(count)]))
    # Ties go to the component that holds the patch's first face as it is, which is the smaller label.
    flip = (size[turned] > size[asis]) | ((size[turned] == size[asis]) & (turned < asis))
    result = faces.copy()
    result[flip] = faces[flip][:, ::-1]
    return result, flip
