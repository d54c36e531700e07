#include "publishing/publishing.h"

#include <algorithm>
#include <utility>

#include "publishing/owner/learned_bits.h"
#include "publishing/owner/rebuild.h"
#include "publishing/owner/selected_records.h"

namespace pileus {
namespace {

std::optional<FullDisks> trials_of(const Plan& plan, const Publishing::Trials* trials,
                                   FullDiskTeller& teller) {
  if (trials == nullptr) return std::nullopt;
  return FullDisks{plan, trials->pauses, trials->patience, trials->library, trials->writers, teller};
}

}  // namespace

ContinuedFiles files_of(const Plan& plan, const Continuation& continuation, const std::string& directory,
                        FileSystem& files, const std::map<VariableId, std::string>& holes) {
  ContinuedFiles continued = continued_files(plan, continuation.entries, continuation.step, holes);
  continued.publications = publications_of(files, directory, continuation.identity,
                                           continuation.manifest.attempt, continuation.step.index);
  continued.learned = learned_bits(plan, continuation.entries);
  for (const auto& [key, records] : continued.begun)
    continued.compared[key] = compared_chunks(continuation.entries, plan[key.file], key.period);
  find_published_names(continued, plan, directory, files);
  find_replaced(continued, plan, directory, files);
  return continued;
}

Publishing::Publishing(const Plan& plan, const RunDescription& run, ServerRank self, Lanes lanes,
                       Messages& messages, FileSystem& files, FileFormat& format,
                       const Continuation* continued, StateSink* kept)
    : plan_(plan),
      files_(files),
      format_(format),
      messages_(messages),
      shares_(plan, self, run.owners_write_all, format),
      names_(plan, run.identity, run.directory),
      is_continued_(continued != nullptr),
      continued_(continued ? files_of(plan, *continued, run.directory, files, shares_.holes())
                           : ContinuedFiles()),
      kept_(kept),
      strand_(lanes.workers),
      library_(lanes.library),
      events_(self, names_),
      full_disks_(plan, names_, events_),
      trials_(trials_of(plan, lanes.trials, full_disks_)),
      held_(plan),
      lent_(strand_),
      absences_(plan),
      static_sender_(plan, messages),
      static_turns_(messages),
      here_(strand_, owner_, writer_, held_, static_sender_, static_turns_),
      post_(plan, shares_, messages, here_),
      mail_(plan, shares_, messages, lent_, here_),
      book_(plan, self, names_, shares_.writers(), owner_means(lanes.writers), shares_.holes(),
            is_continued_ ? &continued_ : nullptr),
      news_(plan, self, owner_, events_, continued_),
      owner_(book_, owner_means(lanes.writers), post_, *this),
      writer_(plan, shares_.share(continued_), names_, writer_means(lanes), post_) {
  last_step_ = continued_.after.index;
  require_records_before();
  continued_.statics.clear();  // each owner has its own
}

OwnerMeans Publishing::owner_means(Executor& writers) {
  return {files_, format_, strand_, library_, writers, full()};
}

WriterMeans Publishing::writer_means(const Lanes& lanes) {
  return {files_, format_, strand_, lanes.workers, lanes.writers, full()};
}

/// Checks the records before of the files that this server goes on with.
void Publishing::require_records_before() const {
  for (const auto& [key, state] : continued_.under_way) {
    if (plan_[key.file].owner != shares_.self() || state.records.empty()) continue;
    std::string source;
    try {
      source = source_of(files_, names_.directory(), state, continued_.after.index);
    } catch (const OutputError&) {
      continue;  // server 0 has refused that; what goes since then fails with its file
    }
    try {
      require_records(files_, source, state);
    } catch (const OutputError& error) {
      throw TransportError(error.what());
    }
  }
}

void Publishing::lost(FilePeriod file, const DiskFailure& why) {
  const bool is_stopping = plan_[file.file].when_full == WhenFull::stop && stopped_.empty();
  if (why.is_full && is_stopping) {
    // A state that is kept from here on would call files lost that a run which continues can still write.
    stopped_ = why.text;
    stop_run_(why.text);
    strand_.post([this] { owner_.stop(); });
  }
  news_.lost(file, why.text);
}

void Publishing::kept(std::int64_t step, std::vector<StateEntry> entries) {
  if (kept_ == nullptr) return;
  std::string why_not = stopped_.empty() ? "" : "the run is stopped: " + stopped_;
  if (why_not.empty() && !keeps_losses_ && !news_.errors().empty())
    why_not = "a file is lost, which is made again after the checkpoint before: " + news_.errors().front();
  kept_->keep(step, std::move(entries), std::move(why_not));
}

void Publishing::stop(const std::string& why) {
  strand_.post([this, why] {
    if (stopped_.empty()) stopped_ = why;
    owner_.stop();
  });
}

void Publishing::add(Records records, ClientRank client) {
  Records here;
  here.reserve(records.size());
  for (Record& record : records) {
    if (is_continued_ && !take_over(record)) continue;
    note_absence(record);
    const Variable& variable = plan_[record.variable];
    for (const VariableId coarser : variable.coarser) {
      Record part = record;
      part.variable = coarser;
      deal_chunks(std::move(part), client);
    }
    if (shares_.is_dealt(record.variable)) {
      deal_chunks(std::move(record), client);
    } else if (shares_.is_written_here(record.variable)) {
      here.push_back(std::move(record));
    } else {
      const std::uint64_t number = lent_.lend(record.ballast);
      messages_.send(plan_[variable.file].owner, encode(Part{std::move(record), client, 0, number}));
    }
  }
  if (!here.empty()) here_.parts(std::move(here), client);
}

void Publishing::note_absence(const Record& record) {
  if (record.value && record.absent_samples == 0) return;
  strand_.post([this, variable = record.variable, samples = record.absent_samples,
                has_value = record.value.has_value()] { absences_.add(variable, has_value, samples); });
}

void Publishing::add_static(Record record, ClientRank client) {
  const ServerRank owner = plan_[plan_.statics[record.variable.index].file].owner;
  Part part{std::move(record), client};
  if (owner == shares_.self()) return here_.static_part(std::move(part), owner);
  strand_.post([this, part = std::move(part)]() mutable { static_sender_.send(std::move(part)); });
}

/// The record as the files of this run count it; false: its file is over.
bool Publishing::take_over(Record& record) const {
  const Variable& variable = plan_[record.variable];
  const FilePeriod file{variable.file, record.mark.period};
  const auto& schedules = plan_[variable.file].schedules;
  const auto axis = std::ranges::find(schedules, variable.schedule) - schedules.begin();
  record.mark.record = continued_.record_in_file(file, static_cast<std::size_t>(axis), record.mark.record);
  return !continued_.is_over(file);
}

/// To each chunk or slab what lies in it: here the part as it is, for other servers cut out of it.
void Publishing::deal_chunks(Record record, ClientRank client) {
  const ValueLayout layout = value_layout(plan_, record.variable);
  const Packing& packing = *shares_.packing();
  const std::vector<std::uint32_t> with_part = packing.chunks_with(record.variable, client);
  // What lies in no chunk may come after its record is in the file: nothing would give its memory back.
  if (with_part.empty()) return;
  // The owner says nothing of what lies in parts or slabs: who writes them gives memory back.
  const bool is_lent =
      is_in_parts(plan_, record.variable) || !plan_[record.variable].storage.compression.is_packed();
  if (!is_lent)
    strand_.post([this, variable = record.variable, mark = record.mark, memory = record.ballast] {
      held_.hold(variable, mark, memory);
    });
  for (const std::uint32_t c : with_part) {
    const Packing::Chunk& chunk = packing.chunks(record.variable)[c];
    if (chunk.packer == shares_.self()) {
      here_.part({record, client, c});
    } else {
      const std::uint64_t number = is_lent ? lent_.lend(record.ballast) : 0;
      messages_.send(chunk.packer,
                     encode(Part{slice_for_chunk(record, layout, chunk.region), client, c, number}));
    }
  }
}

void Publishing::end_client(ClientRank client) {
  here_.client_end(client);
  strand_.post([this, client] {
    for (const ServerRank server : shares_.told_of_end(client)) static_sender_.end_client(client, server);
  });
}

void Publishing::advance(const Step& step, double start_time_s, DroppedAxes dropped) {
  strand_.post([this, step, start_time_s, dropped = std::move(dropped)] {
    last_step_ = step.done();
    owner_.advance(step, start_time_s, dropped);
    news_.advance(step, start_time_s);
  });
}

void Publishing::end_clock() {
  strand_.post([this] {
    names_.end(last_step_);
    owner_.finish();
    news_.tell_progress();
  });
}

void Publishing::tell_waits(const std::shared_ptr<Waits>& waits) {
  waits->expect();
  strand_.post([this, waits] {
    add_file_waits(*waits);
    for (Wait& wait : writer_.waits()) waits->add(Waits::About::parts, std::move(wait));
    for (Wait& wait : owner_.cut_waits()) waits->add(Waits::About::checkpoints, std::move(wait));
    full_disks_.add_to(*waits);
    waits->answered();
  });
}

/// Files that are due are one subject for each series; others wait by themselves.
void Publishing::add_file_waits(Waits& waits) const {
  std::map<FileId, Wait> due;
  for (const FileWait& wait : owner_.waits()) {
    const auto [file, period] = wait.file;
    std::string text = wait.silent.empty() ? wait.text : wait.text + numbered("server", wait.silent);
    Wait& of_series = due[file];
    if (!wait.is_due || (!of_series.numbers.empty() && of_series.numbers.back() == period)) {
      waits.add(Waits::About::files, {wait.text, {period}, std::move(text)});
      continue;
    }
    if (of_series.numbers.empty()) of_series = {plan_[file].name, {}, std::move(text), file};
    of_series.numbers.push_back(period);
  }
  for (auto& [file, wait] : due) {
    const std::size_t later = wait.numbers.size() - std::min<std::size_t>(1, wait.numbers.size());
    if (later > 0)
      wait.text += ", and " + std::to_string(later) + (later == 1 ? " later file" : " later files");
    if (!wait.numbers.empty()) waits.add(Waits::About::files, std::move(wait));
  }
}

std::vector<std::string> Publishing::open_texts() const {
  std::vector<std::string> texts = owner_.open_texts();
  for (std::string& text : writer_.open_texts()) texts.push_back(std::move(text));
  return texts;
}

}  // namespace pileus
