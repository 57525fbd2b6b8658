"""
The catalogue of what r2s can do to a scan: names to ``module:Class``, strings only, so that listing costs no import.

``CATALOG`` holds the passes of a pipeline, ``ANALYSES`` what the compiler asks about a value without changing it.
Adding one is a line here; see docs/add-a-pass.md.
"""

CATALOG: dict[str, str] = {
    "ingest": "r2s.passes.ingest:Ingest",
    "surface": "r2s.passes.surface:ExtractSurface",
    "simplify": "r2s.passes.simplify:Simplify",
    "decompose": "r2s.passes.decompose:Decompose",
    "scale": "r2s.passes.scale:Scale",
    "emit": "r2s.passes.emit:Emit",
    # of --monte-carlo: errors put into a scan, and the quickest hull that a scale can be fitted on
    "perturb": "r2s.passes.perturb:Perturb",
    "enclose": "r2s.passes.enclose:Enclose",
}

ANALYSES: dict[str, str] = {
    "settle": "r2s.passes.settle:Settle",
    "measure": "r2s.passes.measure:Measure",
    "respond": "r2s.passes.respond:Respond",
    "closure": "r2s.passes.closure:Closure",
    "distances": "r2s.passes.distances:Distances",
    "probe": "r2s.passes.probe:Probe",
    "compiled": "r2s.passes.compiled:Compiled",
    "corrupt": "r2s.passes.corrupt:Corrupt",
}
