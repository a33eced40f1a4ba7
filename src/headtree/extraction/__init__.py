"""TBD extraction."""
