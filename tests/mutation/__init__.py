"""
Mutation testing of the compiler and its passes: break one thing at a time and see whether a test notices.

Run as ``make mutate`` or ``PYTHONPATH=tests python -m mutation``; docs/mutation.md has the score and how to read it.
"""
