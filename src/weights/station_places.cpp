#include <fstream>
#include <iterator>
#include <utility>

#include "core/error.h"
#include "core/shortest.h"
#include "weights/station_table.h"

namespace pileus {
namespace {

constexpr std::streamsize kLongestTable = std::streamsize{1} << 26;  ///< bytes

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  for (char piece[1 << 16]; file && text.size() <= kLongestTable;) {
    file.read(piece, sizeof piece);
    text.append(piece, static_cast<std::size_t>(file.gcount()));
  }
  if (!file.eof() && text.size() <= kLongestTable) throw UsageError(path + ": it cannot be read");
  if (text.size() > kLongestTable) throw UsageError(path + ": a table of stations has at most 64 MiB");
  return text;
}

}  // namespace

std::shared_ptr<PlacesOfCells> places_of_stations(const std::string& prefix, StationTable table) {
  auto made = std::make_shared<PlacesOfCells>();
  for (const auto* list : {&table.y, &table.x, &table.altitude}) {
    for (const double number : *list) made->identity += shortest(number) + " ";
    made->identity += "; ";
  }
  // Lengths keep "a, b" and "a" with "b" apart.
  for (const std::string& name : table.names)
    made->identity += std::to_string(name.size()) + " " + name + " ";
  made->grid = prefix;
  made->latitude = prefix + "_latitude";
  made->longitude = prefix + "_longitude";
  if (!table.altitude.empty()) made->altitude = prefix + "_altitude";
  if (!table.names.empty()) made->name = prefix + "_name";
  made->names = std::move(table.names);
  made->read = [y = std::move(table.y), x = std::move(table.x), altitude = std::move(table.altitude)](
                   CellPart part, Index first, Index count) {
    const std::vector<double>& all = part == CellPart::latitude    ? y
                                     : part == CellPart::longitude ? x
                                                                   : altitude;
    return std::vector<double>(all.begin() + first, all.begin() + first + count);
  };
  return made;
}

GridOfFile read_station_grid(const std::string& path) {
  try {
    StationTable table = read_station_table(text_of_file(path));
    GridOfFile grid;
    grid.dimensions = {{"station", std::ssize(table.y)}};
    grid.places = places_of_stations("station", std::move(table));
    return grid;
  } catch (const UsageError& error) {
    const std::string what = error.what();
    throw UsageError(what.starts_with(path) ? what : path + ": " + what);
  }
}

}  // namespace pileus
