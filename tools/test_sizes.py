"""No room is too large to be known, and sizes are counted as they are said to be."""

from pathlib import Path

from sizes import LARGEST_ROOM, functions, sizes_of_rooms

ROOT = Path(__file__).resolve().parents[1]


def test_no_room_is_too_large():
    sizes = sizes_of_rooms(ROOT)

    assert len(sizes) > 20
    assert {room: size for room, size in sizes.items() if size > LARGEST_ROOM} == {}


def test_functions_are_found_with_their_lengths():
    lines = """\
namespace pileus {
struct Place {
  int line() const {
    return 1;
  }
};
void follow(const Config& config,
            const Text& text) {
  for (int i = 0; i < 3; ++i) {
    use(i);
  }
}
}  // namespace pileus
""".splitlines()

    assert list(functions(lines)) == [(3, 3), (7, 6)]
