"""Finding where to look: spans, tokens, the lexical index, ranking. Pure: no files, clock, threads or network."""
