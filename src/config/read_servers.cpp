#include "config/read_servers.h"

#include "config/components.h"
#include "config/messages.h"
#include "config/values.h"

namespace pileus {

std::optional<ServerCount> read_servers(const ElementReader& servers) {
  int given = 0;
  for (const char* attribute : {"ratio", "per_node", "per_socket", "per_numa", "total"})
    given += servers.is_given(attribute);
  if (given != 1) {
    servers.error(
        servers.where(),
        "servers needs one of the attributes \"ratio\", \"per_node\", \"per_socket\", \"per_numa\" and "
        "\"total\"" +
            std::string(given == 0 ? "" : ", and no second one"));
    return std::nullopt;
  }
  const ServerCount count{servers.integer("ratio").value_or(0), servers.integer("per_node").value_or(0),
                          servers.integer("total").value_or(0), servers.integer("per_socket").value_or(0),
                          servers.integer("per_numa").value_or(0)};
  return count.is_given() ? std::optional(count) : std::nullopt;
}

CheckpointConfig read_checkpoint(const ElementReader& checkpoint) {
  CheckpointConfig out;
  out.keep = checkpoint.integer("keep").value_or(out.keep);
  out.steps = checkpoint.integer("steps").value_or(0);
  out.frequency = checkpoint.duration("frequency").value_or(Duration{});
  out.wall_time_s = checkpoint.duration("wall_time").value_or(Duration{}).seconds;
  if (checkpoint.is_usable("signals")) out.signals = split_words(checkpoint.text("signals").value);
  return out;
}

namespace {

/// Nothing where `part`, the root or a component, does not ask.
std::optional<ServerCount> count_in(const XmlElement& part, Reading& reading) {
  std::optional<ServerCount> count;
  for (const XmlElement& section : part.children) {
    const ElementSchema* schema = find_schema("io-configuration", section.name);
    if (schema == nullptr || section.name != "server-configuration") continue;
    const ElementReader server(reading, section, *schema);
    for (const ElementReader& servers : server.children("servers")) {
      if (const auto read = read_servers(servers)) count = read;
    }
  }
  return count;
}

}  // namespace

ServerCount read_server_count(std::string_view text, const std::string& file_name, const Dialects& dialects,
                              const std::string& component) {
  const Options no_options;
  for (const Dialect& one : dialects.known) {
    if (one.is_in(text, no_options)) return {};
  }
  Findings findings, of_components;
  const XmlDocument document(text, file_name, findings);
  const Catalogue no_rules;
  Reading reading{&document, no_rules, no_options, false, findings};
  ServerCount count;
  if (document.root()) {
    count = count_in(*document.root(), reading).value_or(count);
    // A component that is not there is reported with everything else.
    const XmlElement* const part = chosen_component(document, component, true, of_components);
    if (part != nullptr) count = count_in(*part, reading).value_or(count);
  }
  if (findings.has_errors()) throw ConfigError(findings.errors());
  return count;
}

void check_spill(const Config& config, Findings& findings) {
  bool is_asked_for = false;
  for (const FileConfig& file : config.files) {
    if (file.when_memory_full != WhenMemoryFull::spill) continue;
    is_asked_for = true;
    if (config.spill || config.is_broken_off) continue;
    findings.error(file.where, "file " + in_quotes(file.name.value) +
                                   " has when_memory_full=\"spill\", which needs a folder on a disk of "
                                   "each server's own: give <memory spill_directory=\"/...\">");
  }
  if (!config.spill || is_asked_for || config.is_broken_off) return;
  findings.error(config.spill->directory.where,
                 "spill_directory is given, but no file has when_memory_full=\"spill\"");
}

}  // namespace pileus
