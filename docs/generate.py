"""Writes the pages that code decides, ``configuration.md`` and ``cli.md``: ``make docs``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin

import run_test_suite
import typer
from pydantic import AliasChoices, SecretStr
from pydantic.fields import FieldInfo
from typer.models import ArgumentInfo, OptionInfo

from headtree.cli import app
from headtree.settings import Settings

DOCS = Path(__file__).parent

_CONFIGURATION = """\
# Configuration

*Made from the settings by `make docs`; do not edit.*

Nothing has to be set. What is set is taken from the first of these places that has it:

1. an option of the command (`--documents`, `--index`);
2. the environment, with the prefix `HEADTREE_`: `HEADTREE_MAX_FIGURES=4 headtree ask "..."`;
3. `.env` in the current folder, with the same names;
4. `config.py` in the current folder: `MAX_FIGURES = 4`. It is your own Python file and is run: take none from others.
   Or `headtree.toml`: `max_figures = 4`, which is read and not run;
5. the default.

A value that is not allowed and a name that is not known are errors that say what is allowed. `headtree info` shows what
is in force.

"""
_CLI = """\
# Commands

*Made from the commands by `make docs`; do not edit.*

Exit codes: 0 done; 1 the work failed, with one line that says what to do next; 2 wrong usage. With `--json`, standard
output is one JSON document and nothing else; progress and errors go to standard error.

