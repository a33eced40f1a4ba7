"""Pages that several scripts write: each replaces its own part."""

from benchmarks.pages import table, with_part, write_part


def test_a_table_names_its_columns():
    assert table(["set", "recall"], [["papers", "0.9"]]) == "| set | recall |\n| --- | ---: |\n| papers | 0.9 |"


def test_a_part_is_appended_then_replaced_and_the_others_stay():
    page = with_part("# Page\n\nWhy.\n", "One", "first")
    page = with_part(page, "Two", "second")
    assert page == "# Page\n\nWhy.\n\n## One\n\nfirst\n\n## Two\n\nsecond\n"
    assert with_part(page, "One", "new \\1") == "# Page\n\nWhy.\n\n## One\n\nnew \\1\n\n## Two\n\nsecond\n"
    assert with_part(page, "Two", "new") == "# Page\n\nWhy.\n\n## One\n\nfirst\n\n## Two\n\nnew\n"


def test_writing_the_same_part_twice_changes_nothing(tmp_path):
    page = tmp_path / "page.md"
    write_part(page, "One", "body", introduction="# Page\n")
    before = page.read_bytes()
    write_part(page, "One", "body", introduction="# Another\n")
    assert page.read_bytes() == before == b"# Page\n\n## One\n\nbody\n"
