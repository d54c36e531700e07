#include "formats/netcdf/weights_file.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/error.h"
#include "formats/netcdf/input_file.h"

namespace pileus {
namespace {

using netcdf::InputFile;

constexpr Index kLinksAtOnce = Index{1} << 20;

/// The names that a kind of file has for the same things.
struct WeightNames {
  std::string source, target, weight;  ///< of each link
  std::string links;                   ///< the dimension
  std::string source_size, target_size;
  std::string source_latitude, source_longitude, target_latitude, target_longitude;
  std::string target_corner_latitude, target_corner_longitude, target_area;
};

const WeightNames kScrip = {"src_address",         "dst_address",         "remap_matrix",
                            "num_links",           "src_grid_size",       "dst_grid_size",
                            "src_grid_center_lat", "src_grid_center_lon", "dst_grid_center_lat",
                            "dst_grid_center_lon", "dst_grid_corner_lat", "dst_grid_corner_lon",
                            "dst_grid_area"};
const WeightNames kEsmf = {"col",  "row",  "S",    "n_s",  "n_a",  "n_b",   "yc_a",
                           "xc_a", "yc_b", "xc_b", "yv_b", "xv_b", "area_b"};

bool is_yac(const InputFile& file) { return file.text("", "version").starts_with("yac weight file"); }

const WeightNames& names_of(const InputFile& file) {
  for (const WeightNames* names : {&kScrip, &kEsmf}) {
    if (file.has_variable(names->source) && file.has_variable(names->target) &&
        file.has_variable(names->weight))
      return *names;
  }
  if (is_yac(file)) file.refuse("it has no links, so that no target point gets a value");
  file.refuse("it holds no weights that Pileus reads: those of CDO (SCRIP), ESMF or YAC");
}

void check_yac(const InputFile& file) {
  if (const std::string version = file.text("", "version"); version != "yac weight file 1.0")
    file.refuse("it is a \"" + version + "\", and Pileus reads \"yac weight file 1.0\"");
  if (file.dimension("num_src_fields").value_or(1) != 1)
    file.refuse("its weights combine several source fields, which one field cannot give");
  if (file.text("", "contains_fixed_dst") == "TRUE")
    file.refuse("it gives fixed values to some target points; make it without the interpolation \"fixed\"");
}

/// Errors: more than one weight for each link.
void check_weights_of_link(const InputFile& file, const WeightNames& names) {
  const std::vector<Index> shape = file.shape(names.weight);
  if (shape.size() == 1 || (shape.size() == 2 && shape[1] == 1)) return;
  if (shape.size() != 2) file.refuse("its " + names.weight + " has no dimension, or too many");
  file.refuse("it has " + std::to_string(shape[1]) +
              " weights for each link, as second-order and bicubic methods have, which use gradients; cdo "
              "gencon, genbil, gennn, genlaf and gendis make files with one");
}

std::uint64_t checked_links(const InputFile& file, const WeightNames& names) {
  const Index links = file.shape(names.weight)[0];
  for (const std::string& address : {names.source, names.target}) {
    const std::vector<Index> shape = file.shape(address);
    if (shape.size() != 1 || shape[0] != links)
      file.refuse("its " + address + " has another size than its " + names.weight);
  }
  if (links == 0) file.refuse("it has no links, so that no target point gets a value");
  return static_cast<std::uint64_t>(links);
}

/// Fastest first. Empty if the file does not say. Errors: their product is not `size`.
std::vector<Index> checked_dims(const InputFile& file, const std::string& name, Index size) {
  if (!file.has_variable(name)) return {};
  const std::vector<Index> shape = file.shape(name);
  if (shape.size() != 1) file.refuse("its " + name + " is no list");
  std::vector<Index> dims = file.integers(name, 0, shape[0]);
  Index product = 1;
  for (const Index n : dims) {
    if (n < 1 || product > size / n)
      file.refuse("its " + name + " are not those of its " + std::to_string(size) + " points");
    product *= n;
  }
  if (product != size)
    file.refuse("its " + name + " are not those of its " + std::to_string(size) + " points");
  return dims;
}

std::string first_text(const InputFile& file, std::initializer_list<const char*> attributes) {
  for (const char* attribute : attributes) {
    if (std::string text = file.text("", attribute); !text.empty()) return text;
  }
  return "";
}

WeightsHead head_of(const InputFile& file, const WeightNames& names) {
  if (is_yac(file)) check_yac(file);
  check_weights_of_link(file, names);
  WeightsHead head;
  head.links = checked_links(file, names);
  head.source_size = file.dimension(names.source_size).value_or(0);
  head.target_size = file.dimension(names.target_size).value_or(0);
  if (!is_yac(file) && (head.source_size == 0 || head.target_size == 0))
    file.refuse("it does not say how many points the grids have, or they have none");
  head.source_dims = checked_dims(file, "src_grid_dims", head.source_size);
  head.target_dims = checked_dims(file, "dst_grid_dims", head.target_size);
  head.method = first_text(file, {"map_method", "ESMF_regrid_method"});
  head.normalization = file.text("", "normalization");
  return head;
}

/// Links of wanted rows, in the order of the file.
struct Links {
  std::vector<Index> row, source;  ///< row: from the first wanted target point
  std::vector<double> weight;
};

class LinkReader {
 public:
  LinkReader(const InputFile& file, const WeightNames& names, const WeightsHead& head)
      : file_(file), names_(names), head_(head) {}

