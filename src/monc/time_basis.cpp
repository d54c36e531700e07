// The options time_basis and force_output_on_interval of the newer fork. With the first, its model steps onto
// whole seconds at which something is due, and what counts steps elsewhere counts seconds.

#include "config/messages.h"
#include "config/values.h"
#include "monc/translate.h"

namespace pileus::monc {
namespace {

class Seconds {
 public:
  explicit Seconds(const Translation& translation) : in_(translation) {}

  void count() {
    const std::vector<XmlElement*> all = children(in_.root, "data-definition");
    if (all.empty()) return;
    in_.findings().note(in_.text.where(all.front()->at),
                        "with the option time_basis the frequency of a data-definition and "
                        "write_timestep_frequency are in seconds of model time");
    for (XmlElement* data : all) take_seconds(*data);
    for (XmlElement* writing : children(in_.root, "data-writing")) {
      for (XmlElement* file : children(*writing, "file")) take_time(*file);
    }
  }

 private:
  /// 0 means only the end of the run, in steps and in seconds.
  bool is_number(const XmlAttribute& attribute) const {
    const std::string value = in_.resolved(attribute);
    return value.find('{') != value.npos || parse_integer(value, 1);
  }

  void take_seconds(XmlElement& data) {
    XmlAttribute* const frequency = find_attribute(data, "frequency");
    if (frequency && is_number(*frequency)) frequency->value = std::string(trimmed(frequency->value)) + " s";
  }

  void take_time(XmlElement& file) {
    XmlAttribute* const steps = find_attribute(file, "write_timestep_frequency");
    if (!steps || file.find("write_time_frequency") || !is_number(*steps)) return;
    steps->name = "write_time_frequency";
    in_.findings().note(in_.where(*steps), "this file is named by its time here; MONC names it by its step");
  }

  const Translation& in_;
};

bool is_on(const Translation& translation, const char* key) {
  if (translation.fork != Fork::epcc) return false;
  const DialectReading& reading = translation.reading;
  if (reading.asks_for) reading.asks_for(key);
  const auto option = reading.options.find(key);
  return option != reading.options.end() && is_true(option->second);
}

}  // namespace

bool lands_on_output(const Translation& translation) {
  const bool is_in_seconds = is_on(translation, kTimeBasis);
  return is_on(translation, kForceOutput) || is_in_seconds;
}

void count_in_seconds(const Translation& translation) {
  if (is_on(translation, kTimeBasis)) Seconds(translation).count();
}

}  // namespace pileus::monc
