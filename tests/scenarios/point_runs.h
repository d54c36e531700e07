#pragma once
// A model on a plane with levels whose ranks hold points in an order of their own, as they were dealt: blocks
// of NPROMA, or a list. Handed over as boxes it is the same model.

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/scenarios/volume_runs.h"

namespace pileus::testing {

inline constexpr Index kPointsNx = 11, kPointsNy = 17, kPointsNz = 3, kEdges = 29, kCorners = 4;

/// Which rank has a point; -1: nobody.
using Deal = std::vector<int>;

/// `kind` 0: stretches of neighbours; 1: each point for itself; 2: rows turn about.
inline Deal random_deal(std::uint64_t seed, ClientRank ranks, int kind) {
  std::mt19937_64 random(seed);
  Deal deal(static_cast<std::size_t>(kPointsNx * kPointsNy));
  int rank = 0;
  for (std::size_t i = 0; i < deal.size(); ++i) {
    const bool changes = kind == 1 || (kind == 0 && random() % 9 == 0) || (kind == 2 && i % kPointsNx == 0);
    if (changes) rank = static_cast<int>(random() % ranks);
    deal[i] = rank;
  }
  return deal;
}

/// Points that nobody has, the same for every number of ranks.
inline bool is_land(Index point) { return mixed(static_cast<std::uint64_t>(point)) % 5 == 0; }

struct PointRunModel {
  ClientRank ranks = 1;
  std::optional<std::uint64_t> deal_seed{};  ///< none: boxes
  bool has_land = false;
  bool has_grid = false;   ///< latitudes, longitudes, corners and a mask, which never change
  bool is_shared = false;  ///< some points are held by a second rank, with other values
  std::uint64_t salt = 0;
  std::int64_t steps = 7;
  std::int64_t checkpoint = -1;
  std::optional<std::int64_t> continue_after = {};
  std::function<void(std::int64_t step, ClientRank rank)> before_step = {};
  std::function<bool(std::int64_t step)> leaves_b_out = {};
  std::int64_t leaves_after = INT64_MAX;  ///< finishes after this step

  void operator()(Client& client, ClientRank rank) const {
    client.dimension({"x", kPointsNx, {}, ""});
    client.dimension({"y", kPointsNy, {}, ""});
    client.dimension({"z", kPointsNz, {}, ""});
    client.dimension({"w", kEdges, {}, ""});
    if (has_grid) client.dimension({"corner", kCorners, {}, ""});
    deal_seed ? hold_points(client, rank) : hold_box(client, rank);
  }

 private:
  /// How the elements of a rank's arrays along the points lie, and which points they are; negative: none.
  struct Local {
    Extents counts;
    std::vector<Index> indices;
  };

  /// In any order, with holes, in rows of four where the rank likes it so.
  Local local_of(ClientRank rank) const {
    std::mt19937_64 random(*deal_seed * 31 + rank);
    const Deal deal = random_deal(*deal_seed, ranks, static_cast<int>(*deal_seed % 3));
    Local local;
    for (std::size_t i = 0; i < deal.size(); ++i) {
      const bool is_second =
          is_shared && deal[i] >= 0 && mixed(i) % 4 == 0 && static_cast<ClientRank>(deal[i]) + 1 == rank;
      const bool is_own = deal[i] == static_cast<int>(rank) || is_second;
      if (is_own && !(has_land && is_land(static_cast<Index>(i))))
        local.indices.push_back(static_cast<Index>(i));
    }
    if (*deal_seed % 2 == 0) std::ranges::shuffle(local.indices, random);
    for (std::uint64_t holes = random() % 4; holes > 0; --holes)
      local.indices.insert(
          local.indices.begin() + static_cast<std::ptrdiff_t>(random() % (local.indices.size() + 1)), -1);
    if (random() % 2 == 0) {
      while (local.indices.size() % 4 != 0) local.indices.push_back(-1);
      local.counts = {4, static_cast<Index>(local.indices.size() / 4)};
    } else {
      local.counts = {static_cast<Index>(local.indices.size())};
    }
    return local;
  }

  double value(Index point, Index z, std::int64_t step, int field, ClientRank rank) const {
    const bool is_of_another =
        is_shared && deal_seed &&
        random_deal(*deal_seed, ranks, static_cast<int>(*deal_seed % 3))[static_cast<std::size_t>(point)] !=
            static_cast<int>(rank);
    return volume_value_at(z, point / kPointsNx, point % kPointsNx, step,
                           salt + static_cast<std::uint64_t>(field) + (is_of_another ? 1000 : 0));
  }

