# SPDX-License-Identifier: GPL-3.0-or-later
"""gambol in Blender: an armature walks, trots, swims or slithers by the natural vibrations of its own body."""

import bpy

from . import operators, panel
from .settings import Settings

CLASSES = (Settings, *operators.CLASSES, *panel.CLASSES)


def register() -> None:
    for one in CLASSES:
        bpy.utils.register_class(one)
    bpy.types.Object.gambol = bpy.props.PointerProperty(type=Settings)


def unregister() -> None:
    del bpy.types.Object.gambol
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
