"""Geometry of closure: the emitted files read back and measured by code that no pass uses."""
