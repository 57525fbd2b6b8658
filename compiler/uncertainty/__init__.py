"""
The arithmetic of the uncertainty ledger: the GUM's linear propagation, and Monte Carlo to check it against.

A module an idea, to be imported by its own name; nothing here reads a file, a scan or a report, and importing the
package loads nothing.  Where a quantile is needed it is computed here: the core loads no scipy (see pyproject.toml).
"""
