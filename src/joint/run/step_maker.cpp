#include "joint/run/step_maker.h"

#include <filesystem>

#include "core/error.h"

namespace pileus {

StepMaker::StepMaker(const JointSettings& settings, const Steps& steps, std::vector<RecordGroup>& groups)
    : settings_(settings), steps_(steps), groups_(groups) {}

void StepMaker::begin(const std::string& run, const std::map<std::string, std::string>& options,
                      const FileClock& clock) {
  AttachedPlace place;
  place.make_host = [](const HostSettings& host, Endpoint& endpoint) {
    return std::unique_ptr<ServerHost>(make_server_host(host, endpoint));
  };
  place.polls_file_library = true;
  place.configuration = settings_.configuration;
  place.directory = settings_.directory;
  place.component = settings_.component;
  place.run = run;
  place.is_quiet = settings_.is_quiet;
  host_ = std::make_unique<AttachedHost>(std::move(place));
  client_ = std::make_unique<Client>(host_->client_endpoint(), host_->server_peer(), 0);
  for (const auto& [key, value] : options) client_->option(key, value);
  client_->calendar(clock.calendar, clock.epoch);
  KnownDimensions dimensions;
  for (RecordGroup& group : groups_) group.register_with(dimensions, *client_);
  if (steps_.after) client_->continue_after(steps_.after->index);
  client_->commit();
}

/// The state before the last step of all is kept, so that a job which goes on later makes another last step.
Step StepMaker::step(std::size_t number) const {
  const bool is_first = number == steps_.first && !steps_.after;
  const double before = number > steps_.first ? steps_.times[number - 1].time_s
                        : steps_.after        ? steps_.after->time
                                              : 0;
  const double time_s = steps_.times[number].time_s;
  return {steps_.index_of(number), time_s, is_first ? first_length(steps_.times) : time_s - before};
}

void StepMaker::make(std::size_t number) {
  const bool is_last = number + 1 == steps_.end;
  if (steps_.is_kept(number) || is_last) settle();
  hand_over(number);
  if (!steps_.is_kept(number)) return;
  settle();
  const std::filesystem::path kept =
      checkpoint_folder({settings_.directory, settings_.component}, steps_.index_of(number));
  if (!std::filesystem::exists(kept)) throw OutputError(kept.string() + ": it could not be written");
}

void StepMaker::hand_over(std::size_t number) {
  Step step = this->step(number);
  const bool is_last = number + 1 == steps_.times.size() && steps_.is_final;
  const bool is_due = steps_.is_kept(number) || client_->checkpoint_due(step) != Due::no;
  step.is_checkpoint = !is_last && is_due ? 1 : 0;
  client_->begin(step, is_last);
  auto record = steps_.times[number].records.begin();
  for (RecordGroup& group : groups_) {
    const auto axes = static_cast<std::ptrdiff_t>(group.times().size());
    group.put({record, record + axes}, *client_);
    record += axes;
  }
  client_->end();
}

void StepMaker::settle() {
  client_->flush();
  const std::string errors = host_->settle();
  if (!errors.empty()) throw OutputError(errors);
}

void StepMaker::finish() {
  client_->finish();
  client_.reset();
  host_.reset();
}

void StepMaker::leave() {
  (void)client_.release();
  (void)host_.release();
}

}  // namespace pileus
