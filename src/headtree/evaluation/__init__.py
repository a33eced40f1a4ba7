"""TBD evaluation."""
