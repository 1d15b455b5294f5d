"""Make file modes mean something to a child that root starts: CI runs as root, which reads files of mode 000."""

from __future__ import annotations

import ctypes


def without_root_rights() -> None:
    """Gives up the two rights by which root passes over file modes, for good, before the child starts.

    For `preexec_fn`. A user who never had them is left as they are.
    """
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP; fails, without harm, for those who never had them
