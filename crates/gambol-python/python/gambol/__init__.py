"""gambol brings any creature to life from its own body.

>>> import gambol
>>> dog = gambol.load("dog")
>>> trot = dog.animate("trot", speed=2.0)
>>> trot.save("trot.glb")
"""

from gambol._gambol import (
    Basis,
    Clip,
    Cma,
    Controller,
    Creature,
    Error,
    Gait,
    Roam,
    Rollout,
    Search,
    State,
    Walker,
    World,
    __version__,
    gallery,
    load,
    load_clip,
)

__all__ = [
    "Basis",
    "Clip",
    "Cma",
    "Controller",
    "Creature",
    "Error",
    "Gait",
    "Roam",
    "Rollout",
    "Search",
    "State",
    "Walker",
    "World",
    "__version__",
    "gallery",
    "load",
    "load_clip",
]
