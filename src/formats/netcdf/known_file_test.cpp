// Later files of a series are those that the library itself makes, byte by byte, whatever is in them. The
// oracle is a format that keeps nothing, so that the library makes each of its files.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "disk/passing_files.h"
#include "formats/netcdf/input_file.h"
#include "formats/netcdf/test_file.h"

namespace pileus::netcdf {
namespace {

/// Counts what is written past the library, and is full when a counter says so.
class CountedFiles : public PassingFiles {
 public:
  std::unique_ptr<PartFile> open_parts(const std::string& path) override {
    return std::make_unique<Hand>(*this, PassingFiles::open_parts(path));
  }

  int writes = 0;
  int full_at = 0;  ///< the write, from 1, that fails once; 0: none

 private:
  class Hand : public PartFile {
   public:
    Hand(CountedFiles& files, std::unique_ptr<PartFile> file) : files_(files), file_(std::move(file)) {}
    void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
      if (++files_.writes == files_.full_at) throw DiskFullError("full");
      file_->write_at(offset, bytes);
    }
    void sync() override { file_->sync(); }

   private:
    CountedFiles& files_;
    std::unique_ptr<PartFile> file_;
  };
};

/// The same object for the same values, as all files of a run share them.
std::shared_ptr<const ByteSource> static_values(std::size_t bytes, int first) {
  static std::map<std::pair<std::size_t, int>, std::shared_ptr<const ByteSource>> made;
  if (const auto found = made.find({bytes, first}); found != made.end()) return found->second;
  std::vector<std::byte> values(bytes);
  for (std::size_t i = 0; i < bytes; ++i) values[i] = static_cast<std::byte>(first + i % 97);
  return made[{bytes, first}] = std::make_shared<const BytesInMemory>(std::move(values));
}

/// Numbers that are made when they are read: 9000 times 60.
class Numbers : public ByteSource {
 public:
  std::uint64_t size_bytes() const override { return std::uint64_t{9000} * 60 * sizeof(double); }
  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    for (std::size_t i = 0; i < out.size(); i += sizeof(double)) {
      const auto value = static_cast<double>((offset + i) / sizeof(double));
      std::memcpy(out.data() + i, &value, sizeof value);
    }
  }
};

std::vector<FileAttribute> attributes_of_each_kind() {
  return {{"text", "K"},
          {"none", ""},
          {"letters", "\xc3\xa4\xc3\xb6\xc3\xbc"},
          {"long", std::string(3000, 'x')},
          {"number", 0.1},
          {"infinite", std::numeric_limits<double>::infinity()},
          {"small", std::int64_t{7}},
          {"large", std::int64_t{1} << 40},
          {"doubles", AttributeNumbers{ElementType::float64, {1, -0.0, 1e300}, {}}},
          {"floats", AttributeNumbers{ElementType::float32, {1, 2}, {}}},
          {"ints", AttributeNumbers{ElementType::int32, {}, {1, 2, 3}}},
          {"longs", AttributeNumbers{ElementType::int64, {}, {std::int64_t{1} << 50}}},
          {"flags", AttributeNumbers{ElementType::boolean, {}, {0, 1}}}};
}

Compression deflated(int level, Shuffle shuffle = Shuffle::bytes) {
  return {&codecs::deflate(), level, shuffle};
}

/// Every kind of dimension, axis, variable, type and attribute. Three axes, one with records of 72 kB that
/// are chunks of their own; one is made space for bit by bit.
FileDefinition of_everything() {
  FileDefinition definition;
  definition.dimensions = {{"x", 7, {0, 1, 2, 3, 4, 5, 6}, {{"units", "m"}}},
                           {"y", 2, {10, 20}, {}, {5, 15, 15, 25}},
                           {"z", 3, {}, {}},
                           {"cell", 9000, {}, {}},
                           {"length", 20, {}, {}}};
  definition.axes = {{"time", true, attributes_of_each_kind(), 4},
                     {"time_instantaneous", false, {}, 3},
                     {"time_bit_by_bit", true, {{"axis", "T"}}, 16, 2}};
  definition.variables = {{"theta", ElementType::float64, {0, 1, 2}, 0, attributes_of_each_kind()},
                          {"rain", ElementType::float32, {0, 1}, 0, {}},
                          {"count", ElementType::int32, {}, 0, {}},
                          {"column", ElementType::int64, {2}, 1, {}},
                          {"cells", ElementType::float64, {3}, 1, {}},
                          {"is_wet", ElementType::boolean, {3}, 2, {}},
                          {"station", ElementType::character, {4}, 2, {}},
                          {"z", ElementType::float64, {}, 2, {}},  // not a coordinate, as it has another axis
                          {"total", ElementType::float64, {}, 1, {}}};
  definition.statics = {
      {"area", ElementType::float64, {0, 1}, attributes_of_each_kind(), {}, "a", static_values(7 * 2 * 8, 1)},
      {"packed", ElementType::float32, {3}, {}, deflated(4), "b", static_values(36000, 2)},
      {"scalar", ElementType::int64, {}, {}, deflated(1), "c", static_values(8, 3)},
      {"wide", ElementType::int32, {3}, {}, {}, "d", static_values(36000, 4)},
      {"land", ElementType::boolean, {3}, {}, deflated(1, Shuffle::none), "e", static_values(9000, 5)},
      {"name", ElementType::character, {4}, {}, {}, "f", static_values(20, 65)}};
  definition.attributes = attributes_of_each_kind();
  definition.is_of_series = true;
  return definition;
}

