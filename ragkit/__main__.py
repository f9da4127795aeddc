"""`python -m ragkit`, for where the `ragkit` command is not on the PATH."""

from ragkit.cli import main

main()
