#include <sstream>

#include "monc/test_support.h"

namespace pileus::testing {
namespace {

std::ostream& operator<<(std::ostream& out, const Text& text) { return out << '"' << text.value << '"'; }

std::ostream& operator<<(std::ostream& out, const std::vector<Text>& texts) {
  for (const Text& text : texts) out << text << ',';
  return out;
}

std::ostream& operator<<(std::ostream& out, const Metadata& one) {
  return out << one.units << one.units_metadata << one.standard_name << one.long_name;
}

std::ostream& operator<<(std::ostream& out, const StorageConfig& one) {
  return out << one.order << one.precision << one.significant_bits.value_or(-1) << ' '
             << (one.codec ? one.codec->level : -1) << ' ' << one.shuffle;
}

std::ostream& operator<<(std::ostream& out, const Duration& one) {
  return out << one.seconds << " s " << one.months << " months ";
}

void dump(std::ostream& out, const FileConfig& file) {
  out << "file " << file.name << static_cast<int>(file.naming) << ' ' << file.write_time_frequency
      << file.write_timestep_frequency << ' ' << file.write_on_terminate << file.title << file.may_overwrite
      << file.is_of_checkpoints << file.on_publish << file.storage << '\n';
  for (const FileIncludeConfig& one : file.includes)
    out << "  include " << one.field << one.group << one.time_manipulation
        << one.output_frequency.value_or(Duration{}) << one.is_from_last << one.storage << one.scope << '\n';
}

void dump(std::ostream& out, const DiagnosticConfig& one) {
  out << "diagnostic " << one.scope << ' ' << one.field << one.type << one.data_type << one.size
      << one.has_size << one.metadata << one.cell_methods << one.storage << '\n';
  for (const RuleConfig& rule : one.rules) {
    out << "  rule " << rule.is_communication << rule.name << rule.result;
    for (const auto& [key, value] : rule.parameters) out << ' ' << key << '=' << value;
    out << '\n';
  }
}

}  // namespace

std::string dump(const Config& config) {
  std::ostringstream out;
  out << "threads " << config.threads.value_or(0) << " memory " << config.memory_budget_bytes.value_or(0)
      << " broken off " << config.is_broken_off << '\n';
  for (const DataGroupConfig& data : config.data_groups) {
    out << "data " << data.scope << ' ' << data.name << data.frequency.steps << text(data.frequency.every)
        << ' ' << data.send_on_terminate << '\n';
    for (const FieldConfig& field : data.fields)
      out << "  field " << field.name << field.type << field.data_type << field.size << field.has_size
          << field.is_collective << field.parts << field.is_optional << field.metadata << field.storage
          << '\n';
  }
  for (const DiagnosticConfig& one : config.diagnostics) dump(out, one);
  for (const GroupConfig& one : config.groups)
    out << "group " << one.scope << ' ' << one.name << ": " << one.members << '\n';
  for (const FileConfig& one : config.files) dump(out, one);
  return out.str();
}

}  // namespace pileus::testing