FileDefinition with_packed() {
  FileDefinition definition = of_everything();
  definition.variables.push_back({"squeezed", ElementType::float32, {3}, 0, {}, deflated(1)});
  return definition;
}

/// Many objects in the group: its links no longer lie in its header.
FileDefinition of_profiles(int variables) {
  FileDefinition definition;
  definition.dimensions = {{"z", 60, {}, {}}};
  definition.axes = {{"time", true, {{"units", "seconds since 2000-01-01"}}, 100, 100}};
  for (int v = 0; v < variables; ++v) {
    definition.variables.push_back(
        {"profile_" + std::to_string(v), ElementType::float64, {0}, 0, {{"units", "K"}}});
  }
  definition.attributes = {{"history", "made"}};
  definition.is_of_series = true;
  return definition;
}

enum class Call { grow, pack, remark };
struct Step {
  Call call = Call::grow;
  std::uint32_t axis = 0;
};
using Steps = std::vector<Step>;

class KnownFileTest : public ::testing::Test {
 protected:
  /// Makes the same file with both formats, and compares it after each call of its owner, and after values
  /// are written, which is as soon as there is space for them.
  void expect_same(const FileDefinition& definition, const Steps& steps, std::vector<Index> records) {
    const std::string path = directory_.path("known.nc"), other = directory_.path("library.nc");
    FileDefinition alone = definition;
    alone.is_of_series = false;
    auto known = format_->create(path, definition), library = oracle_->create(other, alone);
    compare(path, other, "create");
    std::vector<Index> packed(definition.axes.size(), 0);
    for (const Step& step : steps) {
      const AxisGrowth growth = take(*known, definition, step, packed[step.axis]);
      const AxisGrowth same = take(*library, definition, step, packed[step.axis]);
      if (step.call == Call::pack) ++packed[step.axis];
      compare(path, other, "call of axis " + std::to_string(step.axis));
      write_growth(*posix_, path, definition, growth, 1, 2);
      write_growth(*posix_, other, definition, same, 1, 2);
      compare(path, other, "values of axis " + std::to_string(step.axis));
    }
    known->finish(records);
    library->finish(records);
    compare(path, other, "finish");
    for (const std::string& name : {path, other}) std::filesystem::remove(name);
  }

  static AxisGrowth take(FileWriter& writer, const FileDefinition& definition, const Step& step,
                         Index record) {
    if (step.call == Call::grow) return writer.grow(step.axis);
    if (step.call == Call::remark) {
      writer.remark("missing_parts", "some");
    } else {
      const auto bytes = std::vector<std::byte>(1000 + 7 * static_cast<std::size_t>(record), std::byte{1});
      const auto last = static_cast<std::uint32_t>(definition.variables.size() - 1);
      writer.write_packed(record, std::vector<PackedRecord>{{last, {{bytes, 0}}}});
    }
    return {};
  }

  static void compare(const std::string& path, const std::string& other, const std::string& when) {
    ASSERT_TRUE(content(path) == content(other)) << "after " << when;
  }

  /// How often the format wrote past the library since it was asked before.
  int writes() { return std::exchange(files_.writes, 0); }

  TemporaryDirectory directory_;
  CountedFiles files_;
  std::unique_ptr<FileFormat> format_ = netcdf_format(files_), oracle_ = netcdf_format(*posix_);
  static inline const std::unique_ptr<FileSystem> posix_ = posix_file_system();
};

