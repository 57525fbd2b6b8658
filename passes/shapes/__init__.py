"""Distances between shapes, with bounds, and the meshes that are chosen by them."""
