"""TBD synthesis."""
