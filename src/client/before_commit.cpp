// What a model rank may call before commit: it registers, and asks what the configuration wants.

#include "client/client.h"
#include "core/error.h"

namespace pileus {

void Client::option(std::string key, std::string value) {
  require_order(Call::option, state_);
  registration_.option(std::move(key), std::move(value));
}

void Client::dimension(ModelDimension dimension) {
  require_order(Call::dimension, state_);
  registration_.dimension(std::move(dimension));
}

void Client::dimension_bounds(const std::string& name, std::vector<double> bounds) {
  require_order(Call::dimension_bounds, state_);
  registration_.dimension_bounds(name, std::move(bounds));
}

void Client::points(ModelPoints points, const Extents& counts, const Index* indices) {
  require_order(Call::points, state_);
  registration_.points(std::move(points), counts, indices);
}

void Client::calendar(const std::string& calendar, const std::string& epoch) {
  require_order(Call::calendar, state_);
  registration_.calendar(calendar, epoch);
}

void Client::continue_after(std::int64_t step) {
  require_order(Call::continue_after, state_);
  registration_.continue_after(step);
}

void Client::count_anew() {
  require_order(Call::count_anew, state_);
  counts_anew_ = true;
}

int Client::field(ModelField field) {
  require_order(Call::field, state_);
  return registration_.field(std::move(field));
}

int Client::text_field(ModelField field, Index length) {
  require_order(Call::field, state_);
  return registration_.text_field(std::move(field), length);
}

int Client::map_field(std::string name, Index length, const std::string& dimension) {
  require_order(Call::field, state_);
  return registration_.map_field(std::move(name), length, dimension);
}

void Client::field_metadata(int field, ModelMetadata metadata) {
  require_order(Call::field_metadata, state_);
  require_field(Call::field_metadata, field);
  registration_.field_metadata(field, std::move(metadata));
}

void Client::static_field(int field) {
  require_order(Call::static_field, state_);
  require_field(Call::static_field, field);
  registration_.static_field(field);
}

Wants Client::wants() {
  require_order(Call::wants, state_);
  RankDescription options;
  options.options = registration_.description().options;
  state_ = RunState::wants_failed;  // holds where no answer arrives
  send_description(FrameKind::question, options);
  auto answer = link_.wait_for_wants();
  state_ = RunState::registering;
  if (const auto* mistakes = std::get_if<NoWants>(&answer)) throw RefusedError(mistakes->text);
  return std::get<Wants>(std::move(answer));
}

}  // namespace pileus
