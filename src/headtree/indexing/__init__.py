"""Documents -> an index: trees, figures and chunks, their vectors, and what searches see of them."""