const Steps kEachAxisTwice = {{Call::grow, 0}, {Call::grow, 2}, {Call::grow, 1},
                              {Call::grow, 2}, {Call::grow, 0}, {Call::grow, 1}};

TEST_F(KnownFileTest, later_files_of_everything_are_those_of_the_library) {
  for (int file = 0; file < 2; ++file) expect_same(of_everything(), kEachAxisTwice, {8, 6, 4});
  EXPECT_EQ(writes(), 0);

  for (int file = 0; file < 3; ++file) {
    expect_same(of_everything(), kEachAxisTwice, {8, 6, 4});
    // The definition, four static variables that are not compressed, and times and more of each growth.
    EXPECT_GE(writes(), 1 + 4 + 2 * 6) << "the library made some of it";
  }
}

TEST_F(KnownFileTest, values_that_are_read_in_pieces_are_in_all_files) {
  FileDefinition definition = of_everything();
  definition.dimensions.push_back({"corner", 60, {}, {}});
  definition.statics.push_back(
      {"corners", ElementType::float64, {5, 3}, {}, {}, "g", std::make_shared<const Numbers>()});

  for (int file = 0; file < 2; ++file) expect_same(definition, kEachAxisTwice, {8, 6, 4});
  EXPECT_EQ(writes(), 2 * 5);  // five pieces
  for (int file = 0; file < 2; ++file) {
    const std::string path = directory_.path(std::to_string(file) + ".nc");
    format_->create(path, definition)->finish(std::vector<Index>{0, 0, 0});
    const std::vector<double> values = InputFile(path).numbers("corners");
    ASSERT_EQ(values.size(), 540000u);
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<double>(i));
  }
}

TEST_F(KnownFileTest, files_are_cut_and_remarked_as_those_of_the_library) {
  Steps remarked = kEachAxisTwice;
  remarked.push_back({Call::remark});
  for (int file = 0; file < 3; ++file) expect_same(of_everything(), kEachAxisTwice, {8, 6, 4});

  expect_same(of_everything(), kEachAxisTwice, {5, 6, 3});
  expect_same(of_everything(), kEachAxisTwice, {0, 0, 0});
  expect_same(of_everything(), {}, {0, 0, 0});
  expect_same(of_everything(), remarked, {7, 6, 3});

  EXPECT_GT(writes(), 0);
}

TEST_F(KnownFileTest, files_that_grow_on_and_on_are_those_of_the_library) {
  const Steps often(20, Step{Call::grow, 0});

  for (int file = 0; file < 4; ++file) expect_same(of_everything(), often, {80, 0, 0});
}

TEST_F(KnownFileTest, files_with_compressed_records_are_those_of_the_library) {
  const Steps steps = {{Call::grow, 0}, {Call::pack, 0}, {Call::grow, 1}, {Call::pack, 0},
                       {Call::grow, 2}, {Call::pack, 0}, {Call::pack, 0}, {Call::grow, 0}};

  for (int file = 0; file < 4; ++file) expect_same(with_packed(), steps, {4, 3, 2});

  EXPECT_GT(writes(), 0);
}

TEST_F(KnownFileTest, files_of_many_variables_are_those_of_the_library) {
  for (int file = 0; file < 4; ++file) expect_same(of_profiles(150), {{Call::grow, 0}}, {100});

  EXPECT_GT(writes(), 0);
}

TEST_F(KnownFileTest, axes_that_grow_in_another_order_are_left_to_the_library) {
  for (int file = 0; file < 3; ++file) expect_same(of_everything(), kEachAxisTwice, {8, 6, 4});
  writes();

  expect_same(of_everything(), {{Call::grow, 1}, {Call::grow, 0}, {Call::grow, 2}}, {4, 3, 2});
  EXPECT_GT(writes(), 0) << "its definition is known";

  for (int file = 0; file < 3; ++file) expect_same(of_everything(), kEachAxisTwice, {8, 6, 4});
}

