"""
The known-bad check: the input damaged on purpose, to see which check sees it, from which size on, and what none sees.

A checker that was never seen to refuse anything proves nothing by agreeing.
"""

from r2s.compiler.known_bad.run import inject
from r2s.compiler.known_bad.screen import screen

__all__ = ["inject", "screen"]
