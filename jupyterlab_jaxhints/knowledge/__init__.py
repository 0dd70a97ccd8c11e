"""What is known about JAX and the libraries around it: tables measured by calling them, and the functions
that ask them.

The tables are JSON in `data/`, made by `scripts/knowledge/` with the oldest and the newest JAX supported.
Nothing here imports JAX.
"""
