# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel *gambol* in the sidebar of the 3D view."""

import bpy

from .operators import armature_of, own_action
from .settings import settings_of

# Guesses that the panel shows; the rest are in the info log.
MOST_LINES = 6


class GAMBOL_PT_panel(bpy.types.Panel):
    bl_idname = "GAMBOL_PT_panel"
    bl_label = "gambol"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "gambol"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        armature = armature_of(context)
        if armature is None:
            layout.label(text="Select an armature, or a mesh on one", icon="ARMATURE_DATA")
            return
        settings = settings_of(armature)
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.operator("gambol.look", icon="VIEWZOOM")
        layout.prop(settings, "gait")
        reason = settings.look().get("gaits", {}).get(settings.gait)
        if reason:
            layout.label(text=reason, icon="ERROR")
        column = layout.column()
        for own in ("speed", "stride", "duty"):
            row = column.row(heading=own.capitalize())
            row.prop(settings, f"use_{own}", text="")
            value = row.row()
            value.active = getattr(settings, f"use_{own}")
            value.prop(settings, own, text="")
        layout.prop(settings, "turn")
        layout.prop(settings, "root_motion")
        layout.prop(settings, "cycles")
        row = layout.row(align=True)
        row.scale_y = 1.4
        row.operator("gambol.walk", icon="PLAY")
        row.operator("gambol.update", icon="FILE_REFRESH")
        row.operator("gambol.bake", icon="KEYFRAME")
        layout.operator("gambol.set", icon="ACTION")
        made = own_action(armature)
        if made is not None:
            told = made["gambol"]
            layout.label(text=f"{made.name}: {told['frames']} frames, {told['speed']:.2f} m/s", icon="INFO")


class GAMBOL_PT_body(bpy.types.Panel):
    bl_idname = "GAMBOL_PT_body"
    bl_label = "Body"
    bl_parent_id = "GAMBOL_PT_panel"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "gambol"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return armature_of(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        armature = armature_of(context)
        if armature is None:
            return
        layout, settings = self.layout, settings_of(armature)
        layout.use_property_split = True
        layout.use_property_decorate = False
        for name in ("tension", "stiffness", "weight", "injured", "seed", "limbs"):
            layout.prop(settings, name)
        row = layout.row(heading="Height")
        row.prop(settings, "use_height", text="")
        value = row.row()
        value.active = settings.use_height
        value.prop(settings, "height", text="")
        found = settings.look()
        if found.get("feet"):
            layout.label(text="Feet: " + ", ".join(found["feet"]))
        for guess in found.get("guesses", [])[:MOST_LINES]:
            layout.label(text=guess)


CLASSES = (GAMBOL_PT_panel, GAMBOL_PT_body)
