"""The generator: typed services, events, plugins, configurations and tools to catalogs."""

# Layers, downwards only: commands > fix, testing, unchanged, watch > diff, report > gate > build >
# check > cache, extract, pool > discover, others, render > artifacts, boot, config, documents,
# ending, notes > annotations, boot_child, diagnostics, emit, errors, places.
