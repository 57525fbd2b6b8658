"""Stages of a build as files to look at: geometry, and beside it what the pass said (``--dump``, ``--emit``)."""
