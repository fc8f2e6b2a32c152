# SPDX-License-Identifier: GPL-3.0-or-later
"""What cannot be done, as a sentence for the person at the screen."""


class Wrong(Exception):
    """Nothing was changed, and this is why."""
