#include "formats/netcdf/mesh_faces.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <numbers>
#include <sstream>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "formats/netcdf/file_coordinates.h"
#include "plan/sha256.h"

namespace pileus::netcdf {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr Index kBlockValues = Index{1} << 20;  ///< corners of faces that are held at a time
constexpr Index kMostRead = Index{1} << 17;     ///< nodes that are read at a time
constexpr Index kNear = 1024;                   ///< so far from the next, nodes are read on

/// What is known of a mesh before its many faces are read.
struct Mesh {
  std::string path, name, faces, latitude, longitude;  ///< the last two: of nodes
  std::string face_latitude, face_longitude;           ///< "" where faces have none
  Index count = 0, corners = 0, nodes = 0;
  Index first_node = 0;  ///< start_index

  /// Faces that are read at a time.
  Index block() const { return std::max<Index>(kBlockValues / corners, 1); }
};

std::vector<std::string> words_of(const InputFile& file, const std::string& variable,
                                  const std::string& attribute) {
  std::istringstream words(file.text(variable, attribute));
  std::vector<std::string> all;
  for (std::string word; words >> word;) all.push_back(word);
  return all;
}

/// Latitude and longitude of the variables that an attribute names, in whichever order.
std::pair<std::string, std::string> places_in(const InputFile& file, const std::string& mesh,
                                              const std::string& attribute) {
  std::pair<std::string, std::string> found;
  for (const std::string& name : words_of(file, mesh, attribute)) {
    if (is_latitude(file, name)) found.first = name;
    if (is_longitude(file, name)) found.second = name;
  }
  return found;
}

/// Errors: nodes and faces that are not where their coordinates say, or in no angle.
void check_places(const InputFile& file, const Mesh& mesh) {
  if (file.shape(mesh.latitude).size() != 1 ||
      file.dimension_names(mesh.latitude) != file.dimension_names(mesh.longitude))
    file.refuse("its " + mesh.latitude + " and " + mesh.longitude + " are not over one dimension, the nodes");
  for (const std::string& name : {mesh.face_latitude, mesh.face_longitude}) {
    if (!name.empty() && file.shape(name) != std::vector<Index>{mesh.count})
      file.refuse("its " + name + " does not have one value for each face");
  }
  for (const std::string& name : {mesh.latitude, mesh.longitude, mesh.face_latitude, mesh.face_longitude})
    if (!name.empty()) degrees_of(file, name);
}

Mesh describe(const InputFile& file, const std::string& name) {
  Mesh mesh{file.path(), name, file.text(name, "face_node_connectivity"), "", "", "", ""};
  if (mesh.faces.empty()) file.refuse("its mesh " + name + " has no face_node_connectivity, and so no cells");
  std::tie(mesh.latitude, mesh.longitude) = places_in(file, name, "node_coordinates");
  if (mesh.latitude.empty() || mesh.longitude.empty())
    file.refuse("the node_coordinates of its mesh " + name + " are no latitude and longitude");
  std::tie(mesh.face_latitude, mesh.face_longitude) = places_in(file, name, "face_coordinates");
  if (mesh.face_longitude.empty()) mesh.face_latitude.clear();
  const std::vector<Index> shape = file.shape(mesh.faces);
  const std::string dimension = file.text(name, "face_dimension");
  const bool is_turned = !dimension.empty() && file.dimension_names(mesh.faces).front() != dimension;
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 3 || is_turned) {
    file.refuse("its " + mesh.faces +
                " does not have the nodes of one face, three or more, behind those of another");
  }
  mesh.count = shape[0];
  mesh.corners = shape[1];
  check_places(file, mesh);
  mesh.nodes = file.shape(mesh.latitude).front();
  mesh.first_node = file.whole_number(mesh.faces, "start_index").value_or(0);
  return mesh;
}

/// The nodes of some faces from 0 on, the last of a face again where there are fewer than others have.
std::vector<Index> nodes_of(const InputFile& file, const Mesh& mesh, Index first, Index count) {
  const std::vector<double> numbers = file.numbers(mesh.faces, first, count);
  std::vector<Index> nodes;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t corner = i % static_cast<std::size_t>(mesh.corners);
    const double node = numbers[i] - static_cast<double>(mesh.first_node);
    const bool is_node = node >= 0 && node < static_cast<double>(mesh.nodes);  // not a fill value
    const bool is_end = std::isnan(node) || numbers[i] < 0;
    if (!is_node && (!is_end || corner < 3)) {
      file.refuse("its " + mesh.faces + " has no node for corner " + std::to_string(corner) + " of face " +
                  std::to_string(first + static_cast<Index>(i) / mesh.corners) + ", both counted from 0");
    }
    nodes.push_back(is_node ? static_cast<Index>(node) : nodes.back());
  }
  return nodes;
}

