"""Documents: TOML with units read by declared tables, every mistake named with its key and line."""
