"""The generator: typed services, events, plugins, configurations and tools to catalogs."""
