"""What `--help` teaches below the options of a command. Texts alone, so that help is shown at once."""

from __future__ import annotations

from typing import Final

VERIFY: Final = """\
A citation is written path:12, path:12-18 or path#L12-L18, and pinned to its lines by @ and the first 12 digits of
their SHA-256, as `toolrag ask` writes it and `toolrag read` shows it. Each gets a line:

  verified   its lines are where it says
  moved      they are at one other place, which is named; --fix writes it
  changed    other lines are there
  gone       there are no such lines, or no such file, or it may not be read
  unpinned   its lines exist; whether they are the ones that were meant, nobody can say

Of a saved answer (`toolrag ask --json >answer.json`) each claim is checked too: its citations must stand, and what it
names must be in their lines.

examples:
  toolrag verify docs/*.md              before you commit
  toolrag verify --fix docs/design.md   after lines were added above
  git show HEAD:README.md | toolrag verify -

in CI, as a step after checkout (exit code 1 fails it):
  - run: pip install toolrag && toolrag verify --allow-moved README.md docs/*.md

Exit codes: 0 all stand · 1 a citation is changed or gone, or moved and neither allowed nor mended, or a claim has no
support · 2 a file cannot be read, or the command line is wrong.
"""

REPLAY: Final = """\
Each answer is kept with all that was read for it. A replay runs the same code again on what was read then, asks no
model and opens no file of yours, and must come to the same answer, byte for byte.

  reproduced      it did: the answer came out of what was read, and of nothing else
  not reproduced  the first event that is another now is named; a newer version of toolrag may decide otherwise
  broken at N     line N of the journal, or a text it names, is not what was written; nothing is run
  unfinished      the run was ended before it had an answer

--verify also reads your files as they are now, and says of each citation whether its lines still stand.

examples:
  toolrag replay last               the latest answer
  toolrag replay 3f2a --verify      the answer whose id begins with 3f2a (`toolrag ask --json` prints it: journal)
  toolrag journal                   the runs that are kept

Exit codes: 0 reproduced · 1 not reproduced, broken or unfinished · 2 no such run, or the command line is wrong.
"""

JOURNAL: Final = """\
Journals are kept in your own state folder, readable by you alone, never in the workspace: the question, the texts that
were read for it, what was decided, and the answer. Nothing of a file that may not be read is in them.

settings:
  [journal]
  enabled = false           # keep none; or: journal = false
  max_days = 14             # what is older goes
  max_bytes = 200_000_000   # beyond it the oldest go

examples:
  toolrag journal           which runs are kept: id, when, model, question
  toolrag journal --clear   remove them all
"""
