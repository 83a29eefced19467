"""An argument or option that names a file or a directory."""

from __future__ import annotations

import click


class FilePath(click.Path):
    """Like click's own path, but not looked at here: whoever reads or writes it knows whether that is permitted.

    A file that can't be read is then an error of the input (exit code 3) and not of the usage (2), and a file that is
    only written need not be readable.
    """

    def __init__(self, *, file_okay: bool = True, dir_okay: bool = True) -> None:
        super().__init__(file_okay=file_okay, dir_okay=dir_okay, readable=False)
