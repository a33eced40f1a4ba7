"""The archive is untrusted: names, sizes, damage."""

from __future__ import annotations

import contextlib
import io
import json
import struct
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from headtree.errors import ExtractionError
from headtree.extraction import adobe_archive
from headtree.extraction.adobe_archive import check_archive, open_archive
from tests.extraction.adobe_material import SMALL, archive, element, png, structure

CONTENT = structure(element("P", "Text."))


def opened(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "a.zip"
    path.write_bytes(data)
    return path


def test_entries_are_read_by_name(tmp_path: Path) -> None:
    image = png()
    with open_archive(opened(tmp_path, archive(CONTENT, {"figures/fileoutpart0.png": image}))) as result:
        assert result.structure() == CONTENT
        assert result.read("figures/fileoutpart0.png") == image
        assert result.refused == ()


@pytest.mark.parametrize(
    "name",
    [
        "figures/../../evil.png",  # case D-E01
        "../evil.png",
        "/figures/evil.png",
        "figures/..",
        "figures/.png",
        "figures/.hidden.png",
        "figures\\..\\evil.png",
        "C:/figures/evil.png",
        "figures/sub/evil.png",
        "figures/evil.exe",
        "figures/evil.png\n",
        "tables/ev\u0131l.csv",
        "other/evil.png",
    ],
)
def test_a_name_that_leaves_its_folder_is_refused(tmp_path: Path, name: str) -> None:
    with open_archive(opened(tmp_path, archive(CONTENT, {name: b"evil", "figures/good.png": png()}))) as result:
        assert name not in result
        assert len(result.refused) == 1
        with pytest.raises(KeyError):
            result.read(name)
        assert result.read("figures/good.png")
    assert [path.name for path in tmp_path.rglob("*")] == ["a.zip"], "nothing is written"


@given(
    middle=st.text(alphabet="./\\:a0-_\n ", max_size=12),
    end=st.sampled_from([".png", ".csv", ".PNG", "png", "/"]),
)
def test_whatever_can_be_read_stays_in_its_folder(middle: str, end: str) -> None:
    name = f"figures/{middle}{end}"
    if adobe_archive._RENDITION.fullmatch(name):
        assert name.split("/")[0] in {"figures", "tables"}
        assert len(Path(name).parts) == 2
        assert not Path(name).name.startswith(".")


@pytest.mark.parametrize("data", [b"", b"PK", b"<html>no</html>", SMALL[:-1], SMALL[: len(SMALL) // 2]])
def test_a_cut_archive_is_named_as_such(tmp_path: Path, data: bytes) -> None:
    with (
        pytest.raises(ExtractionError, match="not a whole ZIP") as caught,
        open_archive(opened(tmp_path, data)),
    ):
        pass
    assert caught.value.code == "DAMAGED_ARCHIVE"
    with pytest.raises(ExtractionError):
        check_archive(data)


@example(position=279, value=0, cut=0)  # an empty name
@given(position=st.integers(0, len(SMALL) - 1), value=st.integers(0, 255), cut=st.integers(0, len(SMALL)))
def test_damage_is_always_one_clear_error(position: int, value: int, cut: int) -> None:
    damaged = bytearray(SMALL)
    damaged[position] = value
    for data in (bytes(damaged), SMALL[:cut], SMALL[cut:]):
        with contextlib.suppress(ExtractionError):
            check_archive(data)


def test_an_absent_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(ExtractionError, match="no such file"), open_archive(tmp_path / "none.zip"):
        pass


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"{", "not valid JSON"),
        (b"[]", "no list of elements"),
        (b'{"elements": {}}', "no list of elements"),
        (b"[" * 100_000, "not valid JSON"),
        (b"\xff\xfe", "not valid JSON"),
    ],
)
def test_a_structure_that_is_none_is_said(content: bytes, reason: str) -> None:
    with pytest.raises(ExtractionError, match=reason):
        check_archive(archive(content))


def test_an_archive_of_something_else_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as target:
        target.writestr("holiday.png", png())
    with open_archive(path) as result, pytest.raises(ExtractionError, match=r"no structuredData\.json"):
        result.structure()


def test_a_byte_order_mark_before_the_json_does_not_matter() -> None:
    check_archive(archive(b"\xef\xbb\xbf" + json.dumps(CONTENT).encode()))


def test_a_bomb_that_tells_its_size_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = archive(CONTENT, {"figures/fileoutpart0.png": b"\0" * 3_000_000})
    assert len(bomb) < 10_000
    check_archive(bomb)
    monkeypatch.setattr(adobe_archive, "MAX_TOTAL_BYTES", 2_000_000)
    with pytest.raises(ExtractionError, match="2,000,000 are allowed"):
        check_archive(bomb)
    monkeypatch.setattr(adobe_archive, "MAX_ENTRY_BYTES", 1_000_000)
    with pytest.raises(ExtractionError, match="1,000,000 are allowed"):
        check_archive(bomb)
    monkeypatch.setattr(adobe_archive, "MAX_ENTRIES", 1)
    with pytest.raises(ExtractionError, match="2 files, 1 are allowed"):
        check_archive(bomb)


def test_a_bomb_that_lies_about_its_size_is_not_inflated(tmp_path: Path) -> None:
    size = 60_000_000
    honest = archive(CONTENT, {"figures/fileoutpart0.png": b"\0" * size})
    lying = opened(tmp_path, honest.replace(struct.pack("<I", size), struct.pack("<I", 1_000)))
    with open_archive(lying) as result:
        tracemalloc.start()
        with pytest.raises(ExtractionError, match="damaged"):
            result.read("figures/fileoutpart0.png")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 20_000_000


def test_an_encrypted_entry_is_an_error(tmp_path: Path) -> None:
    data = bytearray(SMALL)
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + offset] |= 1
    with (
        open_archive(opened(tmp_path, bytes(data))) as result,
        pytest.raises(ExtractionError, match="damaged"),
    ):
        result.structure()


def test_an_unusual_compression_is_refused() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_LZMA) as target:
        target.writestr("structuredData.json", json.dumps(CONTENT))
    with pytest.raises(ExtractionError, match="compressed in a way"):
        check_archive(out.getvalue())
