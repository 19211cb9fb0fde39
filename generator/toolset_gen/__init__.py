"""The generator: typed services, events, plugins, configurations and tools to catalogs."""

# Layers, downwards only: commands, testing, unchanged > report > gate > build, cache > check, render > boot, extract
# > artifacts, boot_child, config, discover, emit > diagnostics, errors.