  template <class T>
  void put_points(Client& client, int field, ElementType type, const Local& local, Index before, Index behind,
                  std::int64_t step, ClientRank rank) const {
    if (!client.wanted(field)) return;
    std::vector<T> values;
    const auto rows = local.counts.size() == 1 ? Index{1} : local.counts[1];
    const Index row = local.counts[0];
    // Blocks: rows of points, levels, rows. Lists: points, levels.
    const auto at = [&](Index i, Index j, Index b, Index z) {
      const Index point = local.indices[static_cast<std::size_t>(i + row * j)];
      values.push_back(point < 0 ? T(77)
                                 : VolumeModel::as<T>(value(point, std::max(b, z), step, field, rank)));
    };
    for (Index j = 0; j < rows; ++j)
      for (Index z = 0; z < behind; ++z)
        for (Index i = 0; i < row; ++i)
          for (Index b = 0; b < before; ++b) at(i, j, b, z);
    Extents counts;
    if (before > 1) counts.push_back(before);
    counts.push_back(row);
    if (behind > 1) counts.push_back(behind);
    if (local.counts.size() > 1) counts.push_back(rows);
    client.put(field, StridedArray{reinterpret_cast<const std::byte*>(values.data()), type, counts, {}});
  }

  void hold_grid_of_points(Client& client, const Local& local) const {
    const auto add = [&](const char* name, ElementType type, bool has_corners) {
      std::vector<std::string> dimensions = names(local, false, false);
      Region all = region(local, false, false);
      if (has_corners) {
        dimensions.insert(dimensions.begin(), "corner");
        Extents counts{kCorners};
        for (const Index count : all.count) counts.push_back(count);
        all = {Extents(counts.size()), counts};
      }
      client.static_field(client.field({name, type, dimensions, all}));
    };
    for (const char* name : {"nav_lat", "nav_lon"}) add(name, ElementType::float64, false);
    for (const char* name : {"lat_corners", "lon_corners"}) add(name, ElementType::float32, true);
    add("tmask", ElementType::int32, false);
  }
  void put_grid_of_points(Client& client, const Local& local, ClientRank rank) const {
    for (int field : {5, 6}) put_points<double>(client, field, ElementType::float64, local, 1, 1, 0, rank);
    for (int field : {7, 8})
      put_points<float>(client, field, ElementType::float32, local, kCorners, 1, 0, rank);
    put_points<std::int32_t>(client, 9, ElementType::int32, local, 1, 1, 0, rank);
  }

  /// Names of dimensions with those of the points in the middle, as the local arrays have them.
  static std::vector<std::string> names(const Local& local, bool before, bool behind) {
    std::vector<std::string> all;
    if (before) all.emplace_back("z");
    all.emplace_back("cells");
    if (behind) all.emplace_back("z");
    if (local.counts.size() > 1) all.emplace_back("cells");
    return all;
  }
  static Region region(const Local& local, bool before, bool behind) {
    Extents counts;
    if (before) counts.push_back(kPointsNz);
    counts.push_back(local.counts[0]);
    if (behind) counts.push_back(kPointsNz);
    if (local.counts.size() > 1) counts.push_back(local.counts[1]);
    return {Extents(counts.size()), counts};
  }

  void hold_points(Client& client, ClientRank rank) const {
    const Local local = local_of(rank);
    client.points({"cells", {"x", "y"}, is_shared}, local.counts, local.indices.data());
    client.field({"a", ElementType::float64, names(local, false, true), region(local, false, true)});
    client.field({"b", ElementType::float32, names(local, true, false), region(local, true, false)});
    client.field({"c", ElementType::int32, names(local, false, false), region(local, false, false)});
    client.static_field(client.field(
        {"area", ElementType::float64, names(local, false, false), region(local, false, false)}));
    Local edges;
    for (Index i = kEdges; i-- > 0;)
      if (mixed(static_cast<std::uint64_t>(i) + *deal_seed) % ranks == rank) edges.indices.push_back(i);
    edges.counts = {static_cast<Index>(edges.indices.size())};
    client.points({"edges", {"w"}}, edges.counts, edges.indices.data());
    client.field({"e", ElementType::float64, {"edges"}, {{0}, edges.counts}});
    if (has_grid) hold_grid_of_points(client, local);
    run(client, rank, [&](std::int64_t step) {
      put_edges(client, edges.indices, step);
      if (has_grid) put_grid_of_points(client, local, rank);
      put_points<double>(client, 0, ElementType::float64, local, 1, kPointsNz, step, rank);
      if (!leaves_b_out || !leaves_b_out(step))
        put_points<float>(client, 1, ElementType::float32, local, kPointsNz, 1, step, rank);
      put_points<std::int32_t>(client, 2, ElementType::int32, local, 1, 1, step, rank);
      put_points<double>(client, 3, ElementType::float64, local, 1, 1, 0, rank);
    });
  }

