"""TBD chat."""
