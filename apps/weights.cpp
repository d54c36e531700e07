#include "apps/weights.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <string_view>

#include "analytics/operators/list.h"
#include "apps/run_cdo.h"
#include "apps/source_grid.h"
#include "config/read_config.h"
#include "core/suggest.h"
#include "core/temporary_directory.h"
#include "formats/netcdf/grid_file.h"
#include "formats/netcdf/input_file.h"
#include "formats/netcdf/weights_file.h"
#include "formats/netcdf/weights_tools.h"
#include "monc/dialect.h"
#include "plan/sha256.h"
#include "terms/grid_parameters.h"
#include "weights/target_grid.h"

namespace pileus::apps {
namespace {

namespace fs = std::filesystem;

constexpr int kNotMade = 1, kCannot = 2;

struct WeightsMethod {
  const char* name;
  const char* cdo;  ///< CDO's operator
  bool needs_corners;
};

constexpr std::array<WeightsMethod, 4> kMethods = {{{"conservative", "gencon", true},
                                                    {"bilinear", "genbil", false},
                                                    {"nearest", "gennn", false},
                                                    {"distance", "gendis", false}}};

/// Errors: UsageError that says which methods there are.
const WeightsMethod& method_of(const std::string& name) {
  std::vector<std::string> known;
  std::string list;
  for (const WeightsMethod& method : kMethods) {
    if (name == method.name) return method;
    known.emplace_back(method.name);
    list += (list.empty() ? "" : ", ") + known.back();
  }
  if (name == "conservative2") {
    throw UsageError(
        "second-order conservative weights of CDO use differences between neighbours in place of "
        "gradients, and gain nothing; methods are " +
        list);
  }
  throw UsageError("there is no method \"" + name + "\"" + did_you_mean(nearest(name, known)) +
                   "; methods are " + list);
}

/// A target by its description, or that of a file with all of its cells.
struct Target {
  TargetGrid grid;
  std::optional<SourceGrid> cells;  ///< where dimensions alone do not place them
  Index size() const { return cells ? cells->size() : grid.size(); }
};

SourceGrid cells_of(const GridOfFile& grid) {
  SourceGrid all;
  const PlacesOfCells& places = *grid.places;
  const auto read = [&](CellPart part) { return places.read(part, 0, grid.size()); };
  for (const RegridDimension& one : grid.dimensions) all.dims.push_back(one.size);
  all.latitude = read(CellPart::latitude);
  all.longitude = read(CellPart::longitude);
  all.corners = places.corners;
  if (places.corners == 0) return all;
  all.corner_latitude = read(CellPart::latitude_bounds);
  all.corner_longitude = read(CellPart::longitude_bounds);
  return all;
}

Target target_of(const WantedWeights& wanted) {
  if (wanted.target_file.empty()) return {read_target_grid(wanted.target_cells), {}};
  const GridOfFile file = read_and_check_grid(wanted.target_file);
  Target target;
  target.grid.cells = wanted.target_file;
  for (const RegridDimension& one : file.dimensions)
    target.grid.dimensions.push_back({one.name, one.size, one.coordinates, one.bounds});
  if (file.places) target.cells = cells_of(file);
  return target;
}

bool has_corners(const Target& target) {
  if (target.cells) return target.cells->corners > 0;
  return std::ranges::none_of(target.grid.dimensions, [](const auto& one) { return one.bounds.empty(); });
}

void check_method(const WeightsMethod& method, const WantedWeights& wanted, const Target& target,
                  const SourceGrid& source) {
  if (method.needs_corners && !wanted.target_file.empty() && !has_corners(target)) {
    throw UsageError(wanted.target_file + ": it has no bounds of its cells, which conservative weights need");
  }
  if (method.needs_corners && target.grid.kind == TargetGrid::Kind::healpix) {
    throw UsageError(
        "CDO makes no conservative weights to HEALPix, as it does not know the corners of its "
        "cells; nearest and distance work, and files of other tools are read");
  }
  if (std::string_view(method.name) == "bilinear" && !source.is_structured()) {
    throw UsageError(
        "CDO makes bilinear weights of grids with two dimensions alone; for cells of a mesh, "
        "distance, nearest and conservative work");
  }
}

template <class T>
void append_bytes(std::string& text, const std::vector<T>& values) {
  text += std::to_string(values.size()) + ":";
  text.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

/// Numbers as this machine has them in memory: weights are made and used on machines of one kind.
std::string hash_of(const SourceGrid& grid, std::string text = "pileus source grid 1\n") {
  append_bytes(text, grid.dims);
  for (const auto* values : {&grid.latitude, &grid.longitude, &grid.corner_latitude, &grid.corner_longitude})
    append_bytes(text, *values);
  append_bytes(text, grid.mask);
  return planning::sha256(text);
}

std::string hash_of(const Target& target) {
  if (target.cells) return hash_of(*target.cells, "pileus target grid 1\n");
  const TargetGrid& grid = target.grid;
  const bool has_name = grid.kind == TargetGrid::Kind::healpix;
  return planning::sha256("pileus target grid 1\n" + (has_name ? grid.cells : cdo_description(grid)));
}

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  text.erase(0, text.find_first_not_of(" \n"));
  return text;
}

/// What CDO calls the target: a file in the folder with its description, or a name.
std::string target_for_cdo(const Target& target, const TemporaryDirectory& folder) {
  if (target.grid.kind == TargetGrid::Kind::healpix) return target.grid.cells;
  if (target.cells) write_grid_for_cdo(folder.path("target.nc"), *target.cells);
  if (target.cells) return "target.nc";
  std::ofstream file(folder.path("target.txt"));
  file << cdo_description(target.grid) << std::flush;
  if (!file) throw OutputError(folder.path("target.txt") + ": it cannot be written");
  return "target.txt";
}

/// Errors: UsageError if the file does not fit the grids.
void check_made(const std::string& file, const SourceGrid& source, const Target& target) {
  const WeightsHead head = read_weights_head(file);
  if (head.source_size == source.size() && head.target_size == target.size()) return;
  throw UsageError("what CDO made has " + std::to_string(head.source_size) + " source points and " +
                   std::to_string(head.target_size) + " target points, and not " +
                   std::to_string(source.size()) + " and " + std::to_string(target.size()));
}

/// Makes the file beside its place, and renames it when it is complete.
void make(const SourceGrid& source, const Target& target, const WeightsMethod& method, const Texts& texts,
          const fs::path& path) {
  const TemporaryDirectory folder(path.parent_path());
  const std::string made = folder.path("weights.nc"), said = folder.path("said.txt");
  write_grid_for_cdo(folder.path("source.nc"), source);
  const std::string operation = std::string(method.cdo) + "," + target_for_cdo(target, folder);
  const std::string problem =
      run_cdo(folder.path(), {"-O", "-s", operation, "source.nc", "weights.nc"}, said);
  if (!problem.empty()) {
    const std::string words = content_of(said);
    throw UsageError("CDO " + problem + (words.empty() ? "" : " and said:\n" + words));
  }
  check_made(made, source, target);
  add_texts(made, texts);
  fs::rename(made, path);
}

bool is_up_to_date(const fs::path& path, const Texts& texts) {
  return std::ranges::all_of(texts,
                             [&](const auto& one) { return text_of_file(path, one.first) == one.second; });
}

/// Makes them if they are not there, and says what was done.
void make_if_needed(const WantedWeights& wanted, const std::string& grids, const fs::path& folder) {
  const WeightsMethod& method = method_of(wanted.method);
  const Target target = target_of(wanted);
  const SourceGrid source = read_source_grid(grids, wanted, method.needs_corners);
  check_method(method, wanted, target, source);
  const std::string target_name = wanted.target_name.empty() ? target.grid.cells : wanted.target_name;
  const fs::path path = folder / weights_file_name(wanted.source, target_name, wanted.method);
  const Texts texts = {{"pileus_source_hash", hash_of(source)},
                       {"pileus_target_hash", hash_of(target)},
                       {"pileus_method", wanted.method},
                       {"pileus_source", wanted.source},
                       {"pileus_target", target.grid.cells}};
  const bool was_there = fs::exists(path);
  if (was_there && is_up_to_date(path, texts)) {
    std::cout << path.string() << ": up to date\n";
    return;
  }
  if (was_there && text_of_file(path, "pileus_source_hash").empty()) {
    throw UsageError(path.string() +
                     " is there and was not made by pileus weights, or is damaged: remove it, or "
                     "name another --folder");
  }
  fs::create_directories(folder);
  make(source, target, method, texts, path);
  std::cout << path.string() << ": made" << (was_there ? " anew, as it was of other grids" : "") << '\n';
}

/// With the errors of the configuration printed; it is of no use if there are any.
Config read_for_weights(const std::string& file, const ReadSettings& settings, Findings& findings) {
  const std::map<std::string, std::string> options(settings.options.begin(), settings.options.end());
  return read_config(read_text_file(file), file, builtin_catalogue(read_and_check_grid), options, findings,
                     true, includes_on_disk(presets_directory(), folders_of(settings.include_path)),
                     all_dialects(settings.dialect), settings.component);
}

std::vector<WantedWeights> all_wanted(const Config& config, const WeightsSettings& settings,
                                      Findings& findings) {
  if (settings.from.empty()) return planning::wanted_weights(config, findings);
  return {weights_from(config, settings.from, settings.to, settings.method)};
}

/// Says why if it cannot.
bool can_be_read(const std::string& grids) {
  try {
    const netcdf::InputFile file(grids);
    return true;
  } catch (const UsageError& error) {
    std::cerr << error.what() << '\n';
    return false;
  }
}

int make_all(const std::vector<WantedWeights>& all, const std::string& grids, const fs::path& folder) {
  int status = 0;
  for (const WantedWeights& wanted : all) {
    try {
      make_if_needed(wanted, grids, folder);
    } catch (const Error& error) {
      const std::string& target = wanted.target_name.empty() ? wanted.target_cells : wanted.target_name;
      std::cerr << "weights from " << wanted.source << " to " << target << " (" << wanted.method
                << "): " << error.what() << '\n';
      status = kNotMade;
    }
  }
  return status;
}

}  // namespace

int weights(const ReadSettings& reading, const WeightsSettings& settings) {
  if (!settings.shown.empty()) return show_weights(settings.shown, settings.has_rows);
  const std::string& configuration = settings.configuration;
  try {
    Findings findings;
    const Config config = read_for_weights(configuration, reading, findings);
    const std::vector<WantedWeights> all = all_wanted(config, settings, findings);
    if (findings.has_errors()) {
      std::cerr << findings.errors().text() << '\n';
      return kNotMade;
    }
    if (all.empty()) {
      std::cerr
          << configuration
          << ": it needs no weights that it does not name; --from, --to and --method say what to make\n";
      return kNotMade;
    }
    if (!can_be_read(settings.grids)) return kCannot;
    const fs::path folder = settings.folder.empty() ? fs::path(configuration).parent_path() / "weights"
                                                    : fs::path(settings.folder);
    return make_all(all, settings.grids, folder);
  } catch (const UsageError& error) {
    std::cerr << configuration << ": " << error.what() << '\n';
    return kNotMade;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return kCannot;
  }
}

}  // namespace pileus::apps
