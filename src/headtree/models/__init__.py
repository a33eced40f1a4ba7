"""The only place that talks to models: protocols, catalogue and prices, calling, and each provider's client."""
