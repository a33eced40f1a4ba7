"""TBD indexing."""
