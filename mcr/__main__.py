"""`python -m mcr` is the command `mcr`."""

import sys

from mcr.cli import script

sys.exit(script())
