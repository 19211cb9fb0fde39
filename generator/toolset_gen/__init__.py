"""The generator: typed services, events, plugins, configurations and tools to catalogs."""

# Layers, downwards only: commands, testing, unchanged > watch > diff, fix, report > gate > build, cache, pool > check, render
# > boot, extract > others > artifacts, boot_child, config, discover, emit > documents > diagnostics, errors.
