"""Test strength as a standing instrument: small wrong changes in the source, each of which some test must notice."""