/// Values of nodes, in degrees. Those that lie near to each other in the file are read together.
std::vector<double> at_nodes(const InputFile& file, const std::string& variable,
                             const std::vector<Index>& nodes) {
  std::vector<Index> each = nodes;
  std::ranges::sort(each);
  each.erase(std::unique(each.begin(), each.end()), each.end());
  const double factor = degrees_of(file, variable);
  std::vector<double> values_of_each;
  for (std::size_t first = 0, end = 0; first < each.size(); first = end) {
    for (end = first + 1; end < each.size(); ++end)
      if (each[end] - each[end - 1] > kNear || each[end] - each[first] >= kMostRead) break;
    const std::vector<double> some =
        in_degrees(file.numbers(variable, each[first], each[end - 1] - each[first] + 1), factor);
    for (std::size_t i = first; i < end; ++i)
      values_of_each.push_back(some[static_cast<std::size_t>(each[i] - each[first])]);
  }
  std::vector<double> values;
  values.reserve(nodes.size());
  for (const Index node : nodes) {
    const auto found = std::ranges::lower_bound(each, node);
    values.push_back(values_of_each[static_cast<std::size_t>(found - each.begin())]);
  }
  return values;
}

/// Near to each other, also where the longitude begins again.
void bring_together(std::vector<double>& longitudes, std::size_t corners) {
  for (std::size_t i = 0; i < longitudes.size(); ++i) {
    const double first = longitudes[i / corners * corners];
    longitudes[i] = first + std::remainder(longitudes[i] - first, 360.0);
  }
}

/// In the middle of its different corners, as directions in space.
std::vector<double> middles(const std::vector<double>& latitudes, const std::vector<double>& longitudes,
                            const std::vector<Index>& nodes, std::size_t corners, bool is_latitude) {
  std::vector<double> values;
  for (std::size_t face = 0; face < nodes.size(); face += corners) {
    double x = 0, y = 0, z = 0;
    for (std::size_t i = face; i < face + corners; ++i) {
      if (i > face && nodes[i] == nodes[i - 1]) continue;
      const double latitude = latitudes[i] * kDegree, longitude = longitudes[i] * kDegree;
      x += std::cos(latitude) * std::cos(longitude);
      y += std::cos(latitude) * std::sin(longitude);
      z += std::sin(latitude);
    }
    values.push_back((is_latitude ? std::atan2(z, std::hypot(x, y)) : std::atan2(y, x)) / kDegree);
  }
  return values;
}

std::vector<double> read(const Mesh& mesh, CellPart part, Index first, Index count) {
  const InputFile file(mesh.path);
  const bool is_latitude = part == CellPart::latitude || part == CellPart::latitude_bounds;
  const bool is_centre = part == CellPart::latitude || part == CellPart::longitude;
  const auto corners = static_cast<std::size_t>(mesh.corners);
  if (is_centre && !mesh.face_latitude.empty()) {
    const std::string& variable = is_latitude ? mesh.face_latitude : mesh.face_longitude;
    return in_degrees(file.numbers(variable, first, count), degrees_of(file, variable));
  }
  const std::vector<Index> nodes = nodes_of(file, mesh, first, count);
  if (is_centre) {
    return middles(at_nodes(file, mesh.latitude, nodes), at_nodes(file, mesh.longitude, nodes), nodes,
                   corners, is_latitude);
  }
  std::vector<double> values = at_nodes(file, is_latitude ? mesh.latitude : mesh.longitude, nodes);
  if (!is_latitude) bring_together(values, corners);
  return values;
}

/// Reads blocks of faces and keeps the last one, as files are written in pieces that are smaller.
class Faces {
 public:
  explicit Faces(Mesh mesh) : mesh_(std::move(mesh)) {}

  std::vector<double> read(CellPart part, Index first, Index count) {
    const std::scoped_lock lock(mutex_);
    const bool is_centre = part == CellPart::latitude || part == CellPart::longitude;
    const Index of_face = is_centre ? 1 : mesh_.corners, block = mesh_.block();
    std::vector<double> values;
    for (const Index end = first + count; first < end;) {
      const Index begin = first / block * block, upto = std::min(end, begin + block);
      bring(part, begin, std::min(block, mesh_.count - begin));
      values.insert(values.end(), held_.begin() + (first - begin) * of_face,
                    held_.begin() + (upto - begin) * of_face);
      first = upto;
    }
    return values;
  }

 private:
  void bring(CellPart part, Index first, Index count) {
    if (part_ == part && first_ == first && !held_.empty()) return;
    held_.clear();
    held_ = netcdf::read(mesh_, part, first, count);
    part_ = part;
    first_ = first;
  }

  Mesh mesh_;
  std::mutex mutex_;
  std::vector<double> held_;  ///< of the faces from first_ on
  CellPart part_ = CellPart::latitude;
  Index first_ = 0;
};

}  // namespace

std::string mesh_of(const InputFile& file) {
  for (const std::string& name : file.variables())
    if (file.text(name, "cf_role") == "mesh_topology") return name;
  return "";
}

GridOfFile mesh_faces(const InputFile& file, const std::string& name) {
  const Mesh mesh = describe(file, name);
  PlacesOfCells places;
  places.identity = planning::digest_of_file(file.path());
  places.latitude = mesh.face_latitude.empty() ? "lat" : mesh.face_latitude;
  places.longitude = mesh.face_latitude.empty() ? "lon" : mesh.face_longitude;
  places.corners = mesh.corners;
  const auto faces = std::make_shared<Faces>(mesh);
  places.read = [faces](CellPart part, Index first, Index count) { return faces->read(part, first, count); };
  return {{{file.dimension_names(mesh.faces).front(), mesh.count}},
          std::make_shared<const PlacesOfCells>(std::move(places))};
}

}  // namespace pileus::netcdf
