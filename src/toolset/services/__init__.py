"""The built-in services: ordinary plugins that nothing in the toolset knows by import."""

# Order, downwards only: fs, timer, tools.
