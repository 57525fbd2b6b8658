"""Whether the asset stays on the floor of its scene: it may topple, but not jump, sink or blow up."""

from __future__ import annotations

from typing import Any

import numpy as np

from r2s.compiler.errors import SimulationError
from r2s.compiler.ledger import Scalar
from r2s.passes.mjcf.document import Body
from r2s.passes.mjcf.mujoco import mujoco

SECONDS = 1.0


def rest(model: Any, body: Body) -> tuple[Scalar, ...]:
    """
    Return how the body rests after a second in its scene; raise SimulationError where it does what no object does.

    Depth is the smallest over the last quarter, since an object that topples may be landing at any one instant.
    The limit is 0.1 mm or 2 % of the thinnest piece, whichever is larger.
    """
    data = mujoco().MjData(model)
    index = model.body(body.name).id
    limit = max(1e-4, 0.02 * body.form.thinnest)
    steps = max(1, round(SECONDS / model.opt.timestep))
    mujoco().mj_forward(model, data)
    start = float(data.xipos[index, 2])
    highest, depths = start, []
    for step in range(steps):
        mujoco().mj_step(model, data)
        highest = max(highest, float(data.xipos[index, 2]))
        if step >= steps * 3 // 4:
            depths.append(max(0.0, -float(data.contact.dist.min())) if data.ncon else 0.0)
    warned = [mujoco().mjtWarning(k).name for k in range(len(data.warning)) if data.warning[k].number]
    if warned or not np.isfinite(data.qpos).all():
        raise SimulationError("R2S725", f"the simulation of the scene fails: {', '.join(warned)}", hint="report it")
    depth, rise = min(depths), highest - start
    if rise > limit:
        text = f"the object jumps {rise * 1e3:.3g} mm from the floor of its scene (limit {limit * 1e3:.3g} mm)"
        raise SimulationError("R2S726", text, hint="its pieces may reach below its surface")
    if depth > limit:
        text = f"the object sinks {depth * 1e3:.3g} mm into the floor of its scene (limit {limit * 1e3:.3g} mm)"
        raise SimulationError("R2S727", text, hint="check its mass")
    said = f"{SECONDS:g} s in the scene from the start pose"
    speed = np.linalg.norm(data.cvel[index, 3:]) if body.free else 0.0
    return (
        Scalar("emit.rest.depth", "depth in the floor", depth, "m", "measured", said),
        Scalar("emit.rest.contacts", "contacts with the floor", float(data.ncon), "1", "measured", said),
        Scalar("emit.rest.speed", "speed at the end", float(speed), "m/s", "measured", said),
    )
