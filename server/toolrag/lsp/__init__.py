"""The language server: the core behind LSP. The only package that knows pygls, lsprotocol and websockets."""
