"""toolrag: answers about code in which every claim cites lines that were just read and checked."""

__version__ = "0.1.0"
