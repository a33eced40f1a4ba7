"""TBD models."""
