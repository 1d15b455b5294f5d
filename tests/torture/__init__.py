"""What must hold whatever happens to the index: `make torture` runs all of it, `.ci/run` a tenth with a new seed."""
