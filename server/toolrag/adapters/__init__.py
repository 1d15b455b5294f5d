"""The outside world behind the ports: files, the cache, the parse process, vector indexes, the clock."""
