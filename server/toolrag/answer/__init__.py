"""Saying only what was read: tools, evidence, claims, verification, the extractive answerer. Pure; awaits ports."""