TEST_F(KnownFileTest, files_at_random_are_those_of_the_library) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    std::mt19937 random(seed);
    FileDefinition definition = with_packed();
    std::shuffle(definition.variables.begin(), definition.variables.end() - 1, random);
    std::shuffle(definition.statics.begin(), definition.statics.end(), random);
    const auto drop = [&](auto& list) { list.resize(random() % (list.size() + 1)); };
    drop(definition.statics);
    drop(definition.attributes);
    drop(definition.variables.front().attributes);
    for (int file = 0; file < 5; ++file) {
      Steps steps;
      std::vector<Index> records(3, 0);
      for (std::uint32_t i = 0; i < 6; ++i) {
        const std::uint32_t axis = random() % 4 > 0 ? i % 3 : static_cast<std::uint32_t>(random() % 3);
        steps.push_back({Call::grow, axis});
        records[axis] += axis == 1 ? 3 : 2;
      }
      expect_same(definition, steps, records);
    }
  }
}

TEST_F(KnownFileTest, another_definition_is_left_to_the_library) {
  const FileDefinition definition = of_everything();
  for (int file = 0; file < 3; ++file) expect_same(definition, {{Call::grow, 0}}, {4, 0, 0});
  writes();
  const std::vector<std::function<void(FileDefinition&)>> changes = {
      [](FileDefinition& one) { one.attributes[0].value = "J"; },
      [](FileDefinition& one) { one.attributes[4].value = std::nan(""); },
      [](FileDefinition& one) { one.attributes[4].value = 0.0; },
      [](FileDefinition& one) { one.attributes[4].value = -0.0; },
      [](FileDefinition& one) { one.axes[0].block_records = 5; },
      [](FileDefinition& one) { one.dimensions[0].coordinates[0] = -0.0; },
      [](FileDefinition& one) {
        one.variables[1].attributes = {{"units", "m"}};
      },
      [](FileDefinition& one) { one.variables[1].type = ElementType::float64; },
      [](FileDefinition& one) { one.statics[0].values = static_values(7 * 2 * 8, 9); },
      [](FileDefinition& one) {
        one.statics[1].compression = {&codecs::deflate(), 9};
      }};

  for (const auto& change : changes) {
    FileDefinition other = definition;
    change(other);
    // Twice, so that it were believed if it could be mistaken for the one before or after it.
    for (int file = 0; file < 2; ++file) expect_same(other, {{Call::grow, 0}}, {4, 0, 0});
  }

  EXPECT_EQ(writes(), 0);
}

TEST_F(KnownFileTest, a_file_alone_is_not_kept) {
  FileDefinition definition = of_everything();
  definition.is_of_series = false;

  for (int file = 0; file < 4; ++file) expect_same(definition, kEachAxisTwice, {8, 6, 4});

  EXPECT_EQ(writes(), 0);
}

TEST_F(KnownFileTest, two_files_under_way_at_a_time_are_those_of_the_library) {
  const FileDefinition definition = of_everything();
  const auto first = format_->create(directory_.path("a.nc"), definition);
  const auto second = format_->create(directory_.path("b.nc"), definition);
  for (std::uint32_t axis : {0U, 1U}) {
    second->grow(axis);
    first->grow(1 - axis);
  }

  for (int file = 0; file < 4; ++file) expect_same(definition, kEachAxisTwice, {8, 6, 4});
}

TEST_F(KnownFileTest, a_full_disk_may_be_tried_again_at_every_write) {
  const FileDefinition definition = of_everything();
  for (int file = 0; file < 3; ++file) expect_same(definition, kEachAxisTwice, {8, 6, 4});
  const int count = writes();
  ASSERT_GT(count, 0);

  const std::string other = directory_.path("library.nc"), path = directory_.path("full.nc");
  const auto make = [&](FileFormat& format, const std::string& name) {
    int refused = 0;
    const auto tried = [&](const auto& call) {
      try {
        return call();
      } catch (const DiskFullError& error) {
        EXPECT_TRUE(error.may_be_repeated());
        ++refused;
        return call();
      }
    };
    const auto writer = tried([&] { return format.create(name, definition); });
    for (const Step& step : kEachAxisTwice) {
      const AxisGrowth growth = tried([&] { return writer->grow(step.axis); });
      write_growth(*posix_, name, definition, growth, 1, 2);
    }
    writer->finish(std::vector<Index>{8, 6, 4});
    return refused;
  };
  make(*oracle_, other);

  for (files_.full_at = 1; files_.full_at <= count; ++files_.full_at) {
    files_.writes = 0;

    EXPECT_EQ(make(*format_, path), 1);

    compare(path, other, "write " + std::to_string(files_.full_at));
    std::filesystem::remove(path);
  }
}

}  // namespace
}  // namespace pileus::netcdf
