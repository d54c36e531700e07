#include "formats/netcdf/classic_length.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <vector>

namespace pileus::netcdf {
namespace {

constexpr std::uint64_t kMostEntries = 1 << 20;  ///< of a list in a header that is not damaged
constexpr std::array<std::uint64_t, 12> kTypeBytes = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
constexpr std::uint64_t kUnknownRecords = 0xFFFFFFFF;

struct PlacedVariable {
  std::uint64_t begin = 0, bytes = 0;  ///< of one record, if it has records
  bool has_records = false;
};

/// Reads the header in the order of the format (NetCDF Users Guide, "NetCDF Classic Format Specification").
class ClassicHeader {
 public:
  explicit ClassicHeader(const std::string& path) : in_(path, std::ios::binary) {}

  /// nullopt: no classic file, or a damaged one.
  std::optional<std::uint64_t> length() {
    std::array<char, 4> magic{};
    in_.read(magic.data(), magic.size());
    version_ = static_cast<unsigned char>(magic[3]);
    const bool is_classic = magic[0] == 'C' && magic[1] == 'D' && magic[2] == 'F';
    if (!is_classic || (version_ != 1 && version_ != 2 && version_ != 5)) return std::nullopt;
    const std::uint64_t records = count();
    read_dimensions();
    skip_attributes();
    const std::vector<PlacedVariable> variables = read_variables();
    if (!in_ || is_damaged_) return std::nullopt;
    return end_of(variables, records == kUnknownRecords ? 0 : records);
  }

 private:
  static std::uint64_t padded(std::uint64_t bytes) { return (bytes + 3) / 4 * 4; }

  std::uint64_t number(int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value = value << 8U | static_cast<unsigned char>(in_.get());
    return value;
  }
  std::uint64_t count() { return number(version_ == 5 ? 8 : 4); }
  /// Of a list, or of an element of one.
  std::uint64_t entries() {
    const std::uint64_t n = count();
    if (in_ && n <= kMostEntries) return n;
    is_damaged_ = true;
    return 0;
  }
  std::uint64_t list() {
    number(4);  // says which list it is, or that there is none
    return entries();
  }
  void skip(std::uint64_t bytes) { in_.seekg(static_cast<std::streamoff>(padded(bytes)), std::ios::cur); }
  std::uint64_t type_bytes() {
    const std::uint64_t type = number(4);
    if (type < kTypeBytes.size()) return kTypeBytes[type];
    is_damaged_ = true;
    return 0;
  }

  void read_dimensions() {
    for (std::uint64_t left = list(); left > 0 && in_; --left) {
      skip(entries());
      dimensions_.push_back(count());
    }
  }
  void skip_attributes() {
    for (std::uint64_t left = list(); left > 0 && in_; --left) {
      skip(entries());
      const std::uint64_t bytes = type_bytes();
      skip(bytes * count());
    }
  }
  std::vector<PlacedVariable> read_variables() {
    std::vector<PlacedVariable> variables;
    for (std::uint64_t left = list(); left > 0 && in_; --left) {
      skip(entries());
      PlacedVariable variable;
      std::uint64_t elements = 1;
      const std::uint64_t rank = entries();
      for (std::uint64_t d = 0; d < rank && in_; ++d) {
        const std::uint64_t dimension = count();
        const std::uint64_t size = dimension < dimensions_.size() ? dimensions_[dimension] : 1;
        if (d == 0 && size == 0)
          variable.has_records = true;
        else
          elements *= size;
      }
      skip_attributes();
      variable.bytes = elements * type_bytes();
      count();  // the size again, which is of no use for large variables
      variable.begin = number(version_ == 1 ? 4 : 8);
      variables.push_back(variable);
    }
    return variables;
  }

  static std::uint64_t end_of(const std::vector<PlacedVariable>& variables, std::uint64_t records) {
    std::uint64_t record = 0, with_records = 0, end = 0;
    for (const PlacedVariable& one : variables) {
      if (!one.has_records) continue;
      ++with_records;
      record += padded(one.bytes);
    }
    for (const PlacedVariable& one : variables) {
      if (one.has_records && records == 0) continue;
      // Records of a single variable lie without padding.
      const std::uint64_t step = with_records == 1 ? one.bytes : record;
      const std::uint64_t before = one.has_records ? (records - 1) * step : 0;
      end = std::max(end, one.begin + before + one.bytes);
    }
    return end;
  }

  std::ifstream in_;
  std::uint64_t version_ = 0;
  std::vector<std::uint64_t> dimensions_;
  bool is_damaged_ = false;
};

}  // namespace

std::uint64_t classic_length(const std::string& path) { return ClassicHeader(path).length().value_or(0); }

}  // namespace pileus::netcdf
