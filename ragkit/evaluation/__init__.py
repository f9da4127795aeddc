"""Measuring: records of runs, metrics with written definitions, honest intervals.

Nothing here is imported by a graph or a component; it reads records only.
"""
