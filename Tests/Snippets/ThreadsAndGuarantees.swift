struct Order {}
