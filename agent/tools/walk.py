"""Going through the files of a workspace: in order, bounded, and never outside."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from agent.errors import ToolError
from agent.tools.beneath import FileId, file_id, path_parts
from agent.tools.deadline import Deadline
from agent.tools.decoding import decode
from agent.tools.gitignore import IgnoreRules
from agent.tools.paths import FOLDER, READ, Workspace, regular

MAX_ENTRIES = 200_000  # looked at in one walk
MAX_DEPTH = 100  # folders inside each other; each is held open
MAX_GITIGNORE_BYTES = 262_144
GIT_FOLDER = ".git"

Rules = tuple[tuple[int, IgnoreRules], ...]  # with the depth of the folder that each belongs to


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or link. `path` is relative to the workspace, `names` to the start of the walk.

    `folder` is the descriptor of the folder that holds it, valid until the walk goes on.
    """

    path: str
    names: tuple[str, ...]
    folder: int
    is_link: bool

    def open(self) -> int:
        """A descriptor of this very entry, never of what a link points to. Raises OSError."""
        return os.open(self.names[-1], READ | os.O_NOFOLLOW, dir_fd=self.folder)


class Walk:
    """The files and links below a folder, sorted by path.

    Left out: `.git`, the workspace's hidden folders, and what `.gitignore` files say (those of the
    workspace only, and only if they are regular files); a start that is itself ignored is walked
    all the same (`.git` is not). Links are named, never followed. After the iteration `stopped`
    says why something is missing, or is empty. `deepest`: how many names below the start are seen.
    """

    def __init__(
        self, workspace: Workspace, start: str, deadline: Deadline, *, deepest: int | None = None
    ) -> None:
        self.stopped = ""
        self._workspace = workspace
        self._start = tuple(path_parts(workspace.relative(start)))
        self._deadline = deadline
        self._deepest = MAX_DEPTH if deepest is None else min(deepest, MAX_DEPTH)
        self._limited_by_depth = deepest is None or deepest > MAX_DEPTH
        self._left = MAX_ENTRIES
        self._hidden: frozenset[FileId] = frozenset()

    def __iter__(self) -> Iterator[Entry]:
        if GIT_FOLDER in self._start:
            return
        self._hidden = self._workspace.hidden_ids()
        rules = self._rules_above()
        with self._workspace.folder("/".join(self._start) or ".") as folder:
            yield from self._inside(folder, (), rules)

    def _inside(self, folder: int, names: tuple[str, ...], rules: Rules) -> Iterator[Entry]:
        rules = self._with_own(folder, self._start + names, rules)
        for entry in self._listing(folder):
            if self._deadline.reason:
                self.stopped = self._deadline.reason
                return
            inner = (*names, entry.name)
            is_folder = entry.is_dir(follow_symlinks=False)
            if entry.name == GIT_FOLDER or _ignored(
                self._start + inner, rules, is_folder=is_folder
            ):
                continue
            if is_folder:
                yield from self._enter(folder, inner, rules)
            elif entry.is_file(follow_symlinks=False) or entry.is_symlink():
                path = "/".join(self._start + inner)
                yield Entry(path, inner, folder, entry.is_symlink())

    def _enter(self, folder: int, names: tuple[str, ...], rules: Rules) -> Iterator[Entry]:
        if len(names) >= self._deepest:
            if self._limited_by_depth:
                self.stopped = f"stopped at a depth of {MAX_DEPTH} folders"
            return
        try:
            inside = os.open(names[-1], FOLDER | os.O_NOFOLLOW, dir_fd=folder)
        except OSError:  # gone meanwhile, or not ours to read: the same as not there
            return
        try:
            if file_id(inside) not in self._hidden:
                yield from self._inside(inside, names, rules)
        finally:
            os.close(inside)

    def _listing(self, folder: int) -> list[os.DirEntry[str]]:
        """The entries in the order of their full paths; fewer when the walk's allowance ends."""
        with os.scandir(folder) as entries:
            found = list(islice(entries, self._left + 1))
        if len(found) > self._left:
            found.pop()
            self.stopped = f"stopped after {MAX_ENTRIES:,} files and folders"
        self._left -= len(found)
        return sorted(found, key=_path_order)

    def _rules_above(self) -> Rules:
        """The rules of the folders above the start; none if they ignore the start itself."""
        rules: Rules = ()
        if ".." in self._start:
            return rules
        for depth in range(len(self._start)):
            with self._workspace.folder("/".join(self._start[:depth]) or ".") as folder:
                rules = self._with_own(folder, self._start[:depth], rules)
            if _ignored(self._start[: depth + 1], rules, is_folder=True):
                return ()
        return rules

    def _with_own(self, folder: int, names: Sequence[str], rules: Rules) -> Rules:
        text = _gitignore_text(folder)
        return (*rules, (len(names), IgnoreRules(text))) if text else rules


def _path_order(entry: os.DirEntry[str]) -> str:
    """A folder's content comes where its path with a slash comes: "a-b" before "a/x"."""
    return f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name


def _ignored(names: Sequence[str], rules: Rules, *, is_folder: bool) -> bool:
    """The innermost file with an opinion decides."""
    for depth, own in reversed(rules):
        verdict = own.verdict(names[depth:], is_folder=is_folder)
        if verdict is not None:
            return verdict
    return False


def _gitignore_text(folder: int) -> str:
    """The folder's `.gitignore`; empty when there is none that may be read (no link, no FIFO)."""
    try:
        file = regular(os.open(".gitignore", READ | os.O_NOFOLLOW, dir_fd=folder), ".gitignore")
    except (OSError, ToolError):
        return ""
    with file:
        return decode(file.read(MAX_GITIGNORE_BYTES))
