#include "publishing/owner/static_parts.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/shortest.h"
#include "files/value_layout.h"
#include "watch/waits.h"

namespace pileus {
namespace {

const std::string kNotLaidAside = "its static fields could not be laid aside: ";

std::vector<Index> extents_in_file(const Plan& plan, const Variable& variable) {
  std::vector<Index> extents;
  for (DimensionId dimension : variable.dimensions) extents.push_back(plan[dimension].size);
  return extents;
}

/// A text of everything that has to be the same, so that the bytes are those of this run too.
std::string form_of(const Plan& plan, const Variable& variable) {
  std::string text = variable.definition + " " + std::string(name(variable.type)) + " " +
                     std::to_string(variable.storage.significant_bits);
  if (variable.storage.step > 0) text += " to multiples of " + shortest(variable.storage.step);
  if (variable.change)
    text += " times " + shortest(variable.change->factor) + " plus " + shortest(variable.change->offset);
  for (DimensionId id : variable.dimensions)
    text += " " + plan[id].name + " " + std::to_string(plan[id].size);
  return text;
}

Bytes encoded_form(const Plan& plan, const Variable& variable) {
  Bytes form;
  Encoder(form).put(std::string_view(form_of(plan, variable)));
  return form;
}

bool begins_with(const ByteSource& source, const Bytes& bytes) {
  if (source.size_bytes() < bytes.size()) return false;
  Bytes first(bytes.size());
  source.read(0, first);
  return first == bytes;
}

/// Cuts the region along its slowest dimensions into pieces of at most so many elements.
void add_pieces(const Region& region, Index most, std::vector<Region>& pieces) {
  std::size_t slowest = region.count.size();
  while (slowest > 0 && region.count[slowest - 1] == 1) --slowest;
  if (region.size() <= most || slowest == 0) return pieces.push_back(region);
  const std::size_t d = slowest - 1;
  const Index together = std::max<Index>(1, most / (region.size() / region.count[d]));
  for (Index first = 0; first < region.count[d]; first += together) {
    Region piece = region;
    piece.start[d] += first;
    piece.count[d] = std::min(together, region.count[d] - first);
    add_pieces(piece, most, pieces);
  }
}

/// A part, and how it comes into the whole.
struct Placing {
  Record part;
  ValueLayout layout;
  std::vector<Index> extents;

