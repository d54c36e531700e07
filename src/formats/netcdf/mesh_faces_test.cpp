#include "formats/netcdf/mesh_faces.h"

#include <gtest/gtest.h>
#include <netcdf.h>

#include <algorithm>
#include <numbers>
#include <numeric>
#include <random>

#include "formats/netcdf/test_file.h"

namespace pileus {
namespace {

using netcdf::TemporaryDirectory;

/// Squares of `cells` by `cells`, whose nodes stand in the file in the order of `number`; latitudes in
/// radians.
class Squares {
 public:
  Squares(Index cells, const std::string& path) : cells_(cells), number_(nodes()) {
    std::iota(number_.begin(), number_.end(), 0);
    std::ranges::shuffle(number_, std::mt19937(7));
    write(path);
  }

  double corner(Index face, int corner, bool is_latitude) const {
    const auto [x, y] = place(face, corner);
    return is_latitude ? -40 + 0.1 * static_cast<double>(y) : 10 + 0.1 * static_cast<double>(x);
  }

 private:
  std::size_t nodes() const { return static_cast<std::size_t>((cells_ + 1) * (cells_ + 1)); }
  std::pair<Index, Index> place(Index face, int corner) const {
    return {face % cells_ + (corner == 1 || corner == 2 ? 1 : 0), face / cells_ + corner / 2};
  }
  int node(Index face, int corner) const {
    const auto [x, y] = place(face, corner);
    return number_[static_cast<std::size_t>(y * (cells_ + 1) + x)];
  }

  void write(const std::string& path) const {
    std::vector<double> latitudes(nodes()), longitudes(nodes());
    std::vector<int> faces;
    for (Index face = 0; face < cells_ * cells_; ++face) {
      for (int at = 0; at < 4; ++at) {
        const auto index = static_cast<std::size_t>(node(face, at));
        faces.push_back(node(face, at));
        latitudes[index] = corner(face, at, true) * std::numbers::pi / 180;
        longitudes[index] = corner(face, at, false);
      }
    }
    int file = 0, mesh = 0, y = 0, x = 0, connectivity = 0, dims[3] = {};
    ASSERT_EQ(nc_create(path.c_str(), NC_NETCDF4 | NC_CLOBBER, &file), NC_NOERR);
    nc_def_dim(file, "node", nodes(), &dims[0]);
    nc_def_dim(file, "face", static_cast<std::size_t>(cells_ * cells_), &dims[1]);
    nc_def_dim(file, "corner", 4, &dims[2]);
    nc_def_var(file, "mesh", NC_INT, 0, nullptr, &mesh);
    nc_def_var(file, "y", NC_DOUBLE, 1, dims, &y);
    nc_def_var(file, "x", NC_DOUBLE, 1, dims, &x);
    nc_def_var(file, "faces", NC_INT, 2, dims + 1, &connectivity);
    const auto say = [&](int variable, const char* name, const std::string& text) {
      nc_put_att_text(file, variable, name, text.size(), text.c_str());
    };
    say(mesh, "cf_role", "mesh_topology");
    say(mesh, "node_coordinates", "x y");
    say(mesh, "face_node_connectivity", "faces");
    say(y, "standard_name", "latitude");
    say(y, "units", "radian");
    say(x, "units", "degree_E");
    nc_put_var_double(file, y, latitudes.data());
    nc_put_var_double(file, x, longitudes.data());
    nc_put_var_int(file, connectivity, faces.data());
    ASSERT_EQ(nc_close(file), NC_NOERR);
  }

  Index cells_;
  std::vector<int> number_;
};

/// More faces than are read at a time, which no file in a test of a whole run has.
TEST(MeshFaces, have_the_places_of_their_nodes_in_pieces_that_cross_blocks) {
  const Index cells = 520, faces = cells * cells;
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/mesh.nc";
  const Squares squares(cells, path);
  const netcdf::InputFile file(path);
  const GridOfFile grid = netcdf::mesh_faces(file, netcdf::mesh_of(file));
  ASSERT_EQ(grid.size(), faces);

  for (const CellPart part : {CellPart::latitude_bounds, CellPart::longitude_bounds}) {
    const bool is_latitude = part == CellPart::latitude_bounds;
    std::vector<double> all;
    for (Index first = 0; first < faces; first += 100'000) {
      const std::vector<double> some =
          grid.places->read(part, first, std::min<Index>(100'000, faces - first));
      all.insert(all.end(), some.begin(), some.end());
    }
    ASSERT_EQ(all.size(), static_cast<std::size_t>(4 * faces));
    for (Index face = 0; face < faces; ++face)
      for (int at = 0; at < 4; ++at)
        ASSERT_NEAR(all[static_cast<std::size_t>(4 * face + at)], squares.corner(face, at, is_latitude),
                    1e-12)
            << "corner " << at << " of face " << face;
  }
  const std::vector<double> middle = grid.places->read(CellPart::longitude, faces - 1, 1);
  EXPECT_NEAR(middle.at(0), 10 + 0.1 * (static_cast<double>(cells) - 0.5), 1e-9);
}

}  // namespace
}  // namespace pileus