  /// Of another set of points, wanted in some steps alone.
  void put_edges(Client& client, const std::vector<Index>& edges, std::int64_t step) const {
    if (!client.wanted(4)) return;
    std::vector<double> values;
    for (const Index edge : edges) values.push_back(volume_value_at(0, 0, edge, step, salt + 17));
    const Extents counts{static_cast<Index>(values.size())};
    client.put(
        4, StridedArray{reinterpret_cast<const std::byte*>(values.data()), ElementType::float64, counts, {}});
  }

  template <class T>
  void put_box(Client& client, int field, ElementType type, const Region& plane, Index before, Index behind,
               std::int64_t step) const {
    if (!client.wanted(field)) return;
    std::vector<T> values;
    for (Index z = 0; z < behind; ++z)
      for (Index y = 0; y < plane.count[1]; ++y)
        for (Index x = 0; x < plane.count[0]; ++x)
          for (Index b = 0; b < before; ++b)
            values.push_back(VolumeModel::as<T>(value(plane.start[0] + x + kPointsNx * (plane.start[1] + y),
                                                      std::max(b, z), step, field, 0)));
    Extents counts;
    if (before > 1) counts.push_back(before);
    counts.push_back(plane.count[0]);
    counts.push_back(plane.count[1]);
    if (behind > 1) counts.push_back(behind);
    client.put(field, StridedArray{reinterpret_cast<const std::byte*>(values.data()), type, counts, {}});
  }

  void hold_grid_of_box(Client& client, const Region& plane) const {
    const Region corners{{0, plane.start[0], plane.start[1]}, {kCorners, plane.count[0], plane.count[1]}};
    const auto add = [&](const char* name, ElementType type, const std::vector<std::string>& dimensions,
                         const Region& part) {
      client.static_field(client.field({name, type, dimensions, part}));
    };
    for (const char* name : {"nav_lat", "nav_lon"}) add(name, ElementType::float64, {"x", "y"}, plane);
    for (const char* name : {"lat_corners", "lon_corners"})
      add(name, ElementType::float32, {"corner", "x", "y"}, corners);
    add("tmask", ElementType::int32, {"x", "y"}, plane);
  }
  void put_grid_of_box(Client& client, const Region& plane) const {
    for (int field : {5, 6}) put_box<double>(client, field, ElementType::float64, plane, 1, 1, 0);
    for (int field : {7, 8}) put_box<float>(client, field, ElementType::float32, plane, kCorners, 1, 0);
    put_box<std::int32_t>(client, 9, ElementType::int32, plane, 1, 1, 0);
  }

  void hold_box(Client& client, ClientRank rank) const {
    const Region yx = part_of_plane(kPointsNy, kPointsNx, rank, ranks, false);
    const Region plane{{yx.start[1], yx.start[0]}, {yx.count[1], yx.count[0]}};
    const Region behind{{plane.start[0], plane.start[1], 0}, {plane.count[0], plane.count[1], kPointsNz}};
    const Region before{{0, plane.start[0], plane.start[1]}, {kPointsNz, plane.count[0], plane.count[1]}};
    client.field({"a", ElementType::float64, {"x", "y", "z"}, behind});
    client.field({"b", ElementType::float32, {"z", "x", "y"}, before});
    client.field({"c", ElementType::int32, {"x", "y"}, plane});
    client.static_field(client.field({"area", ElementType::float64, {"x", "y"}, plane}));
    std::vector<Index> edges(static_cast<std::size_t>(kEdges * (rank + 1) / ranks - kEdges * rank / ranks));
    std::iota(edges.begin(), edges.end(), kEdges * rank / ranks);
    client.field(
        {"e", ElementType::float64, {"w"}, {{kEdges * rank / ranks}, {static_cast<Index>(edges.size())}}});
    if (has_grid) hold_grid_of_box(client, plane);
    run(client, rank, [&](std::int64_t step) {
      put_edges(client, edges, step);
      if (has_grid) put_grid_of_box(client, plane);
      put_box<double>(client, 0, ElementType::float64, plane, 1, kPointsNz, step);
      if (!leaves_b_out || !leaves_b_out(step))
        put_box<float>(client, 1, ElementType::float32, plane, kPointsNz, 1, step);
      put_box<std::int32_t>(client, 2, ElementType::int32, plane, 1, 1, step);
      put_box<double>(client, 3, ElementType::float64, plane, 1, 1, 0);
    });
  }