"""
_LIMITS = {"ge": "at least {}", "gt": "over {}", "le": "at most {}", "lt": "under {}"}


def pages() -> dict[str, str]:
    """Return the generated pages by file name."""
    return {"configuration.md": configuration_page(), "cli.md": cli_page()}


# ------------------------------------------------------------------------------------------------------ settings


def configuration_page() -> str:
    """Return the page of all settings, grouped as they stand in ``settings.py``."""
    parts = [_CONFIGURATION.rstrip("\n")]
    for heading, text, names in _groups():
        parts.append(f"## {heading}")
        if text:
            parts.append(text)
        rows = [_setting_row(name, Settings.model_fields[name]) for name in names]
        parts.append("\n".join(("| setting | default | allowed | meaning |", "|---|---|---|---|", *rows)))
    return "\n\n".join(parts) + "\n"


def _groups() -> Iterator[tuple[str, str, list[str]]]:
    """Yield (heading, text, names of settings); a comment line in the class begins a group."""
    comment: list[str] = []
    names: list[str] = []
    for line in inspect.getsource(Settings).splitlines():
        found = re.match(r"    (?:# (?P<comment>.+)|(?P<name>\w+):)", line)
        if found and found["comment"]:
            if names:
                yield *_heading(comment), names
                comment, names = [], []
            comment.append(found["comment"])
        elif found and found["name"] in Settings.model_fields:
            names.append(found["name"])
    yield *_heading(comment), names


def _heading(comment: list[str]) -> tuple[str, str]:
    """Split ``Language models: `auto` ...`` into its heading and the sentence after it."""
    heading, _, text = " ".join(comment).partition(": ")
    return heading, f"{text.rstrip('.')}." if text else ""


def _setting_row(name: str, field: FieldInfo) -> str:
    meaning = _cell(field.description or "")
    if isinstance(field.validation_alias, AliasChoices):
        names = ", ".join(f"`{choice}`" for choice in field.validation_alias.choices)
        meaning += f" Read from {names}."
    return f"| `{name.upper()}` | {_default(field)} | {_allowed(field)} | {meaning} |"


def _default(field: FieldInfo) -> str:
    value = field.default
    if value is None or isinstance(value, SecretStr):
        return "not set"
    return f"`{value.as_posix()!r}`" if isinstance(value, Path) else f"`{value!r}`"


def _allowed(field: FieldInfo) -> str:
    """Say the limits of a number in words."""
    limits = [
        words.format(f"{value:,}")
        for limit in field.metadata
        for key, words in _LIMITS.items()
        if (value := getattr(limit, key, None)) is not None
    ]
    return ", ".join(limits)


# ------------------------------------------------------------------------------------------------------ commands


def cli_page() -> str:
    """Return the page of all commands."""
    parts = [_CLI.rstrip("\n"), *_commands("headtree", app)]
    parts += _command("python run_test_suite.py", run_test_suite.run)
    return "\n\n".join(parts) + "\n"


def _commands(path: str, commands: typer.Typer) -> Iterator[str]:
    """Yield the parts of each command, then those of the groups below."""
    for command in commands.registered_commands:
        if command.callback is not None:
            name = command.name or command.callback.__name__.replace("_", "-")
            yield from _command(f"{path} {name}", command.callback)
    for group in commands.registered_groups:
        if group.typer_instance is not None:
            yield from _commands(f"{path} {group.name}", group.typer_instance)


def _command(path: str, callback: Callable[..., Any]) -> Iterator[str]:
    parameters = [
        _Parameter.of(parameter) for parameter in inspect.signature(callback, eval_str=True).parameters.values()
    ]
    arguments = [parameter for parameter in parameters if not parameter.is_option]
    options = [parameter for parameter in parameters if parameter.is_option]
    yield f"## `{path}`"
    yield " ".join((callback.__doc__ or "").split())
    yield f"```\n{' '.join([path, *(argument.usage for argument in arguments), '[OPTIONS]'])}\n```"
    rows = [parameter.row for parameter in (*arguments, *options)]
    yield "\n".join(("| | default | |", "|---|---|---|", *rows))


@dataclass(frozen=True, slots=True)
class _Parameter:
    """An argument or option as the signature declares it."""

    name: str
    type: Any
    default: Any
    info: OptionInfo | ArgumentInfo

    @classmethod
    def of(cls, parameter: inspect.Parameter) -> _Parameter:
        declared, info = get_args(parameter.annotation)
        choices = [choice for choice in get_args(declared) or (declared,) if choice is not NoneType]
        return cls(parameter.name, choices[0], parameter.default, info)

    @property
    def is_option(self) -> bool:
        return isinstance(self.info, OptionInfo)

    @property
    def is_list(self) -> bool:
        return get_origin(self.type) is list

    @property
    def usage(self) -> str:
        """The argument as it stands in the command line."""
        name = self.info.metavar or self.name.upper()
        required = self.default is inspect.Parameter.empty
        return (name if required else f"[{name}]") + ("..." if self.is_list else "")

    @property
    def row(self) -> str:
        """A row of the table."""
        name = f"{self.flag} {self.value}".strip() if self.is_option else self.info.metavar or self.name.upper()
        shown = self.info.show_default if isinstance(self.info.show_default, str) else self.default
        silent = shown is inspect.Parameter.empty or shown in (None, False, "")
        default = "" if silent else f"`{getattr(shown, 'value', shown)}`"
        return f"| `{name}` | {default} | {_cell(self.info.help or '')} |"

    @property
    def flag(self) -> str:
        """The option as it is typed."""
        # In ``Annotated``, Typer keeps the first name where a default would stand.
        first = self.info.default if isinstance(self.info.default, str) else f"--{self.name.replace('_', '-')}"
        return ", ".join((first, *(self.info.param_decls or ())))

    @property
    def value(self) -> str:
        """What follows the option; empty for a switch."""
        kind = get_args(self.type)[0] if self.is_list else self.type
        if kind is bool:
            return ""
        if isinstance(kind, type) and issubclass(kind, Enum):
            return "\\|".join(str(member.value) for member in kind)
        return {int: "NUMBER", Path: "PATH"}.get(kind, "TEXT")


def _cell(text: str) -> str:
    """Return a text for a table cell; what looks like a tag is code, so that it is not taken for HTML."""
    parts = " ".join(text.split()).split("`")
    parts[::2] = [re.sub(r"<\w+>(?:/\w+)?", r"`\g<0>`", part) for part in parts[::2]]
    return "`".join(parts).replace("|", "\\|")


def main() -> None:
    """Write the pages."""
    for name, text in pages().items():
        (DOCS / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
