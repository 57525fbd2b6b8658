"""
Whether an asset is what its manifest says, and whether building it again gives the same.

``check`` reads what lies on the disk; ``rebuild`` builds again from the inputs, in an empty place.
"""

from r2s.compiler.verify.check import Checked, Finding, check
from r2s.compiler.verify.places import Place, place_of
from r2s.compiler.verify.rebuild import Rebuilt, must_be_near, rebuild
from r2s.compiler.verify.screen import as_json, screen

__all__ = [
    "Checked",
    "Finding",
    "Place",
    "Rebuilt",
    "as_json",
    "check",
    "must_be_near",
    "place_of",
    "rebuild",
    "screen",
]
