"""The mesh doctor: faces to a closed, oriented surface, or a plain reason why not."""
