"""The commands of ``r2s-compile``, one file each; the table that names them is in :mod:`r2s.compiler.cli`."""
