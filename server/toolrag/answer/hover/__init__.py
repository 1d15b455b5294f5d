"""What is said of a name under the pointer: facts cut from texts that are read now, without a model. Pure."""
