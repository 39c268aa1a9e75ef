"""The ``gough`` command: one file per group of commands, each a thin call into the library."""

from gough.cli.app import app as app
from gough.cli.app import main as main
