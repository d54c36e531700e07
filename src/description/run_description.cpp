#include "description/run_description.h"

#include <algorithm>

#include "analytics/operators/list.h"
#include "config/read_config.h"
#include "layout/model_metadata.h"
#include "messaging/frames.h"
#include "monc/dialect.h"

namespace pileus {

Bytes RunDescription::encode() const {
  Bytes bytes;
  Encoder out(bytes);
  out.put(ServerFrame::run_description);
  out.put(configuration_name);
  out.put(configuration_text);
  out.put(static_cast<std::uint64_t>(included.size()));
  for (const IncludedFile& file : included) {
    for (const std::string* part : {&file.from, &file.written, &file.name, &file.text}) out.put(*part);
  }
  out.put(static_cast<std::uint64_t>(options.size()));
  for (const auto& [key, value] : options) {
    out.put(key);
    out.put(value);
  }
  model.encode(out);
  out.put(identity.id);
  out.put(identity.history);
  out.put(identity.attempt);
  out.put(identity.component);
  out.put(of_components);
  out.put(directory);
  out.put(owners_write_all);
  out.put(events);
  out.put(served_by);
  out.put(static_cast<std::uint64_t>(kept_statics.size()));
  for (const std::string& name : kept_statics) out.put(name);
  return bytes;
}

RunDescription RunDescription::decode(Decoder& in) {
  RunDescription run;
  run.configuration_name = in.get_text();
  run.configuration_text = in.get_text();
  run.included.resize(in.get_length(32));
  for (IncludedFile& file : run.included) {
    for (std::string* part : {&file.from, &file.written, &file.name, &file.text}) *part = in.get_text();
  }
  for (std::size_t i = in.get_length(16); i > 0; --i) {
    std::string key = in.get_text();
    run.options[key] = in.get_text();
  }
  run.model = ModelRanks::decode(in);
  if (run.model.empty()) throw TransportError("a run is described that has no model");
  run.identity.id = in.get_text();
  run.identity.history = in.get_text();
  run.identity.attempt = in.get<int>();
  run.identity.component = in.get_text();
  run.of_components = in.get<std::uint64_t>();
  if (run.of_components == 0) throw TransportError("a run is described that is no component");
  run.directory = in.get_text();
  run.owners_write_all = in.get<std::uint8_t>() != 0;
  run.events = in.get_text();
  run.served_by = in.get_vector<ServerRank>();
  for (std::size_t i = in.get_length(sizeof(std::uint64_t)); i > 0; --i)
    run.kept_statics.push_back(in.get_text());
  return run;
}

Config config_of(const RunDescription& description, Findings& findings, const FindInclude& find_include,
                 const ReadGrid& read_grid) {
  Config config = read_config(description.configuration_text, description.configuration_name,
                              builtin_catalogue(read_grid), description.options, findings, false,
                              find_include, all_dialects(), description.identity.component);
  if (!config.is_memory_of_component) config.memory_shares = description.of_components;
  return config;
}

PlannedRun plan_run(const RunDescription& description, ServerRank servers, Findings& findings,
                    const FindInclude& find_include, const ReadGrid& read_grid, const OpenInput& open_input) {
  const std::vector<ServerRank>& served_by = description.served_by;
  if (!served_by.empty() && (served_by.size() != description.model.size() || served_by.front() != 0 ||
                             std::ranges::max(served_by) >= servers))
    throw TransportError("a run is described whose model ranks have servers that there are not");
  PlannedRun run;
  run.config = config_of(description, findings,
                         find_include ? find_include : known_includes(description.included), read_grid);
  take_metadata(description.model, run.config, findings);
  run.plan = make_plan(run.config, description.model, servers, findings, served_by);
  if (!findings.has_errors())
    run.inputs = plan_inputs(run.config, clock_of(run.plan.time), open_input, findings);
  if (findings.has_errors()) throw ConfigError(findings.errors());
  return run;
}

}  // namespace pileus
