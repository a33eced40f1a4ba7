"""TBD retrieval."""
