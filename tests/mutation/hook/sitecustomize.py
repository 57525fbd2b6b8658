"""Starts the recorder in every Python process that finds this folder on its path: the command and its worker."""

from __future__ import annotations

import os

if folder := os.environ.get("R2S_MUTATION_LINES"):
    from mutation.recorder import LINKS, Recorder

    Recorder(folder, os.environ[LINKS]).start()
