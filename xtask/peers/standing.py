"""Prepares one model for the benchmark of time steps: standing on flat ground, on springs, and nothing else.

    standing.py MODEL OUT_DIR [--freejoint] [--stiffness K | --scale S] [--step H] [--quat W X Y Z]

MODEL is as in prepare.py. Written to OUT_DIR: model.xml and assets, and start.bin, the qpos (f64, little-endian) with
its lowest point on the ground. Both programs then do the same work: scenery, sensors, actuators and cameras are gone, the ground
is a plane at z = 0 with friction 1, bodies touch the ground and not each other. --stiffness puts the same spring on
every joint about the reference pose, with a damper of 0.05 s times that; --scale scales the model's own springs. --quat turns the
root: the CMU humanoid's file has it on its back.
"""

import argparse
import pathlib

import mujoco
import numpy as np

import prepare


def strip(spec):
    for group in ("sensors", "actuators", "keys", "pairs", "excludes", "cameras", "lights", "skins"):
        for thing in list(getattr(spec, group)):
            spec.delete(thing)
    for body in list(spec.worldbody.bodies):
        free = [j for j in body.joints if j.type == mujoco.mjtJoint.mjJNT_FREE]
        if not free or not list(body.bodies):  # scenery, or a ball to play with
            spec.delete(body)
    for geom in list(spec.worldbody.geoms):
        spec.delete(geom)
    for field in list(spec.hfields):
        spec.delete(field)


def ground(spec):
    for geom in spec.geoms:
        if geom.contype or geom.conaffinity:
            geom.contype, geom.conaffinity = 1, 0
        geom.condim, geom.friction = 3, [1, 0.005, 0.0001]
    spec.worldbody.add_geom(name="ground", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], contype=0, conaffinity=1,
                            condim=3, friction=[1, 0.005, 0.0001])


def springs(spec, args):
    for joint in spec.joints:
        if joint.type == mujoco.mjtJoint.mjJNT_FREE:
            continue
        stiffness, damping = np.array(joint.stiffness, float), np.array(joint.damping, float)
        if args.stiffness:
            stiffness, damping = 0 * stiffness, 0 * damping
            stiffness.flat[0], damping.flat[0] = args.stiffness, 0.05 * args.stiffness
            joint.springref = joint.ref
        if args.scale:
            stiffness, damping = args.scale * stiffness, args.scale * damping
        joint.stiffness = stiffness if stiffness.ndim else float(stiffness)
        joint.damping = damping if damping.ndim else float(damping)


def standing(model, quat):
    """The reference pose with its lowest point on the ground."""
    d = mujoco.MjData(model)
    d.qpos[2] = 2.0
    if quat:
        d.qpos[3:7] = np.array(quat) / np.linalg.norm(quat)
    for _ in range(200):  # down onto the ground
        mujoco.mj_forward(model, d)
        touching = d.ncon and d.contact.dist.min() < 1e-4
        d.qpos[2] += 0.001 if touching else -0.02
    while True:
        mujoco.mj_forward(model, d)
        if d.ncon and d.contact.dist.min() < -1e-4:
            d.qpos[2] += 1e-3
        else:
            break
    return d.qpos.copy()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("out", metavar="OUT_DIR", type=pathlib.Path)
    parser.add_argument("--freejoint", action="store_true")
    parser.add_argument("--stiffness", type=float)
    parser.add_argument("--scale", type=float)
    parser.add_argument("--step", type=float)
    parser.add_argument("--quat", type=float, nargs=4)
    args = parser.parse_args()
    out = args.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    spec = mujoco.MjSpec.from_file(str(prepare.source_path(args.model)))
    if args.freejoint:
        prepare.add_freejoint(spec)
    strip(spec)
    ground(spec)
    springs(spec, args)
    prepare.copy_assets(spec, out)
    if args.step:
        spec.option.timestep = args.step
    spec.option.noslip_iterations = 0  # the dog's file asks for four more passes
    spec.compile()
    (out / "model.xml").write_text(spec.to_xml())
    model = mujoco.MjModel.from_xml_path(str(out / "model.xml"))
    qpos = standing(model, args.quat)
    qpos.astype("<f8").tofile(out / "start.bin")
    print(f"{args.model}: nv {model.nv}, step {model.opt.timestep}, root at {qpos[2]:.3f} m")


if __name__ == "__main__":
    main()
