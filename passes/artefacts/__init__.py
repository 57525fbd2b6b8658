"""What a scanner is checked on: a sphere, a plate, a block; how their scans become lengths, noise and form."""
