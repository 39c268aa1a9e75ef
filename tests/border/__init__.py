"""What the border must withstand: hostile calls and mutated files, made from the contract itself."""
