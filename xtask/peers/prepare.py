"""Prepares one model for the dynamics benchmark.

    prepare.py MODEL OUT_DIR [--states N] [--seed S] [--freejoint] [--inertial]

MODEL is an MJCF file, or dm_control:NAME for one of the models in DM_CONTROL below.
Everything the three programs read is written to OUT_DIR:

    model.xml, assets/   the model, self-contained: includes inlined, asset files copied
    states.bin           u64 count, nq, nv; then per state qpos, qvel, tau as f64 (little-endian),
                         in MuJoCo's coordinates
    model.pin.txt        the same model for pinocchio_bench, see pinocchio_text()
    model.json           sizes and names

States and model.pin.txt are taken from the *written* model.xml, so whatever the round trip through
XML rounds off is rounded off for everybody.
"""

import argparse
import json
import pathlib
import shutil

import mujoco
import numpy as np

DM_CONTROL = {
    "humanoid": "suite/humanoid.xml",
    "humanoid_CMU_V2020": "locomotion/walkers/assets/humanoid_CMU_V2020.xml",
    "dog_v2": "locomotion/walkers/assets/dog_v2/dog.xml",
    "quadruped": "suite/quadruped.xml",
}
POSE_SIGMA = 0.3  # rad or m, per degree of freedom
TYPES = {
    mujoco.mjtJoint.mjJNT_FREE: "free",
    mujoco.mjtJoint.mjJNT_BALL: "ball",
    mujoco.mjtJoint.mjJNT_SLIDE: "slide",
    mujoco.mjtJoint.mjJNT_HINGE: "hinge",
}


def source_path(name):
    if not name.startswith("dm_control:"):
        return pathlib.Path(name)
    import dm_control  # only needed for its data files

    short = name.partition(":")[2]
    if short not in DM_CONTROL:
        raise SystemExit(f"unknown model {name}; known: {', '.join(DM_CONTROL)}")
    return pathlib.Path(dm_control.__file__).parent / DM_CONTROL[short]


def add_freejoint(spec):
    roots = list(spec.worldbody.bodies)
    if len(roots) != 1:
        raise SystemExit(f"--freejoint needs one root body, the model has {len(roots)}")
    if any(j.type == mujoco.mjtJoint.mjJNT_FREE for j in roots[0].joints):
        return
    if roots[0].joints:
        raise SystemExit("--freejoint: the root body has joints of another kind")
    roots[0].add_freejoint(name="root_free")
    for key in list(spec.keys):  # their qpos no longer has the right length
        spec.delete(key)


def copy_assets(spec, out):
    """Copies every file the model refers to and points the model at the copies."""
    folder = out / "assets"
    base = pathlib.Path(spec.modelfiledir)
    taken = {}  # name of copy -> source

    def copy(file, where):
        if not file:
            return file
        for place in (base / where, base):
            source = (place / file).resolve()
            if source.is_file():
                break
        else:
            raise SystemExit(f"asset not found: {file}")
        name = source.name
        while taken.get(name, source) != source:  # two folders may hold files of one name
            name = "_" + name
        taken[name] = source
        folder.mkdir(exist_ok=True)
        shutil.copyfile(source, folder / name)
        return name

    for skin in list(spec.skins):  # large, and no part of the dynamics
        spec.delete(skin)
    for asset in [*spec.meshes, *spec.hfields]:
        asset.file = copy(asset.file, spec.meshdir)
    for texture in spec.textures:
        texture.file = copy(texture.file, spec.texturedir)
        texture.cubefiles = [copy(f, spec.texturedir) for f in texture.cubefiles]
    spec.modelfiledir = str(out)
    spec.meshdir = spec.texturedir = "assets" if taken else ""


def write_xml(args, out):
    spec = mujoco.MjSpec.from_file(str(source_path(args.model)))
    if args.freejoint:
        add_freejoint(spec)
    copy_assets(spec, out)
    spec.compiler.saveinertial = args.inertial
    spec.compile()
    (out / "model.xml").write_text(spec.to_xml())
    return mujoco.MjModel.from_xml_path(str(out / "model.xml"))


def write_states(model, path, count, seed):
    rng = np.random.default_rng(seed)
    with open(path, "wb") as f:
        np.array([count, model.nq, model.nv], "<u8").tofile(f)
        for _ in range(count):
            qpos = model.qpos0.copy()
            mujoco.mj_integratePos(model, qpos, POSE_SIGMA * rng.standard_normal(model.nv), 1.0)
            for joint in np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE):
                adr = model.jnt_qposadr[joint]
                quat = rng.standard_normal(4)  # normalised: uniform over orientations
                qpos[adr : adr + 3] = rng.standard_normal(3)
                qpos[adr + 3 : adr + 7] = quat / np.linalg.norm(quat)
            qvel, tau = rng.standard_normal((2, model.nv))
            for x in (qpos, qvel, tau):
                x.astype("<f8").tofile(f)


# Rigid transforms are pairs (rotation matrix, position).


def compose(a, b):
    return a[0] @ b[0], a[0] @ b[1] + a[1]


def inverse(a):
    return a[0].T, -a[0].T @ a[1]


def rotation(quat):
    out = np.empty(9)
    mujoco.mju_quat2Mat(out, quat)
    return out.reshape(3, 3)