  void run(Client& client, ClientRank rank, const std::function<void(std::int64_t step)>& put_all) const {
    if (continue_after) client.continue_after(*continue_after);
    client.commit();
    double time = 0;
    for (std::int64_t n = 1; n <= steps; ++n) {
      const double length = 1.5 + static_cast<double>(n % 4);
      Step step{n, time += length, length};
      if (n <= continue_after.value_or(0)) continue;
      if (before_step) before_step(n, rank);
      if (n > leaves_after) break;
      step.is_checkpoint = n == checkpoint;
      client.begin(step, n == steps);
      put_all(n);
      client.end();
    }
    client.finish();
  }
};

/// Most of what can be made of fields, on points as in boxes.
inline std::string configuration_of_points(const std::string& server = "", const std::string& of_fields = "",
                                           const std::string& of_files = "") {
  return "<io-configuration>\n<server-configuration>" + server + R"xml(</server-configuration>
<data-definition name="state" frequency="1">
<field name="a" size="x,y,z" collective="true")xml" +
         of_fields + R"xml(/>
<field name="b" size="z,x,y" collective="true" optional="true")xml" +
         of_fields + R"xml(/>
<field name="c" size="x,y" collective="true"/>
<field name="area" size="x,y" collective="true" static="true"/>
<field name="e" size="w" collective="true"/>
</data-definition>
<data-handling>
<diagnostic field="mean_a" expression="mean[x,y](a)"/>
<diagnostic field="var_a" expression="var[x,y](a)"/>
<diagnostic field="largest_b" expression="max[x,y](b)"/>
<diagnostic field="rows" expression="sum[x](a)"/>
<diagnostic field="flux" expression="mean[x,y](a*c)"/>
<diagnostic field="weighted" expression="sum[x,y](a*area)/sum[x,y](area)"/>
<diagnostic field="product" expression="a*area+2*c"/>
<diagnostic field="where" expression="mean[x,y](a | c > 0)"/>
<diagnostic field="slice"><operator name="field_slicer" field="a" dimension="y" index="5" result="slice"/>
</diagnostic>
<diagnostic field="coarse"><operator name="field_coarsener" field="a" dimension="x,y" period="2,3"
 result="coarse"/></diagnostic>
</data-handling>
<data-writing>
<file name="means.nc" write_time_frequency="11">
<include field="mean_a" time_manipulation="averaged" output_frequency="6"/>
<include field="var_a" time_manipulation="instantaneous" output_frequency="4"/>
<include field="largest_b" time_manipulation="instantaneous" output_frequency="4"/>
<include field="rows" time_manipulation="averaged" output_frequency="6"/>
<include field="flux" time_manipulation="none"/>
<include field="weighted" time_manipulation="none"/>
<include field="where" time_manipulation="averaged" output_frequency="6"/>
</file>
<file name="maps.nc" write_time_frequency="11")xml" +
         of_files + R"xml(>
<include field="a" time_manipulation="instantaneous" output_frequency="4"/>
<include field="c" time_manipulation="none"/>
<include field="area" time_manipulation="none"/>
<include field="e" time_manipulation="instantaneous" output_frequency="6"/>
<include field="slice" time_manipulation="none"/>
</file>
<file name="averages.nc" write_time_frequency="11">
<include field="b" time_manipulation="averaged" output_frequency="6"/>
<include field="product" time_manipulation="averaged" output_frequency="6"/>
<include field="coarse" time_manipulation="averaged" output_frequency="6"/>
</file>
</data-writing>
</io-configuration>
)xml";
}

/// The same, with a and b on a grid whose coordinates, corners and mask lie as the fields do.
inline std::string configuration_of_points_on_a_grid() {
  std::string text = configuration_of_points("", " grid=\"t\"");
  text.insert(text.find("<data-handling>"),
              R"xml(<grid name="t" dimensions="y,x" latitude="nav_lat" longitude="nav_lon"
 latitude_bounds="lat_corners" longitude_bounds="lon_corners" area="area" mask="tmask"/>
<data-definition name="constants" frequency="3">
<field name="nav_lat" size="x,y" collective="true" static="true"/>
<field name="nav_lon" size="x,y" collective="true" static="true"/>
<field name="lat_corners" size="corner,x,y" collective="true" static="true"/>
<field name="lon_corners" size="corner,x,y" collective="true" static="true"/>
<field name="tmask" size="x,y" collective="true" static="true"/>
</data-definition>
)xml");
  return text;
}

}  // namespace pileus::testing
