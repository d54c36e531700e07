#include "formats/netcdf/parts/part_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "core/error.h"
#include "formats/netcdf/filters.h"

namespace pileus::netcdf {
namespace {

constexpr std::uint64_t kNowhere = UINT64_MAX;
constexpr std::array<unsigned char, 8> kSignature = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
/// Half as many children as a node of a tree has at most: of chunks as superblock 0 means it, of names in a
/// group as it says.
constexpr std::size_t kHalfOfChunks = 32, kHalfOfNames = 64;
/// Where the head says how many chunks there are: HDF5 does not look there.
constexpr std::size_t kCountAt = 2048;

class Out {
 public:
  explicit Out(std::uint64_t base) : base_(base) {}
  std::uint64_t at() const { return base_ + bytes_.size(); }
  template <class Number>
  void put(Number number) {  // every system that this runs on counts from the low byte, as HDF5 does
    static_assert(std::endian::native == std::endian::little);
    const auto bytes = std::as_bytes(std::span(&number, 1));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void u8(std::uint64_t number) { put(static_cast<std::uint8_t>(number)); }
  void u16(std::uint64_t number) { put(static_cast<std::uint16_t>(number)); }
  void u32(std::uint64_t number) { put(static_cast<std::uint32_t>(number)); }
  void u64(std::uint64_t number) { put(number); }
  void text(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void zeros(std::size_t count) { bytes_.resize(bytes_.size() + count); }
  void up_to(std::uint64_t end) { bytes_.resize(end - base_); }
  void round_up() { zeros((8 - bytes_.size() % 8) % 8); }
  std::vector<std::byte> take() { return std::move(bytes_); }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::uint64_t base_;
  std::vector<std::byte> bytes_;
};

/// The messages of an object header.
class Messages {
 public:
  Out& begin(std::uint16_t type) {
    end();
    type_ = type;
    is_open_ = true;
    return one_;
  }
  void write_to(Out& out) {
    end();
    const std::vector<std::byte> bytes = all_.take();
    out.u8(1);
    out.u8(0);
    out.u16(count_);
    out.u32(1);
    out.u32(bytes.size());
    out.u32(0);
    out.text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }

 private:
  void end() {
    if (!std::exchange(is_open_, false)) return;
    one_.round_up();
    const std::vector<std::byte> bytes = std::exchange(one_, Out(0)).take();
    all_.u16(type_);
    all_.u16(bytes.size());
    all_.u32(0);
    all_.text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    ++count_;
  }

  Out all_{0}, one_{0};
  std::uint16_t type_ = 0, count_ = 0;
  bool is_open_ = false;
};

void put_type(Out& out, ElementType type) {
  const std::size_t size = size_bytes(type);
  const auto begin = [&](unsigned kind, unsigned bits, unsigned more) {
    out.u8(0x10 | kind);
    out.u8(bits);
    out.u8(more);
    out.u8(0);
    out.u32(size);
  };
  const auto bits = [&] {
    out.u16(0);
    out.u16(8 * size);
  };
  if (type == ElementType::character) return begin(3, 0, 0);
  if (type != ElementType::float64 && type != ElementType::float32) {
    begin(0, 0x08, 0);
    return bits();
  }
  const bool is_long = type == ElementType::float64;
  begin(1, 0x20, is_long ? 63 : 31);
  bits();
  out.u8(is_long ? 52 : 23);
  out.u8(is_long ? 11 : 8);
  out.u8(0);
  out.u8(is_long ? 52 : 23);
  out.u32(is_long ? 1023 : 127);
}

/// A dataset of the part: its extents are those of its chunks, and a record more for each.
class Dataset {
 public:
  Dataset(const PartVariable& variable, const PartDataset& dataset, Index records)
      : variable_(variable), chunks_(dataset.chunks), records_(records), element_(size_bytes(variable.type)) {
    chunk_ = {1};
    chunk_.insert(chunk_.end(), dataset.stored.rbegin(), dataset.stored.rend());
    for (const Index n : chunk_) bytes_ *= static_cast<std::size_t>(n);
    bytes_ *= element_;
  }

  /// Returns where its header is.
  std::uint64_t write(Out& out) const {
    const std::uint64_t tree = write_tree(out);
    const std::uint64_t header = out.at();
    Messages messages;
    Out& space = messages.begin(0x0001);
    space.u8(1);
    space.u8(chunk_.size());
    space.zeros(6);
    for (std::size_t d = 0; d < chunk_.size(); ++d)
      space.u64(static_cast<std::uint64_t>(d == 0 ? records_ : chunk_[d]));
    put_type(messages.begin(0x0003), variable_.type);
    Out& fill = messages.begin(0x0005);
    for (const unsigned byte : {2, 3, 1, 0})
      fill.u8(byte);  // made as it comes, never filled, nothing defined
    if (variable_.compression.is_packed()) put_filters(messages.begin(0x000b));
    Out& layout = messages.begin(0x0008);
    layout.u8(3);
    layout.u8(2);
    layout.u8(chunk_.size() + 1);
    layout.u64(tree);
    for (const Index n : chunk_) layout.u32(static_cast<std::uint64_t>(n));
    layout.u32(element_);
    messages.write_to(out);
    return header;
  }

 private:
  struct Key {
    std::uint64_t size_bytes = 0, filters = 0, record = 0;
  };

  void put_filters(Out& out) const {
    const std::vector<FilterOfChunk> filters = filters_of(variable_.compression, element_, bytes_);
    out.u8(1);
    out.u8(filters.size());
    out.zeros(6);
    for (const FilterOfChunk& filter : filters) {
      out.u16(static_cast<std::uint64_t>(filter.number));
      out.u16(0);
      out.u16(1);
      out.u16(filter.parameters.size());
      for (const unsigned parameter : filter.parameters) out.u32(parameter);
      if (filter.parameters.size() % 2 != 0) out.u32(0);
    }
  }

  void put_key(Out& out, const Key& key, bool is_end) const {
    if (key.size_bytes > UINT32_MAX)
      throw OutputError(
          "a part cannot have 4 GiB of one model rank in a record: compress it, take more ranks, or leave "
          "parts out");
    out.u32(key.size_bytes);
    out.u32(key.filters);
    out.u64(key.record + (is_end ? 1 : 0));
    for (std::size_t d = 1; d < chunk_.size(); ++d)
      out.u64(is_end ? static_cast<std::uint64_t>(chunk_[d]) : 0);
    out.u64(is_end ? element_ : 0);
  }

  /// One level of the tree behind what is there: nodes side by side. `keys`, `children`: of what is below.
  /// Leaves those of this level in them.
  void write_level(Out& out, unsigned level, std::vector<Key>& keys,
                   std::vector<std::uint64_t>& children) const {
    constexpr std::size_t kMost = 2 * kHalfOfChunks;
    const std::size_t key_bytes = 8 + 8 * (chunk_.size() + 1);
    const std::size_t node_bytes = 24 + 8 * kMost + (kMost + 1) * key_bytes;
    const std::size_t count = (children.size() + kMost - 1) / kMost;
    const std::uint64_t first = out.at();
    const auto address = [&](std::size_t node) {
      return node < count ? first + node * node_bytes : kNowhere;
    };
    std::vector<Key> of_nodes;
    std::vector<std::uint64_t> nodes;
    for (std::size_t node = 0; node < count; ++node) {
      const std::size_t begin = node * kMost, end = std::min(begin + kMost, children.size());
      out.text("TREE");
      out.u8(1);
      out.u8(level);
      out.u16(end - begin);
      out.u64(node == 0 ? kNowhere : address(node - 1));
      out.u64(address(node + 1));
      for (std::size_t i = begin; i < end; ++i) {
        put_key(out, keys[i], false);
        out.u64(children[i]);
      }
      const bool is_last = end == children.size();
      put_key(out, is_last ? Key{0, 0, last_record()} : keys[end], is_last);
      out.up_to(first + (node + 1) * node_bytes);
      of_nodes.push_back(keys[begin]);
      nodes.push_back(address(node));
    }
    keys = std::move(of_nodes);
    children = std::move(nodes);
  }

  std::uint64_t last_record() const { return static_cast<std::uint64_t>(chunks_.back().record); }

  std::uint64_t write_tree(Out& out) const {
    if (chunks_.empty()) return kNowhere;
    std::vector<Key> keys;
    std::vector<std::uint64_t> children;
    for (const PartChunk& chunk : chunks_) {
      keys.push_back({chunk.size_bytes, chunk.skipped_filters, static_cast<std::uint64_t>(chunk.record)});
      children.push_back(chunk.offset);
    }
    unsigned level = 0;
    do write_level(out, level++, keys, children);
    while (children.size() > 1);
    return children.front();
  }

  const PartVariable& variable_;
  const std::vector<PartChunk>& chunks_;
  Index records_;
  std::size_t element_, bytes_ = 1;
  std::vector<Index> chunk_;  ///< slowest first
};

struct Named {
  std::string name;
  std::uint64_t header = 0;
  std::uint64_t name_at = 0;
};

struct Root {
  std::uint64_t header = 0, tree = 0, heap = 0;
  std::size_t half_of_tree = 16;
};

std::uint64_t write_names(Out& out, std::vector<Named>& all) {
  const std::uint64_t heap = out.at();
  Out names(0);
  names.zeros(8);
  for (Named& one : all) {
    one.name_at = names.at();
    names.text(one.name);
    names.u8(0);
    names.round_up();
  }
  const std::vector<std::byte> bytes = names.take();
  out.text("HEAP");
  out.u32(0);
  out.u64(bytes.size());
  out.u64(1);  // nothing is free
  out.u64(heap + 32);
  out.text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return heap;
}

/// The group of all datasets. `all`: ascending by name.
Root write_root(Out& out, std::vector<Named>& all) {
  Root root;
  root.heap = write_names(out, all);
  constexpr std::size_t kMost = 2 * kHalfOfNames;
  std::vector<std::uint64_t> nodes, last_names;
  for (std::size_t begin = 0; begin < all.size(); begin += kMost) {
    const std::size_t end = std::min(begin + kMost, all.size());
    nodes.push_back(out.at());
    last_names.push_back(all[end - 1].name_at);
    out.text("SNOD");
    out.u8(1);
    out.u8(0);
    out.u16(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      out.u64(all[i].name_at);
      out.u64(all[i].header);
      out.zeros(24);
    }
    out.zeros(40 * (begin + kMost - end));
  }
  root.half_of_tree = std::max<std::size_t>(16, (nodes.size() + 1) / 2);
  if (root.half_of_tree > UINT16_MAX) throw OutputError("a part of a file has too many boxes");
  root.tree = out.at();
  out.text("TREE");
  out.u8(0);
  out.u8(0);
  if (nodes.size() > UINT16_MAX) throw OutputError("a part of a file has too many boxes");
  out.u16(nodes.size());
  out.u64(kNowhere);
  out.u64(kNowhere);
  out.u64(0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    out.u64(nodes[i]);
    out.u64(last_names[i]);
  }
  out.up_to(root.tree + 24 + 8 * (4 * root.half_of_tree + 1));
  root.header = out.at();
  Messages messages;
  Out& table = messages.begin(0x0011);
  table.u64(root.tree);
  table.u64(root.heap);
  messages.write_to(out);
  return root;
}

std::vector<std::byte> head_of(const Root& root, std::uint64_t end, std::uint64_t chunks) {
  Out head(0);
  for (const unsigned char byte : kSignature) head.u8(byte);
  for (const unsigned byte : {0, 0, 0, 0, 0, 8, 8, 0})
    head.u8(byte);  // versions; bytes of offsets and lengths
  head.u16(kHalfOfNames);
  head.u16(root.half_of_tree);
  head.u32(0);
  for (const std::uint64_t address : {std::uint64_t{0}, kNowhere, end, kNowhere}) head.u64(address);
  head.u64(0);
  head.u64(root.header);
  head.u32(1);
  head.u32(0);
  head.u64(root.tree);
  head.u64(root.heap);
  head.up_to(kCountAt);
  head.u64(chunks);
  head.up_to(kHeadOfPart);
  return head.take();
}

}  // namespace

EndOfPart end_of_part(const PartOfFile& part, const std::vector<PartVariable>& variables,
                      std::uint64_t size_bytes) {
  EndOfPart end;
  end.offset = (std::max(size_bytes, kHeadOfPart) + 7) / 8 * 8;
  Out out(end.offset);
  std::vector<Named> all;
  for (const PartDataset& dataset : part.datasets) {
    const Index records = dataset.chunks.empty() ? 0 : dataset.chunks.back().record + 1;
    const PartVariable& variable = variables.at(dataset.variable);
    all.push_back({name_in_part(variable, dataset), Dataset(variable, dataset, records).write(out)});
  }
  std::ranges::sort(all, {}, &Named::name);
  const Root root = write_root(out, all);
  end.head = head_of(root, out.at(), part.chunk_count());
  end.tail = out.take();
  return end;
}

std::uint64_t chunks_in_part(std::span<const std::byte> head) {
  if (head.size() < kHeadOfPart || std::memcmp(head.data(), kSignature.data(), kSignature.size()) != 0)
    return 0;
  std::uint64_t chunks = 0;
  std::memcpy(&chunks, head.data() + kCountAt, sizeof chunks);
  return chunks;
}

}  // namespace pileus::netcdf
