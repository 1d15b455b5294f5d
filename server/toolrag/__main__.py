"""`python -m toolrag`: the same command as the `toolrag` script."""

from toolrag.cli import run

if __name__ == "__main__":
    run()