  /// `write` gets a piece of the part, never many bytes at a time: the stretches that it has in the file, its
  /// bytes, and how many an element has.
  template <class Write>
  void place(const Write& write) const {
    const std::size_t size = size_bytes(layout.type);
    std::vector<Region> pieces;
    add_pieces(in_file(part.region, layout), static_cast<Index>(kPieceBytes / size), pieces);
    std::vector<std::byte> bytes;
    for (const Region& piece : pieces) {
      bytes.resize(static_cast<std::size_t>(piece.size()) * size);
      convert(part, layout, piece, bytes);
      write(std::span<const Stretch>(contiguous_stretches(piece, extents)), std::span<const std::byte>(bytes),
            size);
    }
  }
};

}  // namespace

std::string static_variable_key(const Plan& plan, const Variable& variable) {
  return plan[variable.file].name + '\n' + variable.name;
}

std::uint64_t bytes_in_file(const Plan& plan, const Variable& variable) {
  const std::vector<Index> extents = extents_in_file(plan, variable);
  return static_cast<std::uint64_t>(Region{{}, extents}.size()) * size_bytes(variable.type);
}

KeptWholes kept_wholes(const Plan& plan, const StateEntries& entries) {
  KeptWholes kept;
  for (std::size_t i = 0; i < plan.statics.size(); ++i) {
    const Variable& variable = plan.statics[i];
    const Bytes form = encoded_form(plan, variable);
    for (const StateEntry& entry : entries.find(kStaticVariableKind, static_variable_key(plan, variable))) {
      const std::shared_ptr<const ByteSource> all =
          entry.more ? entry.more : std::make_shared<const BytesInMemory>(entry.bytes);
      if (!begins_with(*all, form)) continue;
      kept[i] = std::make_shared<const BytesBehind>(all, form.size());
      if (kept[i]->size_bytes() != bytes_in_file(plan, variable))
        throw TransportError("a static variable has a wrong size");
    }
  }
  return kept;
}

std::vector<StateEntry> StaticParts::state() const {
  std::vector<StateEntry> entries;
  for (std::size_t i = 0; i < wholes_.size(); ++i) {
    const Variable& variable = plan_.statics[i];
    if (!wholes_[i].values || !wholes_[i].is_complete() || failure(variable.file)) continue;
    entries.push_back({kStaticVariableKind,
                       static_variable_key(plan_, variable),
                       {},
                       encoded_form(plan_, variable),
                       wholes_[i].values});
  }
  return entries;
}

StaticParts::StaticParts(const Plan& plan, ServerRank self, Means means, const KeptWholes& kept)
    : plan_(plan), means_(std::move(means)), wholes_(plan.statics.size()) {
  for (std::size_t i = 0; i < wholes_.size(); ++i) {
    const Variable& variable = plan.statics[i];
    if (plan[variable.file].owner != self) continue;
    if (const auto before = kept.find(i); before != kept.end()) {
      const bool is_text = variable.type == ElementType::character;
      (is_text ? wholes_[i].before : wholes_[i].values) = before->second;
      if (!is_text) continue;
    }
    open(i);
  }
}

/// Elements that nobody sends are missing ones.
void StaticParts::open(std::size_t index) {
  const Variable& variable = plan_.statics[index];
  Whole& whole = wholes_[index];
  const std::uint64_t bytes = bytes_in_file(plan_, variable);
  if (bytes > kMostInMemory) {
    ScratchSpace space(means_.files, means_.directory);
    whole.values = whole.aside =
        asides_.try_emplace(variable.file, Aside{space}).first->second.space.make(bytes);
  } else {
    whole.values = whole.open = std::make_shared<BytesInMemory>(std::vector<std::byte>(bytes));
    convert({}, value_layout(plan_, variable), {}, whole.open->to_fill());
  }
  const bool is_distributed = plan_[variable.value].spread == Spread::distributed;
  const ClientRank parts = is_distributed ? plan_.layout.clients : 1;
  for (ClientRank client = 0; client < parts; ++client) whole.missing.insert(client);
}

void StaticParts::add(const Record& part, ClientRank client, const Done& done) {
  if (!place(part, client, done) && done) done();
}

/// True if the part is being written aside.
bool StaticParts::place(const Record& part, ClientRank client, const Done& done) {
  const std::size_t index = part.variable.index;
  Whole& whole = wholes_.at(index);
  const Variable& variable = plan_.statics[index];
  const bool is_distributed = plan_[variable.value].spread == Spread::distributed;
  if (!whole.values || whole.missing.erase(is_distributed ? client : 0) == 0) return false;
  if (whole.aside) begin_aside(index);
  if (!part.value || part.region.size() == 0) return false;
  Placing placing{part, value_layout(plan_, variable), extents_in_file(plan_, variable)};
  if (whole.aside) {
    Task work = [placing = std::move(placing), aside = whole.aside] {
      placing.place([&](auto stretches, auto bytes, std::size_t element_size) {
        aside->write(stretches, bytes, element_size);
      });
    };
    return write_aside(index, std::move(work), done);
  }
  placing.place([&](std::span<const Stretch> stretches, auto bytes, std::size_t element_size) {
    for (const Stretch& one : stretches) {
      const auto own = bytes.subspan(static_cast<std::size_t>(one.local_offset) * element_size,
                                     static_cast<std::size_t>(one.length) * element_size);
      std::ranges::copy(
          own, whole.open->to_fill().data() + static_cast<std::size_t>(one.global_offset) * element_size);
    }
  });
  return false;
}

/// The first write, before all parts.
void StaticParts::begin_aside(std::size_t index) {
  Whole& whole = wholes_[index];
  if (std::exchange(whole.is_begun, true)) return;
  Task work = [layout = value_layout(plan_, plan_.statics[index]), aside = whole.aside] {
    std::vector<std::byte> missing(kPieceBytes);
    convert({}, layout, {}, missing);
    for (std::uint64_t first = 0; first < aside->size_bytes(); first += kPieceBytes)
      aside->write(first, std::span(missing).first(std::min(kPieceBytes, aside->size_bytes() - first)));
  };
  write_aside(index, std::move(work), {});
}

/// One write that is given up would be lost for all files to come.
void StaticParts::make_lane(FileId file, Aside& aside) {
  aside.lane = std::make_shared<FileLane>(means_.waiting_file(file), means_.threads, means_.full);
  if (plan_[file].when_full != WhenFull::skip) return;
  aside.lane->try_on([this, &aside](const DiskFailure& why) {
    aside.shortage = {kNotLaidAside + why.text, true};
    means_.moved();
  });
}

bool StaticParts::write_aside(std::size_t index, Task work, const Done& done) {
  const FileId file = plan_.statics[index].file;
  Aside& aside = asides_.at(file);
  if (!aside.failure.text.empty()) return false;
  if (!aside.lane) make_lane(file, aside);
  ++wholes_[index].writes;
  aside.lane->post_to_disk(std::move(work), [this, index, done](const DiskFailure& failure) {
    written_aside(index, failure);
    if (done) done();
  });
  return true;
}

void StaticParts::written_aside(std::size_t index, const DiskFailure& failure) {
  Whole& whole = wholes_[index];
  Aside& aside = asides_.at(plan_.statics[index].file);
  --whole.writes;
  aside.shortage = {};
  const bool is_first = !failure.text.empty() && aside.failure.text.empty();
  if (is_first) {
    aside.failure = {kNotLaidAside + failure.text, failure.is_full};
    aside.lane->give_up();
  }
  if (is_first || whole.is_complete()) means_.moved();
}

void StaticParts::end_client(ClientRank client) {
  for (std::size_t i = 0; i < wholes_.size(); ++i) {
    if (plan_[plan_.statics[i].value].spread == Spread::rooted) continue;
    if (wholes_[i].missing.erase(client) > 0 && wholes_[i].aside) begin_aside(i);
  }
}

void StaticParts::give_up(FileId file) {
  const auto aside = asides_.find(file);
  if (aside != asides_.end() && aside->second.lane) aside->second.lane->give_up_waiting();
}

const DiskFailure* StaticParts::failure(FileId file) const {
  const auto aside = asides_.find(file);
  return aside == asides_.end() || aside->second.failure.text.empty() ? nullptr : &aside->second.failure;
}

const DiskFailure* StaticParts::shortage(FileId file) const {
  const auto aside = asides_.find(file);
  return aside == asides_.end() || aside->second.shortage.text.empty() ? nullptr : &aside->second.shortage;
}

void StaticParts::take_kept_texts() {
  for (Whole& whole : wholes_) {
    if (!whole.before || whole.missing.empty()) continue;
    whole.values = whole.before;
    whole.open = nullptr;
    whole.aside = nullptr;
    whole.missing.clear();
  }
}

bool StaticParts::is_whole(FileId file) const {
  for (std::size_t i = 0; i < wholes_.size(); ++i) {
    if (plan_.statics[i].file == file && !wholes_[i].is_complete()) return false;
  }
  return failure(file) == nullptr;
}

void StaticParts::give_to(FileId file, FileDefinition& definition) const {
  auto next = definition.statics.begin();
  for (std::size_t i = 0; i < wholes_.size(); ++i) {
    if (plan_.statics[i].file == file) (next++)->values = wholes_[i].values;
  }
}

std::size_t StaticParts::size_bytes() const {
  std::size_t bytes = 0;
  for (const Whole& whole : wholes_) {
    const std::size_t size = whole.values ? whole.values->size_bytes() : 0;
    bytes += size > kMostInMemory ? 0 : size;
  }
  return bytes;
}

std::string StaticParts::wait_text(FileId file) const {
  std::string text;
  for (std::size_t i = 0; i < wholes_.size() && text.empty(); ++i) {
    const std::set<ClientRank>& missing = wholes_[i].missing;
    if (plan_.statics[i].file != file) continue;
    if (!missing.empty())
      text = "waits for \"" + plan_.statics[i].name + "\" of " +
             numbered("model rank", {missing.begin(), missing.end()});
    if (wholes_[i].missing.empty() && wholes_[i].writes > 0)
      text = "waits for the disk, to lay \"" + plan_.statics[i].name + "\" aside";
  }
  return text;
}

}  // namespace pileus
