#include "publishing/publishing.h"

#include <algorithm>
#include <utility>

#include "core/log.h"
#include "plan/tiling.h"
#include "publishing/check_frames.h"
#include "publishing/chunks/pack_chunk.h"
#include "publishing/owner/rebuild.h"

namespace pileus {
namespace {

std::vector<std::vector<Region>> regions_of_clients(const Plan& plan, ServerRank self, bool of_all) {
  std::vector<std::vector<Region>> regions(plan.layout.clients);
  for (ClientRank client = 0; client < plan.layout.clients; ++client) {
    if (of_all || plan.layout.server_of(client) == self) regions[client] = regions_of_client(plan, client);
  }
  return regions;
}

/// What no model rank computes of a distributed variable, for whatever reason: it would be read without
/// having been written.
std::vector<Region> gaps_of(const Plan& plan, VariableId id) {
  const std::vector<Region> held = regions_of_value(plan, plan[id].value);
  std::vector<const Region*> regions;
  for (const Region& region : held) regions.push_back(&region);
  return planning::gaps(regions, plan.extents(plan[id].value));
}

}  // namespace

std::map<VariableId, std::string> texts_of_holes(const Plan& plan) {
  std::map<VariableId, std::string> texts;
  for (std::size_t v = 0; v < plan.variables.size(); ++v) {
    if (plan[plan.variables[v].value].spread != Spread::distributed) continue;
    const std::vector<Region> gaps = gaps_of(plan, VariableId(v));
    if (!gaps.empty()) texts[VariableId(v)] = hole_text(plan, VariableId(v), gaps);
  }
  return texts;
}

ContinuedFiles files_of(const Plan& plan, const Continuation& continuation, const std::string& directory,
                        FileSystem& files, const std::map<VariableId, std::string>& holes) {
  ContinuedFiles continued = continued_files(plan, continuation.entries, continuation.step, holes);
  continued.publications = publications_of(files, directory, continuation.identity.id,
                                           continuation.manifest.attempt, continuation.step.index);
  return continued;
}

Publishing::Publishing(const Plan& plan, const RunDescription& run, ServerRank self, Lanes lanes,
                       Messages& messages, FileSystem& files, FileFormat& format,
                       const Continuation* continued, StateSink* kept)
    : plan_(plan),
      self_(self),
      owners_write_all_(run.owners_write_all),
      has_packed_(std::ranges::any_of(plan.variables,
                                      [](const Variable& variable) { return variable.storage.deflate > 0; })),
      workers_(lanes.workers),
      format_(format),
      messages_(messages),
      regions_(regions_of_clients(plan, self, run.owners_write_all || has_packed_)),
      holes_(texts_of_holes(plan)),
      kept_(kept),
      is_continued_(continued != nullptr),
      continued_(continued ? files_of(plan, *continued, run.directory, files, holes_) : ContinuedFiles()),
      packing_(has_packed_ ? Packing(plan, format, regions_) : Packing()),
      strand_(lanes.workers),
      library_(lanes.library),
      full_disks_(full_disks(lanes.trials)),
      owner_(plan, self, run.identity, run.directory, writer_counts(), files, format,
             {library_, lanes.writers, full_disks_ ? &*full_disks_ : nullptr}, owner_hooks(), holes_,
             is_continued_ ? &continued_ : nullptr),
      writer_(plan, share(), files, lanes.writers, writer_hooks(), full_disks_ ? &*full_disks_ : nullptr),
      rooms_(plan) {
  for (std::size_t f = 0; f < plan.files.size(); ++f) {
    writers_of_.push_back(find_writers(FileId(f)));
    if (plan.files[f].owner == self) series_.emplace(FileId(f), Told{SeriesProgress(plan.files[f])});
  }
  require_records_before(run.directory, files);
  continued_.statics.clear();  // each owner has its own
}

/// Those of the files that this server goes on with.
void Publishing::require_records_before(const std::string& directory, FileSystem& files) const {
  for (const auto& [key, state] : continued_.under_way) {
    if (plan_[key.file].owner != self_ || state.records.empty()) continue;
    std::string source;
    try {
      source = source_of(files, directory, state);
    } catch (const OutputError&) {
      continue;  // server 0 has refused that; what goes since then fails with its file
    }
    try {
      require_records(files, source, state);
    } catch (const OutputError& error) {
      throw TransportError(error.what());
    }
  }
}

bool Publishing::has_distributed(FileId file) const {
  return std::ranges::any_of(plan_[file].variables, [&](VariableId variable) {
    return plan_[plan_[variable].value].spread == Spread::distributed;
  });
}

bool Publishing::has_packed(FileId file) const {
  return std::ranges::any_of(plan_[file].variables,
                             [&](VariableId variable) { return plan_[variable].storage.deflate > 0; });
}

/// Servers that write parts of the file, compress some or hold their clients' room until they are in it: its
/// owner, and all that have clients where it holds distributed or compressed variables.
std::vector<ServerRank> Publishing::find_writers(FileId file) const {
  std::vector<ServerRank> writers = {plan_[file].owner};
  const auto add = [&](ServerRank server) {
    if (std::ranges::find(writers, server) == writers.end()) writers.push_back(server);
  };
  if ((!owners_write_all_ && has_distributed(file)) || has_packed(file)) {
    for (ClientRank client = 0; client < plan_.layout.clients; ++client) add(plan_.layout.server_of(client));
  }
  if (has_packed_) std::ranges::for_each(packing_.packers(file), add);
  for (const VariableId variable : plan_[file].variables) {
    const Value& value = plan_[plan_[variable].value];
    if (plan_[variable].storage.deflate > 0 && value.spread == Spread::rooted) add(value.root);
  }
  return writers;
}

std::vector<std::size_t> Publishing::writer_counts() const {
  std::vector<std::size_t> counts;
  for (std::size_t f = 0; f < plan_.files.size(); ++f) counts.push_back(find_writers(FileId(f)).size());
  return counts;
}

PartWriter::Share Publishing::share() const {
  PartWriter::Share share;
  share.owners_write_all = owners_write_all_;
  for (ClientRank client = 0; client < plan_.layout.clients; ++client) {
    if (owners_write_all_ || plan_.layout.server_of(client) == self_) share.clients.push_back(client);
  }
  for (const PlannedFile& file : plan_.files) share.is_owner.push_back(file.owner == self_);
  share.holes = holes();
  share.self = self_;
  share.packing = packing();
  share.begun = continued_.begun;
  return share;
}

std::vector<std::string> Publishing::hole_texts() const {
  std::vector<std::string> texts;
  for (const auto& [id, text] : holes_) {
    if (plan_[plan_[id].file].owner != self_) continue;
    texts.push_back(plan_[plan_[id].file].name + ": " + plan_[id].name + " has _FillValue in " + text +
                    ", which no model rank holds");
  }
  return texts;
}

/// Those that this server fills: the owner where it writes all, else the server of the first model rank,
/// which writes parts of everything that is distributed. In a chunk to compress, who does that.
std::map<VariableId, std::vector<Region>> Publishing::holes() const {
  std::map<VariableId, std::vector<Region>> found;
  for (const auto& [id, text] : holes_) {
    const Variable& variable = plan_[id];
    const ServerRank filler = owners_write_all_ ? plan_[variable.file].owner : plan_.layout.server_of(0);
    if (variable.storage.deflate == 0 && filler != self_) continue;
    found[id] = gaps_of(plan_, id);
  }
  return found;
}

FileOwner::Hooks Publishing::owner_hooks() {
  FileOwner::Hooks hooks;
  hooks.post = [this](Task task) { strand_.post(std::move(task)); };
  hooks.announce = [this](const Placement& placement) {
    send_to_writers(placement.file.file, encode(placement));
  };
  hooks.closing = [this](const Closing& closing) { send_to_writers(closing.file.file, encode(closing)); };
  hooks.progress = [this](const Progress& progress) {
    send_to_writers(progress.file.file, encode(progress));
  };
  hooks.published = [this](const PublishedFile& file) {
    for (const std::string& missing : file.missing) {
      errors_.push_back(file.path + ": filled with missing values: " + missing);
      log::warning(errors_.back());
    }
    log::info("published " + file.path + " (" + std::to_string(file.records) +
              (file.records == 1 ? " record)" : " records)"));
    published_.push_back(file);
    if (tell_) tell_published(file);
    if (tell_published_) tell_published_(file);
  };
  hooks.cut = [this](const Cut& cut) { send_to_writers(cut.file.file, encode(cut)); };
  hooks.kept = [this](std::int64_t step, std::vector<StateEntry> entries) {
    if (kept_ != nullptr)
      kept_->keep(step, std::move(entries), stopped_.empty() ? "" : "the run is stopped: " + stopped_);
  };
  hooks.full = [this](FilePeriod file, const std::string& why) { stop_if_wanted(file, why); };
  hooks.failed = [this](FilePeriod file, const std::string& error) {
    log::error(error);
    errors_.push_back(error);
    if (tell_) tell_skipped(file, error);
  };
  return hooks;
}

double Publishing::through_s(FileId file) {
  return series_.at(file).progress.through_s(owner_.published_through(file));
}

void Publishing::tell_published(const PublishedFile& file) {
  Event event;
  event.kind = Event::Kind::published;
  event.file = file.key.file;
  event.period = file.key.period;
  event.records = file.records;
  event.first_record_s = file.first_record_s;
  event.last_record_s = file.last_record_s;
  event.complete_through_s = through_s(file.key.file);
  event.lasted_s = file.latency_s;
  event.path = file.path;
  event.publication = file.publication;
  for (const std::string& missing : file.missing) event.text += (event.text.empty() ? "" : "; ") + missing;
  event.server = self_;
  series_.at(file.key.file).through_s = event.complete_through_s;
  tell_(event);
}

Event Publishing::event_of(Event::Kind kind, FilePeriod file) const {
  Event event;
  event.kind = kind;
  event.file = file.file;
  event.period = file.period;
  event.path = owner_.final_path(file);
  event.server = self_;
  return event;
}

void Publishing::tell_skipped(FilePeriod file, const std::string& why) {
  Event event = event_of(Event::Kind::skipped, file);
  event.text = why;
  tell_(event);
}

/// What the run before could not write lacks in this one too.
void Publishing::tell_skipped_before() {
  for (const auto& [file, told] : series_) {
    const auto series = continued_.series.find(file);
    if (series == continued_.series.end()) continue;
    for (const auto& [first, last] : series->second.failed.ranges()) {
      for (std::int64_t period = first; period <= last; ++period)
        tell_skipped({file, period}, "it could not be written before the step after which the run goes on");
    }
  }
}

/// Of series that have got further without a file of their own.
void Publishing::tell_progress() {
  if (!tell_) return;
  for (auto& [file, told] : series_) {
    const double now_s = through_s(file);
    if (!(now_s > told.through_s)) continue;
    told.through_s = now_s;
    Event event;
    event.kind = Event::Kind::progressed;
    event.file = file;
    event.complete_through_s = now_s;
    event.server = self_;
    tell_(event);
  }
}

PartWriter::Hooks Publishing::writer_hooks() {
  PartWriter::Hooks hooks;
  hooks.post = [this](Task task) { strand_.post(std::move(task)); };
  hooks.done = [this](const PartsDone& done) { messages_.send(plan_[done.file.file].owner, encode(done)); };
  hooks.cut_synced = [this](const CutSynced& synced) {
    messages_.send(plan_[synced.file.file].owner, encode(synced));
  };
  hooks.temporary_path = [this](FilePeriod key) { return owner_.temporary_path(key); };
  hooks.region_of = [this](VariableId variable, ClientRank client) {
    return regions_[client][plan_[variable].value.index];
  };
  hooks.work = [this](Task task) { workers_.submit(std::move(task)); };
  hooks.pack = [this](VariableId id, const Region& chunk, const std::vector<Record>& parts) {
    const Storage& storage = plan_[id].storage;
    return pack_chunk(format_, parts, file_form(plan_, id), chunk, {storage.deflate, storage.is_shuffled});
  };
  hooks.packed = [this](PackedPart part) {
    const ServerRank owner = plan_[part.file.file].owner;
    if (owner != self_) return messages_.send(owner, encode(part));
    owner_.packed(std::move(part));
  };
  return hooks;
}

void Publishing::send_to_writers(FileId file, const Bytes& frame) {
  for (ServerRank writer : writers_of(file)) messages_.send(writer, frame);
}

std::map<std::string, RunReport::Absences> Publishing::absences() const {
  std::map<std::string, RunReport::Absences> named;
  for (const auto& [id, absence] : absent_)
    named[plan_[plan_[id].file].name + ": " + plan_[id].name] = absence;
  return named;
}

void Publishing::add(Record record, ClientRank client) {
  if (is_continued_ && !take_over(record)) return;
  if (!record.value || record.absent_samples > 0) {
    strand_.post([this, variable = record.variable, samples = record.absent_samples,
                  has_value = record.value.has_value()] {
      RunReport::Absences& absent = absent_[variable];
      if (!has_value) {
        ++absent.parts;
      } else {
        ++absent.partial_parts;
        absent.samples += samples;
      }
    });
  }
  const Variable& variable = plan_[record.variable];
  if (variable.storage.deflate > 0) return deal_chunks(std::move(record), client);
  const ServerRank owner = plan_[variable.file].owner;
  const bool is_ours = plan_[variable.value].spread == Spread::distributed && !owners_write_all_;
  if (!is_ours && owner != self_) {
    const std::uint64_t room = lend(record.ballast);
    messages_.send(owner, encode(Part{std::move(record), client, 0, room}));
    return;
  }
  auto shared = std::make_shared<Record>(std::move(record));
  strand_.post([this, shared, client] { writer_.add(std::move(*shared), client); });
}

void Publishing::add_static(Record record, ClientRank client) {
  const ServerRank owner = plan_[plan_.statics[record.variable.index].file].owner;
  if (owner != self_)
    return messages_.send(owner, encode(Part{std::move(record), client}, ServerFrame::static_part));
  auto shared = std::make_shared<const Record>(std::move(record));
  strand_.post([this, shared, client] { owner_.add_static(*shared, client); });
}

/// Until the server that writes the part says that it does not keep it any more.
std::uint64_t Publishing::lend(std::shared_ptr<const void> room) {
  if (!room) return 0;
  const std::uint64_t number = ++lent_count_;
  strand_.post([this, number, room = std::move(room)] { lent_.emplace(number, room); });
  return number;
}

/// The record as the files of this run count it; false: its file failed in the run before.
bool Publishing::take_over(Record& record) const {
  const Variable& variable = plan_[record.variable];
  const FilePeriod file{variable.file, record.mark.period};
  const auto& schedules = plan_[variable.file].schedules;
  const auto axis = std::ranges::find(schedules, variable.schedule) - schedules.begin();
  record.mark.record = continued_.record_in_file(file, static_cast<std::size_t>(axis), record.mark.record);
  return !continued_.has_failed(file);
}

/// To each chunk what lies in it: here the part as it is, for other servers cut out of it.
void Publishing::deal_chunks(Record record, ClientRank client) {
  const FileForm form = file_form(plan_, record.variable);
  const std::vector<Packing::Chunk>& chunks = packing_.chunks(record.variable);
  strand_.post([this, variable = record.variable, mark = record.mark, room = record.ballast] {
    rooms_.hold(variable, mark, room);
  });
  std::vector<std::uint32_t> here;
  for (std::uint32_t c = 0; c < chunks.size(); ++c) {
    if (!packing_.has_part(record.variable, c, client)) continue;
    if (chunks[c].packer == self_) {
      here.push_back(c);
    } else {
      messages_.send(chunks[c].packer,
                     encode(Part{cut_for_chunk(record, form, chunks[c].region), client, c}));
    }
  }
  if (here.empty()) return;
  auto shared = std::make_shared<Record>(std::move(record));
  strand_.post([this, shared, client, here = std::move(here)] {
    for (std::uint32_t c : here) writer_.add(*shared, client, c);
  });
}

void Publishing::end_client(ClientRank client) {
  strand_.post([this, client] {
    writer_.end_client(client);
    owner_.client_ended(client);
  });
  if (!owners_write_all_ && !has_packed_ && plan_.statics.empty()) return;
  Bytes frame;
  Encoder out(frame);
  out.put(ServerFrame::client_end);
  out.put(client);
  for (ServerRank server = 0; server < plan_.layout.servers; ++server) {
    if (server != self_) messages_.send(server, frame);
  }
}

void Publishing::advance(const Step& step, double start_time_s) {
  strand_.post([this, step, start_time_s] {
    owner_.advance(step, start_time_s);
    if (!tell_) return;
    if (!std::exchange(has_begun_, true)) tell_skipped_before();
    for (auto& [file, told] : series_) told.progress.advance(step, start_time_s);
    tell_progress();
  });
}

void Publishing::end_clock() {
  strand_.post([this] {
    owner_.finish();
    tell_progress();
  });
}

}  // namespace pileus
