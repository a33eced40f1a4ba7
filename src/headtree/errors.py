"""The errors that headtree raises on purpose.

::

    HeadtreeError                 the message says what happened and what to do next
    ├── SettingsError             a setting has a value that is not allowed
    ├── DocumentError             one document cannot be read; a build lists it and goes on
    ├── ExtractionError           one PDF cannot be turned into Markdown; other files go on
    ├── IndexMissingError         there is no index at this place
    ├── IndexMismatchError        the index was made by another version or embedder
    ├── IndexDamagedError         the index database cannot be read
    ├── VectorStoreError          the server that holds the vectors cannot be used
    ├── ModelUnavailableError     a model file, package or key is absent
    ├── ModelCallError            a model was called and did not give a usable reply
    └── Cancelled                 the user stopped the work

The command line prints such an error as one line and exits with 1. Any other exception is a defect of ours.
"""

from __future__ import annotations


class HeadtreeError(Exception):
    """Base of every error that a user can act on."""


class SettingsError(HeadtreeError):
    """A setting has a value that is not allowed; the message names the setting and what is allowed."""


class DocumentError(HeadtreeError):
    """One document cannot be read."""


class ExtractionError(HeadtreeError):
    """One source file cannot be converted; ``code`` is the engine's own error code, where it has one."""

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.code = code


class IndexMissingError(HeadtreeError):
    """There is no index at the given place."""


class IndexMismatchError(HeadtreeError):
    """The index does not fit the settings or the version of headtree that opens it."""


class IndexDamagedError(HeadtreeError):
    """The index database is damaged; it can be built again from the documents."""


class VectorStoreError(HeadtreeError):
    """The server that holds the vectors cannot be reached, or refused what was asked of it."""


class ModelUnavailableError(HeadtreeError):
    """A model cannot be used here: its package, file or key is absent."""


class ModelCallError(HeadtreeError):
    """A model was called and failed, or its reply was not usable."""


class Cancelled(HeadtreeError):  # noqa: N818 - it is no error to the one who asked for it
    """The user stopped the work; what was saved before is kept."""
