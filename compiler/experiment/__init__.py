"""
The virtual experiment behind ``--monte-carlo``: errors as large as the account says, laid onto the scan, and compiled.

What comes out scatters; the account predicted by how much.  This is no uncertainty of the GUM: it shares the account
with what it checks, and only shows whether the passes carry errors as the account says they do.
"""

from r2s.compiler.experiment.asked import SEED, check_draws
from r2s.compiler.experiment.compare import Compared, Spread, band, compare
from r2s.compiler.experiment.draw import Draw, draws_of
from r2s.compiler.experiment.run import experiment

__all__ = ["SEED", "Compared", "Draw", "Spread", "band", "check_draws", "compare", "draws_of", "experiment"]
