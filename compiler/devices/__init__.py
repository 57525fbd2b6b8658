"""
Devices: what is known of a scanner beside its scan, as a class of scanners or as the profile of one's own.

What a scan cannot tell of itself (scale, offset, drift, registration) comes from here and is marked so: ``assumed``
for a class, ``measured`` for a profile that ``r2s-compile device-check`` wrote.
"""

from r2s.compiler.devices.device import Correlation, Device, Evidence
from r2s.compiler.devices.known import classes, device, is_class, label
from r2s.compiler.devices.prior import NAMES, Name, Prior, noise_for_priors

__all__ = [
    "NAMES",
    "Correlation",
    "Device",
    "Evidence",
    "Name",
    "Prior",
    "classes",
    "device",
    "is_class",
    "label",
    "noise_for_priors",
]
