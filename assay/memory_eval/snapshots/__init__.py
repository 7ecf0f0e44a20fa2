"""The stores a memory can be read from, in the order they are tried."""
