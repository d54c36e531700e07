#include "files/file_frames.h"

namespace pileus {
namespace {

void put(Encoder& out, FilePeriod file) {
  out.put(file.file.index);
  out.put(file.period);
}

FilePeriod get_file(Decoder& in) {
  const auto file = in.get<std::uint32_t>();
  return {FileId(file), in.get<std::int64_t>()};
}

void put(Encoder& out, const Region& region) {
  out.put(region.start);
  out.put(region.count);
}

Region get_region(Decoder& in) {
  Region region;
  region.start = in.get_extents();
  region.count = in.get_extents();
  if (region.start.size() != region.count.size()) throw TransportError("a message holds a wrong region");
  constexpr Index kMost = Index{1} << 40;
  Index size = 1;
  for (Index n : region.count) {
    if (n < 0 || (n > 0 && size > kMost / n)) throw TransportError("a message holds an absurd region");
    size *= n;
  }
  return region;
}

void put(Encoder& out, const RecordPlacement& placement) {
  out.put(static_cast<std::uint64_t>(placement.blocks.size()));
  for (const Block& block : placement.blocks) {
    out.put(block.offset);
    put(out, block.region);
  }
}

RecordPlacement get_placement(Decoder& in) {
  RecordPlacement placement;
  placement.blocks.resize(in.get_length(24));
  for (Block& block : placement.blocks) {
    block.offset = in.get<std::uint64_t>();
    block.region = get_region(in);
  }
  return placement;
}

}  // namespace

Bytes encode(const Placement& placement) {
  Bytes all;
  encode_in_pieces(placement, [&](const Bytes& piece) { all.insert(all.end(), piece.begin(), piece.end()); });
  return all;
}

void encode_in_pieces(const Placement& placement, const std::function<void(const Bytes&)>& take) {
  constexpr std::size_t kPieceBytes = 65536;
  Bytes bytes;
  Encoder out(bytes);
  const auto give = [&](std::size_t most) {
    if (bytes.size() <= most) return;
    take(bytes);
    bytes.clear();
  };
  out.put(ServerFrame::placement);
  put(out, placement.file);
  out.put(placement.axis);
  out.put(placement.growth.first_record);
  out.put(placement.growth.records);
  out.put(static_cast<std::uint64_t>(placement.growth.variables.size()));
  for (const auto& [variable, records] : placement.growth.variables) {
    out.put(variable);
    out.put(static_cast<std::uint64_t>(records.size()));
    for (std::size_t i = 0; i < records.size(); ++i) {
      put(out, records[i]);
      give(kPieceBytes);
    }
  }
  give(0);
}

Placement decode_placement(Decoder& in) {
  Placement placement;
  placement.file = get_file(in);
  placement.axis = in.get<std::uint32_t>();
  placement.growth.first_record = in.get<Index>();
  placement.growth.records = in.get<Index>();
  placement.growth.variables.resize(in.get_length(12));
  for (auto& [variable, records] : placement.growth.variables) {
    variable = in.get<std::uint32_t>();
    for (std::size_t count = in.get_length(8); count > 0; --count) records.push_back(get_placement(in));
  }
  return placement;
}

Bytes encode(const Closing& closing) {
  Bytes bytes;
  Encoder out(bytes);
  out.put(ServerFrame::closing);
  put(out, closing.file);
  out.put(closing.is_failed);
  out.put(closing.is_last);
  out.put(closing.records);
  out.put(closing.first_open);
  return bytes;
}

Closing decode_closing(Decoder& in) {
  Closing closing;
  closing.file = get_file(in);
  closing.is_failed = in.get<std::uint8_t>() != 0;
  closing.is_last = in.get<std::uint8_t>() != 0;
  closing.records = in.get_vector<Index>();
  closing.first_open = in.get<std::int64_t>();
  return closing;
}

Bytes encode(const Progress& progress) {
  Bytes bytes;
  Encoder out(bytes);
  out.put(ServerFrame::progress);
  put(out, progress.file);
  out.put(progress.axis);
  out.put(progress.certain);
  out.put(progress.written);
  out.put(static_cast<std::uint64_t>(progress.learned.size()));
  for (const Progress::Learned& one : progress.learned) {
    out.put(one.variable);
    out.put(one.record);
    out.put(one.bits);
    out.put(static_cast<std::uint8_t>(one.is_final));
  }
  out.put(static_cast<std::uint64_t>(progress.decided.size()));
  for (const Progress::Decided& one : progress.decided) {
    out.put(one.variable);
    out.put(one.record);
    out.put(static_cast<std::uint8_t>(one.is_written));
    out.put(one.time_s);
  }
  return bytes;
}

Progress decode_progress(Decoder& in) {
  Progress progress;
  progress.file = get_file(in);
  progress.axis = in.get<std::uint32_t>();
  progress.certain = in.get<Index>();
  progress.written = in.get<Index>();
  progress.learned.resize(in.get_length(17));
  for (Progress::Learned& one : progress.learned) {
    one.variable = in.get<std::uint32_t>();
    one.record = in.get<Index>();
    one.bits = in.get<std::int32_t>();
    one.is_final = in.get<std::uint8_t>() != 0;
  }
  progress.decided.resize(in.get_length(21));
  for (Progress::Decided& one : progress.decided) {
    one.variable = in.get<std::uint32_t>();
    one.record = in.get<Index>();
    one.is_written = in.get<std::uint8_t>() != 0;
    one.time_s = in.get<double>();
  }
  return progress;
}

Bytes encode(const PartsDone& done) {
  Bytes bytes;
  Encoder out(bytes);
  out.put(ServerFrame::parts_done);
  put(out, done.file);
  out.put(done.error);
  put(out, done.missing);
  out.put(static_cast<std::uint8_t>(done.is_full));
  put(out, done.part);
  return bytes;
}

PartsDone decode_parts_done(Decoder& in) {
  PartsDone done;
  done.file = get_file(in);
  done.error = in.get_text();
  done.missing = get_missing(in);
  done.is_full = in.get<std::uint8_t>() != 0;
  done.part = get_part_of_file(in);
  return done;
}

Bytes encode(const Cut& cut) {
  Bytes bytes;
  Encoder out(bytes);
  out.put(ServerFrame::cut);
  put(out, cut.file);
  out.put(cut.step);
  out.put(cut.records);
  return bytes;
}

Cut decode_cut(Decoder& in) {
  Cut cut;
  cut.file = get_file(in);
  cut.step = in.get<std::int64_t>();
  cut.records = in.get_vector<Index>();
  return cut;
}

void put(Encoder& out, const ComparedChunk& chunk) {
  out.put(chunk.variable);
  out.put(chunk.chunk);
  for (const Bytes* bytes : {&chunk.written, &chunk.last}) {
    out.put(static_cast<std::uint64_t>(bytes->size()));
    out.put_raw(*bytes);
  }
  out.put(chunk.written_s);
}

ComparedChunk get_compared(Decoder& in) {
  ComparedChunk chunk;
  chunk.variable = in.get<std::uint32_t>();
  chunk.chunk = in.get<std::uint32_t>();
  for (Bytes* into : {&chunk.written, &chunk.last}) {
    const auto raw = in.get_raw(in.get_length(1));
    into->assign(raw.begin(), raw.end());
  }
  chunk.written_s = in.get<double>();
  return chunk;
}

Bytes encode(const CutSynced& synced) {
  Bytes bytes;
  Encoder out(bytes);
  out.put(ServerFrame::cut_synced);
  put(out, synced.file);
  out.put(synced.step);
  put(out, synced.missing);
  out.put(static_cast<std::uint64_t>(synced.compared.size()));
  for (const ComparedChunk& one : synced.compared) put(out, one);
  put(out, synced.part);
  return bytes;
}

CutSynced decode_cut_synced(Decoder& in) {
  CutSynced synced;
  synced.file = get_file(in);
  synced.step = in.get<std::int64_t>();
  synced.missing = get_missing(in);
  synced.compared.resize(in.get_length(24));
  for (ComparedChunk& one : synced.compared) one = get_compared(in);
  synced.part = get_part_of_file(in);
  return synced;
}

void put(Encoder& out, const std::vector<MissingPart>& missing) {
  out.put(static_cast<std::uint64_t>(missing.size()));
  for (const MissingPart& part : missing) {
    out.put(part.variable);
    out.put(part.client);
    put(out, part.region);
    out.put(part.records);
  }
}

std::vector<MissingPart> get_missing(Decoder& in) {
  std::vector<MissingPart> missing(in.get_length(32));
  for (MissingPart& part : missing) {
    part.variable = in.get<std::uint32_t>();
    part.client = in.get<ClientRank>();
    part.region = get_region(in);
    part.records = in.get<Index>();
    if (part.records < 0) throw TransportError("a message speaks of impossible records");
  }
  return missing;
}

Bytes encode(const Part& part, ServerFrame kind) {
  const Record& record = part.record;
  Bytes bytes;
  Encoder out(bytes);
  out.put(kind);
  out.put(part.client);
  out.put(part.chunk);
  out.put(part.lent);
  out.put(record.variable.index);
  out.put(record.mark.period);
  out.put(record.mark.record);
  out.put(record.mark.time_s);
  out.put(record.mark.begin_s);
  out.put(record.mark.end_s);
  put(out, record.region);
  out.put(record.value.has_value());
  if (record.value) {
    out.put(record.value->type);
    out.put(record.value->extents);
    // Numbers begin where they may be read in place.
    while ((bytes.size() + 1) % 8 != 0) out.put(std::uint8_t{0});
    out.put(std::uint8_t{1});
    out.put_raw({record.value->bytes.get(), record.value->size_bytes()});
  }
  return bytes;
}

Part decode_part(Decoder& in, std::shared_ptr<const void> message) {
  Part part;
  Record& record = part.record;
  part.client = in.get<ClientRank>();
  part.chunk = in.get<std::uint32_t>();
  part.lent = in.get<std::uint64_t>();
  record.variable = VariableId(in.get<std::uint32_t>());
  record.mark.period = in.get<std::int64_t>();
  record.mark.record = in.get<std::int64_t>();
  record.mark.time_s = in.get<double>();
  record.mark.begin_s = in.get<double>();
  record.mark.end_s = in.get<double>();
  record.region = get_region(in);
  if (in.get<std::uint8_t>() == 0) return part;
  Array array;
  array.type = in.get<ElementType>();
  if (!is_known(array.type)) throw TransportError("a message holds an unknown type of number");
  array.extents = in.get_extents();
  if (array.extents != record.region.count) throw TransportError("a message holds a part of a wrong shape");
  while (in.get<std::uint8_t>() == 0) {
  }
  const auto bytes = in.get_raw(array.size_bytes());
  array.bytes = std::shared_ptr<const std::byte>(message, bytes.data());
  record.value = std::move(array);
  record.ballast = std::move(message);
  return part;
}

Bytes encode(const StaticOffer& offer) {
  Bytes bytes;
  Encoder out(bytes);
  out.put(ServerFrame::static_offer);
  out.put(offer.number);
  out.put(offer.bytes);
  return bytes;
}

StaticOffer decode_static_offer(Decoder& in) {
  const auto number = in.get<std::uint64_t>();
  return {number, in.get<std::uint64_t>()};
}

Bytes encode_static_turn(std::uint64_t number) {
  Bytes bytes;
  Encoder out(bytes);
  out.put(ServerFrame::static_turn);
  out.put(number);
  return bytes;
}

Bytes encode(const PackedPart& part) {
  Bytes bytes;
  Encoder out(bytes);
  out.put(ServerFrame::packed_part);
  put(out, part.file);
  out.put(part.record);
  out.put(part.variable);
  out.put(part.chunk);
  out.put(part.packed.skipped_filters);
  out.put(part.packed.loss.has_value());
  if (part.packed.loss) {
    out.put(part.packed.loss->largest);
    out.put(part.packed.loss->rms);
    out.put(part.packed.loss->bound);
    out.put(part.packed.loss->missing);
  }
  out.put(part.packed.audit.has_value());
  if (part.packed.audit) put(out, *part.packed.audit);
  out.put(static_cast<std::uint64_t>(part.packed.bytes.size()));
  out.put_raw(part.packed.bytes);
  out.put(part.pairs.pairs);
  out.put(static_cast<std::uint64_t>(part.pairs.bits.size()));
  for (const BitPairs::OfBit& bit : part.pairs.bits) {
    out.put(bit.both);
    out.put(bit.first);
    out.put(bit.second);
  }
  out.put(static_cast<std::uint8_t>(part.difference.has_value()));
  if (part.difference) put(out, *part.difference);
  out.put(static_cast<std::uint8_t>(part.is_late));
  return bytes;
}

PackedPart decode_packed_part(Decoder& in) {
  PackedPart part;
  part.file = get_file(in);
  part.record = in.get<Index>();
  part.variable = in.get<std::uint32_t>();
  part.chunk = in.get<std::uint32_t>();
  part.packed.skipped_filters = in.get<std::uint32_t>();
  if (in.get<std::uint8_t>() != 0) {
    Loss& loss = part.packed.loss.emplace();
    loss.largest = in.get<double>();
    loss.rms = in.get<double>();
    loss.bound = in.get<double>();
    loss.missing = in.get<std::int64_t>();
  }
  if (in.get<std::uint8_t>() != 0) part.packed.audit = get_audit(in);
  const auto bytes = in.get_raw(in.get_length(1));
  part.packed.bytes.assign(bytes.begin(), bytes.end());
  part.pairs.pairs = in.get<std::int64_t>();
  part.pairs.bits.resize(in.get_length(24));
  for (BitPairs::OfBit& bit : part.pairs.bits) {
    bit.both = in.get<std::int64_t>();
    bit.first = in.get<std::int64_t>();
    bit.second = in.get<std::int64_t>();
  }
  if (in.get<std::uint8_t>() != 0) part.difference = get_difference(in);
  part.is_late = in.get<std::uint8_t>() != 0;
  return part;
}

}  // namespace pileus
