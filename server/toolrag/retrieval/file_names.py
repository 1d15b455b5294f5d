"""What the names of all files say, as arrays: worked out once for a set of paths, and looked up by a question. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from toolrag.retrieval import paths
from toolrag.retrieval.tokens import term_hash

Int32 = npt.NDArray[np.int32]
UInt64 = npt.NDArray[np.uint64]
Key = TypeVar("Key", str, int)


@dataclass(frozen=True, eq=False)
class FileNames:
    """One entry a file, and files by the words of their names."""

    traits: Int32
    """`paths.traits` of each file."""
    depths: Int32
    """How many folders each is in."""
    plain_stems: UInt64
    """`term_hash` of each `paths.plain_stem`."""
    n_stem_tokens: Int32
    """How many tokens each stem has."""
    stem_words: tuple[str, ...]
    """All tokens of stems, ascending: a prefix is looked for among them."""
    stem_ptr: Int32
    """Stem word i is in files `stem_files[stem_ptr[i]:stem_ptr[i + 1]]`."""
    stem_files: Int32
    folder_terms: UInt64
    """`term_hash` of all tokens of folders, ascending."""
    folder_ptr: Int32
    folder_files: Int32


def file_names(of: Sequence[str]) -> FileNames:
    """The names of some files."""
    stems = [paths.stem_tokens(path) for path in of]
    stem_words, stem_ptr, stem_files = _by_key(stems)
    folders, folder_ptr, folder_files = _by_key([[term_hash(token) for token in paths.folder_tokens(p)] for p in of])
    return FileNames(
        traits=np.array([paths.traits(path) for path in of], np.int32),
        depths=np.array([path.count("/") for path in of], np.int32),
        plain_stems=np.array([term_hash(paths.plain_stem(path)) for path in of], np.uint64),
        n_stem_tokens=np.array([len(words) for words in stems], np.int32),
        stem_words=tuple(stem_words),
        stem_ptr=stem_ptr,
        stem_files=stem_files,
        folder_terms=np.array(folders, np.uint64),
        folder_ptr=folder_ptr,
        folder_files=folder_files,
    )


def _by_key(by_file: Sequence[Iterable[Key]]) -> tuple[list[Key], Int32, Int32]:
    files: dict[Key, list[int]] = {}
    for file, keys in enumerate(by_file):
        for key in keys:
            files.setdefault(key, []).append(file)
    ordered = sorted(files)
    ptr = np.zeros(len(ordered) + 1, np.int32)
    np.cumsum([len(files[key]) for key in ordered], out=ptr[1:])
    return ordered, ptr, np.array([file for key in ordered for file in files[key]], np.int32)
