"""`python -m mcr` is the command `mcr`."""

import sys

from mcr.cli import main

sys.exit(main())
