"""Claims about real code whose truth is known from Python's own syntax tree, and false ones made from them."""
