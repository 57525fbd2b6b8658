"""The virtual caliper: what jaws would read on any stage of the chain."""
