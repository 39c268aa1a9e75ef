"""``python -m gough`` is the ``gough`` command."""

from gough.cli import main

main()
