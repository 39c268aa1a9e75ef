"""What is known of a cell of positions at one orientation, as bits."""

WITHIN = 1
"""Its center is within all limits."""
PROVED_IN = 2
"""All of it is: proved."""
PROVED_OUT = 4
"""None of it is: proved; nothing else is said of such a cell."""
SAME = 8
"""The determinant at its center has the sign of the start's."""
OTHER = 16
"""It has the other sign."""
SIGN_ALL = 32
"""The sign is the same in all of the cell: proved."""