  /// The addresses of the targets say which of the others are read: of each piece those from the first
  /// wanted link to the last, so that a file in the order of its targets is read once in all.
  Links read(Index first, Index count) const {
    Links links;
    const Index all = static_cast<Index>(head_.links);
    for (Index at = 0; at < all; at += kLinksAtOnce) {
      const std::vector<Index> targets = file_.integers(names_.target, at, std::min(kLinksAtOnce, all - at));
      for (const Index target : targets) check_address(target, head_.target_size, names_.target);
      const auto is_wanted = [&](Index target) { return target > first && target <= first + count; };
      const auto begin = std::ranges::find_if(targets, is_wanted);
      if (begin == targets.end()) continue;
      const auto end = std::find_if(targets.rbegin(), targets.rend(), is_wanted).base();
      add(links, at + (begin - targets.begin()), {begin, end}, first, is_wanted);
    }
    return links;
  }

 private:
  /// An address counts from 1.
  void check_address(Index address, Index size, const std::string& name) const {
    if (address >= 1 && (size == 0 || address <= size)) return;
    file_.refuse("its " + name + " has the address " + std::to_string(address) + ", and " +
                 (size == 0 ? "the first point is 1" : "there are " + std::to_string(size) + " points"));
  }

  template <class IsWanted>
  void add(Links& links, Index at, const std::vector<Index>& targets, Index first,
           const IsWanted& is_wanted) const {
    const std::vector<Index> sources = file_.integers(names_.source, at, std::ssize(targets));
    const std::vector<double> weights = file_.numbers(names_.weight, at, std::ssize(targets), 1);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (!is_wanted(targets[i])) continue;
      check_address(sources[i], head_.source_size, names_.source);
      if (!std::isfinite(weights[i])) {
        file_.refuse("the weight of its link " + std::to_string(at + static_cast<Index>(i) + 1) +
                     " is no finite number");
      }
      links.row.push_back(targets[i] - 1 - first);
      links.source.push_back(sources[i] - 1);
      links.weight.push_back(weights[i]);
    }
  }

  const InputFile& file_;
  const WeightNames& names_;
  const WeightsHead& head_;
};

/// Sorts by row, and within a row by source; equal ones stay in the order of the file and are added so.
WeightRows rows_of(const Links& links, Index count) {
  std::vector<std::size_t> order(links.row.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) { return std::pair(links.row[i], links.source[i]); });
  WeightRows rows;
  rows.begin.reserve(static_cast<std::size_t>(count) + 1);
  for (const std::size_t i : order) {
    const auto row = static_cast<std::size_t>(links.row[i]);
    while (rows.begin.size() <= row) rows.begin.push_back(rows.source.size());
    const bool is_double = rows.source.size() > rows.begin.back() && rows.source.back() == links.source[i];
    if (is_double) {
      rows.weight.back() += links.weight[i];
    } else {
      rows.source.push_back(links.source[i]);
      rows.weight.push_back(links.weight[i]);
    }
  }
  rows.begin.resize(static_cast<std::size_t>(count) + 1, rows.source.size());
  return rows;
}

void check_range(const InputFile& file, Index first, Index count, Index size) {
  if (first < 0 || count < 0 || (size > 0 && (first > size || count > size - first)))
    file.refuse("it has no points " + std::to_string(first) + " to " + std::to_string(first + count - 1) +
                ": there are " + std::to_string(size));
}

/// Empty if the file has no such variable of the points. Errors: a unit that is no angle.
std::vector<double> angles(const InputFile& file, const std::string& name, Index first, Index count) {
  if (!file.has_variable(name)) return {};
  std::vector<double> values = file.numbers(name, first, count);
  const std::string unit = file.text(name, "units");
  if (unit.starts_with("degree")) return values;
  if (!unit.starts_with("rad"))
    file.refuse("its " + name + " is neither in degrees nor in radians, but in \"" + unit + "\"");
  for (double& value : values) value *= 180 / std::numbers::pi;
  return values;
}

}  // namespace

WeightsHead read_weights_head(const std::string& path) {
  const InputFile file(path);
  return head_of(file, names_of(file));
}

WeightRows read_weight_rows(const std::string& path, Index first, Index count) {
  const InputFile file(path);
  const WeightNames& names = names_of(file);
  const WeightsHead head = head_of(file, names);
  check_range(file, first, count, head.target_size);
  return rows_of(LinkReader(file, names, head).read(first, count), count);
}

Centres read_source_centres(const std::string& path, Index first, Index count) {
  const InputFile file(path);
  const WeightNames& names = names_of(file);
  check_range(file, first, count, head_of(file, names).source_size);
  return {angles(file, names.source_latitude, first, count),
          angles(file, names.source_longitude, first, count)};
}

Cells read_target_cells(const std::string& path, Index first, Index count) {
  const InputFile file(path);
  const WeightNames& names = names_of(file);
  check_range(file, first, count, head_of(file, names).target_size);
  Cells cells;
  cells.centres = {angles(file, names.target_latitude, first, count),
                   angles(file, names.target_longitude, first, count)};
  cells.corner_latitude = angles(file, names.target_corner_latitude, first, count);
  cells.corner_longitude = angles(file, names.target_corner_longitude, first, count);
  if (!cells.corner_latitude.empty()) cells.corners = file.shape(names.target_corner_latitude).back();
  if (file.has_variable(names.target_area)) cells.area = file.numbers(names.target_area, first, count);
  return cells;
}

}  // namespace pileus
