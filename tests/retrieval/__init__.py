"""Tests of retrieval."""
