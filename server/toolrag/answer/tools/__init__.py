"""What a model may call to look at the code: each tool in a file of its own, and the toolbox that runs them. Pure."""
