#include "server/testing/output_run.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "messaging/frames.h"
#include "plan/held_regions.h"
#include "server/testing/published_bytes.h"
#include "server/testing/simulated_run.h"
#include "server/testing/small_model.h"

namespace pileus::testing {
namespace {

ModelDescription model_of(const OutputSetting& setting) {
  ModelDescription model;
  for (ClientRank rank = 0; rank < setting.clients; ++rank) {
    Region plane = part_of_plane(kNy, kNx, rank, setting.clients, rank % 2 == 1);
    if (setting.clients > 1) plane = part_of_plane(kNy, kNx, rank, setting.clients, false);
    plane.count[1] = std::clamp<Index>(setting.held_x - plane.start[1], 0, plane.count[1]);
    RankDescription description;
    description.dimensions = {{"z", kNz, {10, 20, 30}, "m"}, {"y", kNy, {}, ""}, {"x", kNx, {}, ""}};
    const Region volume{{0, plane.start[0], plane.start[1]}, {kNz, plane.count[0], plane.count[1]}};
    description.fields = {{"w", ElementType::float64, {"z", "y", "x"}, volume},
                          {"vwp", ElementType::float64, {"y", "x"}, plane},
                          {"dt", ElementType::float64, {}, {}}};
    model.ranks.push_back(std::move(description));
  }
  return model;
}

/// The value of the variable at these global indices and this time.
Array values_of(const std::string& name, const Region& region, double time_s) {
  double seed = time_s;
  for (char letter : name) seed += letter;
  std::vector<double> values;
  const Index size = region.size();
  for (Index i = 0; i < size; ++i) {
    Index rest = i;
    double place = 0;
    for (int d = 0; d < region.rank(); ++d) {
      place = place * 37 + static_cast<double>(region.start[d] + rest % region.count[d]);
      rest /= region.count[d];
    }
    values.push_back(std::sin(place) * 1000 + seed);
  }
  return make_array(std::move(values), region.count);
}

}  // namespace

/// One server's letters to others, and the states that it keeps.
class OutputRun::Post : public Messages, public StateSink {
 public:
  Post(OutputRun& run, ServerRank from) : run_(run), from_(from) {}
  void send(ServerRank to, Bytes frame) override {
    if (to == from_) ++run_.letters_to_self_;
    run_.letters_[{from_, to}].push_back(std::move(frame));
    run_.executor_.submit([this, to] { run_.deliver(from_, to); });
  }
  void keep(std::int64_t step, std::vector<StateEntry> entries, std::string error) override {
    ++run_.said_[{step, from_}];
    if (!error.empty()) run_.kept_errors_.push_back(error);
    run_.kept_[step][from_] = encode_part(entries);
  }

