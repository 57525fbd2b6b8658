"""
The uncertainty account of one build: which errors its scan, calipers and passes may have, and what each does to a
length, the volume, the mass.

Every error is a component of one linear state, so that what two outputs share is counted as shared.  The arithmetic
is that of :mod:`r2s.compiler.uncertainty`; here stands what r2s knows of the errors.
"""

from r2s.compiler.account.account import Account, account_of
from r2s.compiler.account.data import data
from r2s.compiler.account.headline import digits, headline
from r2s.compiler.account.known import Known, Matter
from r2s.compiler.account.matter import matter_of_asset, matter_of_sheet

__all__ = [
    "Account",
    "Known",
    "Matter",
    "account_of",
    "data",
    "digits",
    "headline",
    "matter_of_asset",
    "matter_of_sheet",
]
