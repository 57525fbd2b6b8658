"""Points to a closed surface: directions, underside, Poisson, and how far it lies from the points."""
