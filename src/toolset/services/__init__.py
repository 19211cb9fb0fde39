"""The built-in services: ordinary plugins that nothing in the toolset knows by import."""

# Layers, downwards only: fs, timer, tools. None imports another; they meet through `ctx`.
