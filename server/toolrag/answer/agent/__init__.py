"""The answerer with a model: it must read before it speaks, and nothing it says leaves unless it is verified."""
