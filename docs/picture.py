"""
Render an asset as MuJoCo sees it, for the README: its visual mesh on the left, its collision pieces on the right.

    MUJOCO_GL=egl python docs/picture.py build/cube.scene.xml docs/cube.png

Needs a MuJoCo that can render off screen (libegl1 or libosmesa6); nothing else of this project does.
"""

from __future__ import annotations

import sys
from pathlib import Path

import mujoco  # noqa: TID253  # a script by itself, not a module of the package
import numpy as np
from PIL import Image

SIZE = 360, 480
VISUAL, COLLISION = 2, 3


def main(scene: Path, picture: Path) -> None:
    """Write *picture* of the object in *scene*."""
    model = mujoco.MjModel.from_xml_path(str(scene))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    camera = mujoco.MjvCamera()
    camera.lookat[:] = data.subtree_com[1]
    camera.azimuth, camera.elevation = 130, -25
    camera.distance = 2.6 * float(model.geom_rbound[model.geom_bodyid > 0].max())
    halves = []
    with mujoco.Renderer(model, *SIZE) as renderer:
        for group in (VISUAL, COLLISION):
            option = mujoco.MjvOption()
            option.geomgroup[:] = 0
            option.geomgroup[0] = option.geomgroup[group] = 1
            renderer.update_scene(data, camera, option)
            halves.append(renderer.render())
    Image.fromarray(np.concatenate(halves, axis=1)).quantize(96).save(picture, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