def turn_z_to(axis):
    quat = np.empty(4)
    mujoco.mju_quatZ2Vec(quat, axis / np.linalg.norm(axis))
    return rotation(quat)


def pinocchio_joints(model):
    """One joint per MuJoCo joint, in the same order, so that the dof order agrees too.

    Joint frames sit at the joint with z along the axis. A body with several joints becomes a chain
    whose last link carries its inertia; a body without joints is merged into its parent.
    """
    joints = []
    # Per body: the joint that carries it (-1: the world) and the body's pose in that joint's frame.
    carrier = [-1] * model.nbody
    pose = [(np.eye(3), np.zeros(3))] * model.nbody
    for body in range(1, model.nbody):
        parent = model.body_parentid[body]
        local = rotation(model.body_quat[body]), model.body_pos[body]
        carrier[body], pose[body] = carrier[parent], compose(pose[parent], local)
        first = model.body_jntadr[body]
        for j in range(first, first + model.body_jntnum[body]):
            kind = TYPES[mujoco.mjtJoint(model.jnt_type[j])]
            frame = np.eye(3), model.jnt_pos[j]
            ref = 0.0
            if kind in ("hinge", "slide"):
                frame = turn_z_to(model.jnt_axis[j]), model.jnt_pos[j]
                ref = model.qpos0[model.jnt_qposadr[j]]
            if kind == "free":  # its coordinates are the world pose itself
                frame = pose[body] = np.eye(3), np.zeros(3)
            dofs = [d for d in range(model.nv) if model.dof_jntid[d] == j]
            armature = model.dof_armature[dofs]
            assert np.ptp(armature) == 0
            joints.append(
                {
                    "type": kind,
                    "parent": carrier[body],
                    "ref": ref,
                    "placement": compose(pose[body], frame),
                    "armature": armature[0],
                    "mass": 0.0,
                    "moment": np.zeros(3),  # mass times centre
                    "inertia": np.zeros((3, 3)),  # about the joint's origin
                }
            )
            carrier[body], pose[body] = len(joints) - 1, inverse(frame)
        if carrier[body] < 0:
            continue
        turn, centre = compose(
            pose[body], (rotation(model.body_iquat[body]), model.body_ipos[body])
        )
        mass = model.body_mass[body]
        joint = joints[carrier[body]]
        joint["mass"] += mass
        joint["moment"] = joint["moment"] + mass * centre
        joint["inertia"] = (
            joint["inertia"]
            + turn @ np.diag(model.body_inertia[body]) @ turn.T
            + mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
        )
    return joints


def pinocchio_text(model):
    """Header, gravity, then per joint: type, parent, ref, rotation (3x3), position, mass, centre,
    inertia about the centre (3x3), armature; everything in the joint's frame, rows first."""
    if model.ntendon and model.tendon_armature.any():
        raise SystemExit("tendon armature couples joints; pinocchio_bench cannot represent it")
    if model.nflex:
        raise SystemExit("flexes are not rigid bodies; pinocchio_bench cannot represent them")
    joints = pinocchio_joints(model)
    if any(j["type"] == "free" and j["armature"] for j in joints):
        raise SystemExit(
            "a free joint has armature: MuJoCo adds it in world axes, Pinocchio in body axes, "
            "which are different dynamics"
        )
    lines = [
        "pinocchio-model 1",
        "gravity " + " ".join(repr(float(g)) for g in model.opt.gravity),
        f"joints {len(joints)}",
    ]
    for joint in joints:
        mass = joint["mass"]
        centre = joint["moment"] / mass if mass else np.zeros(3)
        inertia = joint["inertia"] - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
        turn, position = joint["placement"]
        numbers = [
            joint["ref"], *turn.flat, *position, mass, *centre, *inertia.flat, joint["armature"]
        ]  # fmt: skip
        lines.append(f"{joint['type']} {joint['parent']} " + " ".join(repr(float(x)) for x in numbers))
    return "\n".join(lines) + "\n"


def summary(model, args):
    return {
        "source": args.model,
        "mujoco": mujoco.__version__,
        "states": args.states,
        "seed": args.seed,
        "nq": model.nq,
        "nv": model.nv,
        "nbody": model.nbody,
        "njnt": model.njnt,
        "mass": float(model.body_mass.sum()),
        "bodies": [model.body(i).name for i in range(model.nbody)],
        "joints": [model.joint(i).name for i in range(model.njnt)],
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("out", metavar="OUT_DIR", type=pathlib.Path)
    parser.add_argument("--states", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--freejoint", action="store_true", help="free the root body if it is welded")
    parser.add_argument(
        "--inertial", action="store_true", help="write masses and inertias instead of leaving them to geoms"
    )
    args = parser.parse_args()

    out = args.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    model = write_xml(args, out)
    write_states(model, out / "states.bin", args.states, args.seed)
    (out / "model.pin.txt").write_text(pinocchio_text(model))
    (out / "model.json").write_text(json.dumps(summary(model, args), indent=1) + "\n")
    print(f"{args.model}: nq {model.nq}, nv {model.nv}, {model.nbody} bodies, {args.states} states")


if __name__ == "__main__":
    main()
