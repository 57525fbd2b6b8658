"""Convex pieces: finding them, cutting, merging and thinning them, and proving how far they are off."""