 private:
  OutputRun& run_;
  ServerRank from_;
};

OutputRun::OutputRun(OutputSetting setting)
    : setting_(std::move(setting)), executor_(setting_.seed), random_(setting_.seed + 1) {
  RunDescription run;
  run.configuration_name = "run.xml";
  run.configuration_text = setting_.configuration;
  run.model = model_of(setting_);
  run.identity = {"abc", "begun once", setting_.attempt};
  run.directory = setting_.directory;
  run.owners_write_all = setting_.owners_write_all;
  if (setting_.continued) {
    continuation_.emplace();
    continuation_->identity = run.identity;
    continuation_->step = setting_.steps.at(static_cast<std::size_t>(setting_.continued_after - 1));
    continuation_->entries = *setting_.continued;
  }
  for (ServerRank self = 0; self < setting_.servers; ++self) {
    Server& server = servers_.emplace_back();
    Findings findings;
    server.planned = std::make_unique<PlannedRun>(plan_run(run, setting_.servers, findings));
    for (PlannedFile& file : server.planned->plan.files) file.on_disk.slab_bytes = setting_.slab_bytes;
    RankRegions& regions = server.planned->plan.regions;
    for (std::size_t rank = 0; rank < regions.size(); ++rank) {
      for (std::size_t field = 0; field < regions[rank].size(); ++field) {
        Region region = regions[rank][field];
        if (region.rank() == 0) continue;
        region.count.back() =
            std::clamp<Index>(setting_.made_x - region.start.back(), 0, region.count.back());
        regions.set(rank, field, region);
      }
    }
    FileSystem* const own = setting_.files_of ? setting_.files_of(self) : nullptr;
    server.files = std::make_unique<FolderFiles>(own ? *own : *posix_);
    server.format = all_formats(*server.files, setting_.largest_packed_bytes);
    auto post = std::make_unique<Post>(*this, self);
    StateSink& states = *post;
    server.post = std::move(post);
    server.publishing = std::make_unique<Publishing>(
        server.planned->plan, run, self, Publishing::Lanes{executor_, executor_, executor_}, *server.post,
        *server.files, *server.format, continuation_ ? &*continuation_ : nullptr, &states);
  }
}

OutputRun::~OutputRun() = default;

void OutputRun::deliver(ServerRank from, ServerRank to) {
  auto& letters = letters_.at({from, to});
  const Bytes frame = std::move(letters.front());
  letters.pop_front();
  take(to, from, frame);
}

void OutputRun::take(ServerRank to, ServerRank from, const Bytes& letter) {
  FileMail& mail = servers_[to].publishing->mail();
  const auto frame = std::make_shared<const Bytes>(letter);
  Decoder in(*frame);
  const auto kind = in.get<ServerFrame>();
  if (Decoder again = in; kind == ServerFrame::part && decode_part(again, frame).lent != 0) ++parts_lent_;
  parts_returned_ += kind == ServerFrame::part_written ? 1 : 0;
  switch (kind) {
    case ServerFrame::client_end: return mail.take_client_end(in);
    case ServerFrame::placement: return mail.take_placement(in);
    case ServerFrame::progress: return mail.take_progress(in);
    case ServerFrame::part: return mail.take_part(from, in, frame);
    case ServerFrame::static_part: return mail.take_static_part(from, in, frame);
    case ServerFrame::static_offer: return mail.take_static_offer(from, in);
    case ServerFrame::static_turn: return mail.take_static_turn(in);
    case ServerFrame::part_written: return mail.take_part_written(in);
    case ServerFrame::closing: return mail.take_closing(in);
    case ServerFrame::packed_part: return mail.take_packed(in);
    case ServerFrame::parts_done: return mail.take_parts_done(from, in);
    case ServerFrame::cut: return mail.take_cut(in);
    case ServerFrame::cut_synced: return mail.take_cut_synced(in);
    default: throw TransportError("a frame that is not of the output");
  }
}

bool OutputRun::turn(std::size_t tasks) {
  for (std::size_t i = 0; i < tasks && !was_killed_ && executor_.run_one(); ++i) {
    was_killed_ = is_killed_ && is_killed_();
  }
  return !was_killed_;
}

bool OutputRun::is_given(ClientRank client, const Step& step) const {
  const auto last = setting_.last_steps.find(client);
  return last == setting_.last_steps.end() || step.index <= last->second;
}

void OutputRun::add_records(const FileEvent& event, FileId file, const Step& step) {
  const Plan& plan = servers_.front().planned->plan;
  for (VariableId id : plan[file].variables) {
    const Variable& variable = plan[id];
    if (variable.schedule != plan[file].schedules[event.axis]) continue;
    const bool is_distributed = plan[variable.value].spread == Spread::distributed;
    for (ClientRank client = 0; client < (is_distributed ? setting_.clients : 1); ++client) {
      if (!is_given(client, step)) continue;
      executor_.submit([this, id, client, is_distributed, mark = event.mark] {
        const ServerRank server = servers_.front().planned->plan.layout.server_of(client);
        const Plan& here = servers_[server].planned->plan;
        const Region whole{std::vector<Index>(here[id].dimensions.size(), 0), here.extents(here[id].value)};
        const Region region = is_distributed ? regions_of_client(here, client)[here[id].value.index] : whole;
        const auto memory = std::make_shared<char>();
        given_.push_back(memory);
        Record record{id, mark, region, values_of(here[id].name, region, mark.time_s), memory};
        servers_[server].publishing->add({std::move(record)}, client);
      });
    }
  }
}

void OutputRun::end_clients(std::int64_t after_step) {
  for (const auto& [client, last] : setting_.last_steps) {
    if (last > after_step || !ended_.insert(client).second) continue;
    const ServerRank server = servers_.front().planned->plan.layout.server_of(client);
    executor_.run_until_idle();  // as the stream of a client that has ended: nothing of it comes later
    servers_[server].publishing->end_client(client);
  }
}

void OutputRun::feed(const Step& step) {
  const Plan& plan = servers_.front().planned->plan;
  for (std::size_t f = 0; f < plan.files.size(); ++f) {
    const FileId file(f);
    const bool is_new = setting_.continued && setting_.continued->find(kSeriesKind, plan[file].name).empty();
    if (is_new && step.index <= setting_.continued_after) continue;
    const double start_s = is_new ? step.time - step.length : 0;
    const auto timeline = timelines_.try_emplace(file, plan, file, start_s).first;
    for (const FileEvent& event : timeline->second.advance(step)) {
      if (!event.closes && step.index > setting_.continued_after) add_records(event, file, step);
    }
  }
}

void OutputRun::run(const std::function<bool()>& is_killed) {
  is_killed_ = is_killed;
  end_clients(setting_.continued_after);
  for (const Step& step : setting_.steps) {
    feed(step);
    if (step.index <= setting_.continued_after) continue;
    for (Server& server : servers_) {
      server.publishing->advance(step, step.time - step.length);
      if (!turn(random_.below(setting_.tasks_between + 1))) return;
    }
    end_clients(step.index);
    if (was_killed_) return;
  }
  for (auto& [file, timeline] : timelines_) {
    for (const FileEvent& event : timeline.finish()) {
      if (!event.closes) add_records(event, file, setting_.steps.back());
    }
  }
  for (Server& server : servers_) server.publishing->end_clock();
  if (!turn(SIZE_MAX)) return;
}

std::map<std::int64_t, StateEntries> OutputRun::kept() const {
  std::map<std::int64_t, StateEntries> states;
  for (const auto& [step, parts] : kept_) {
    if (parts.size() < servers_.size()) continue;
    for (const auto& [server, part] : parts) {
      for (StateEntry& entry : decode_part(part.bytes, part.summary.directory_bytes))
        states[step].add(std::move(entry));
    }
  }
  return states;
}

std::vector<std::string> OutputRun::errors() const {
  std::vector<std::string> errors = kept_errors_;
  for (const Server& server : servers_) {
    errors.insert(errors.end(), server.publishing->errors().begin(), server.publishing->errors().end());
  }
  return errors;
}

std::vector<std::string> OutputRun::open_texts() const {
  std::vector<std::string> texts;
  for (const Server& server : servers_) {
    for (const std::string& text : server.publishing->open_texts()) texts.push_back(text);
  }
  return texts;
}

std::vector<std::string> OutputRun::published() const {
  std::vector<std::string> names;
  for (const Server& server : servers_) {
    for (const PublishedFile& file : server.publishing->published()) names.push_back(file.path);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::size_t OutputRun::held_of_done() const {
  std::size_t most = 0;
  for (const Server& server : servers_) most = std::max(most, server.publishing->held_of_done());
  return most;
}

std::map<std::string, std::string> files_in(const std::string& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (may_be_published(entry)) files[entry.path().filename()] = published_bytes(entry.path());
  }
  return files;
}

}  // namespace pileus::testing
