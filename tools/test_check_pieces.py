"""Each room can be compiled in one piece, and what would hinder that is named."""

from pathlib import Path

from check_pieces import check

ROOT = Path(__file__).parents[1]


def room(root, **files):
    folder = root / "src" / "hall"
    folder.mkdir(parents=True)
    (folder / "CMakeLists.txt").write_text("pileus_room(hall SOURCES a.cpp b.cpp)\n")
    for name, text in files.items():
        body = f"namespace pileus {{\nnamespace {{\n\n{text}\n\n}}  // namespace\n}}  // namespace pileus\n"
        (folder / f"{name}.cpp").write_text(body)
    return folder


def test_no_room_of_the_tree_has_a_clash():
    assert check(ROOT) == []


def test_constants_types_and_functions_of_one_name_clash(tmp_path):
    everything = "constexpr int kMost = 3;\nstruct Entry {\n  int a;\n};\nint twice(int a) { return 2 * a; }"
    room(tmp_path, a=everything, b=everything.replace("int a)", "int number)"))

    clashes = check(tmp_path)

    assert [clash.split()[1] for clash in clashes] == ["pileus::kMost", "pileus::Entry", "pileus::twice(int)"]
    assert clashes[0].startswith("src/hall/b.cpp:4: ") and "src/hall/a.cpp:4" in clashes[0]


def test_overloads_and_names_with_linkage_do_not(tmp_path):
    room(tmp_path, a="int twice(int a) { return 2 * a; }", b="double twice(double a) { return 2 * a; }")

    assert check(tmp_path) == []


def test_files_of_a_room_that_is_compiled_file_by_file_may_share_names(tmp_path):
    folder = room(tmp_path, a="constexpr int kMost = 3;", b="constexpr int kMost = 4;")
    (folder / "CMakeLists.txt").write_text("set_target_properties(hall PROPERTIES UNITY_BUILD OFF)\n")

    assert check(tmp_path) == []
