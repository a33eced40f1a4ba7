"""Settings: where they come from, and what is said about a wrong one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from headtree.errors import SettingsError
from headtree.settings import MAX_FIGURES, Settings, load_settings
from tests.library import ROOT, write


@pytest.fixture(autouse=True)
def nothing_set(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("HEADTREE_")]:
        monkeypatch.delenv(name)


def test_defaults():
    settings = load_settings()
    assert (settings.sections, settings.recall_chunks, settings.candidates, settings.max_figures) == (5, 200, 50, 6)
    assert settings.documents == Path("data/documents")


def test_each_source_wins_over_the_one_before(tmp_path, monkeypatch):
    write(tmp_path, {"config.py": "SECTIONS = 2\nMAX_FIGURES = 1\nCANDIDATES = 10\nRECALL_CHUNKS = 11\n"})
    write(tmp_path, {".env": "HEADTREE_MAX_FIGURES=2\nHEADTREE_CANDIDATES=20\nHEADTREE_RECALL_CHUNKS=21\n"})
    monkeypatch.setenv("HEADTREE_CANDIDATES", "30")
    monkeypatch.setenv("HEADTREE_RECALL_CHUNKS", "31")
    settings = load_settings(recall_chunks=41, index=None)
    assert (settings.sections, settings.max_figures, settings.candidates, settings.recall_chunks) == (2, 2, 30, 41)


def test_a_settings_file_of_another_name(tmp_path):
    write(tmp_path, {"mine.py": "from pathlib import Path\nDOCUMENTS = Path('here') / 'there'\nlocal = 3\n"})
    assert load_settings(tmp_path / "mine.py").documents == Path("here/there")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("MAX_FIGURES = 7", ["MAX_FIGURES", "7", "6"]),
        ("MAX_FIGURES = -1", ["MAX_FIGURES", "-1", "0"]),
        ("SECTIONS = 'many'", ["SECTIONS", "many"]),
        ("EMBEDDER = 'magic'", ["EMBEDDER", "magic", "local", "none"]),
        ("NOISE_TITLES = ('(',)", ["NOISE_TITLES", "regular expression"]),
        ("CHUNK_CHARACTERS = 5", ["CHUNK_CHARACTERS", "200"]),
        ("SECTION = 5", ["config.py", "SECTION", "SECTIONS"]),
        ("SECTIONS = ", ["config.py", "line 1"]),
        ("SECTIONS = 1 / 0", ["config.py", "division by zero"]),
        ("import nothing_like_it", ["config.py", "nothing_like_it"]),
    ],
)
def test_a_wrong_setting_names_itself_and_what_is_allowed(tmp_path, line, says):
    write(tmp_path, {"config.py": f"{line}\n"})
    with pytest.raises(SettingsError) as raised:
        load_settings()
    assert all(word in str(raised.value) for word in says)
    assert "\n" not in str(raised.value)


def test_settings_that_are_read_and_not_run(tmp_path, monkeypatch):
    write(tmp_path, {"headtree.toml": "sections = 2\nMAX_FIGURES = 3\nnoise_titles = ['our offices']\n"})
    monkeypatch.setenv("HEADTREE_MAX_FIGURES", "4")
    settings = load_settings()
    assert (settings.sections, settings.max_figures, settings.noise_titles) == (2, 4, ("our offices",))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("sections = 0", ["SECTIONS", "0"]),
        ("section = 5", ["headtree.toml", "SECTION", "SECTIONS"]),
        ("sections =", ["headtree.toml", "TOML"]),
        ("[search]\nsections = 5", ["headtree.toml", "SEARCH"]),
    ],
)
def test_a_wrong_setting_that_is_read(tmp_path, text, says):
    write(tmp_path, {"headtree.toml": text})
    with pytest.raises(SettingsError) as raised:
        load_settings()
    assert all(word in str(raised.value) for word in says)


def test_two_settings_files_leave_in_doubt_which_is_in_force(tmp_path):
    write(tmp_path, {"headtree.toml": "sections = 2\n", "config.py": "SECTIONS = 3\n"})
    with pytest.raises(SettingsError, match=r"config\.py and headtree\.toml"):
        load_settings()


def test_every_wrong_setting_is_named_at_once(tmp_path):
    write(tmp_path, {"config.py": "SECTIONS = 0\nCANDIDATES = 0\n"})
    with pytest.raises(SettingsError, match=r"SECTIONS.*; setting CANDIDATES|CANDIDATES.*; setting SECTIONS"):
        load_settings()


def test_a_wrong_list_in_the_environment(monkeypatch):
    monkeypatch.setenv("HEADTREE_NOISE_TITLES", "not json")
    with pytest.raises(SettingsError, match=r"(?i)noise_titles"):
        load_settings()
    monkeypatch.setenv("HEADTREE_NOISE_TITLES", '["our offices"]')
    assert load_settings().noise_titles == ("our offices",)


def test_settings_are_frozen_and_varied_by_copies():
    settings = Settings(_env_file=None)
    with pytest.raises(ValueError, match="frozen"):
        settings.sections = 3
    assert settings.model_copy(update={"sections": 3}).sections == 3
    assert settings.sections == 5


def test_the_cap_of_pictures_is_code():
    assert MAX_FIGURES == 6


def test_every_setting_says_what_it_is():
    assert all(field.description for field in Settings.model_fields.values())


def test_the_settings_file_of_the_project_is_valid():
    assert load_settings(ROOT / "config.py") == load_settings()
