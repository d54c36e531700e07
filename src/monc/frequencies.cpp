// How often files are written and records are due: MONC's numbers, which of two frequencies counts, and files
// that are never written.

#include <algorithm>

#include "config/messages.h"
#include "config/values.h"
#include "monc/translate.h"

namespace pileus::monc {
namespace {

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

bool is_zero(std::string_view number) {
  return !number.empty() && number.find_first_not_of("0.") == number.npos;
}

class Frequencies {
 public:
  explicit Frequencies(const Translation& translation) : in_(translation) {}

  void translate() {
    for (XmlElement* writing : children(in_.root, "data-writing")) {
      for (XmlElement* file : children(*writing, "file")) {
        keep_one(*file);
        read_time(*file, "write_time_frequency");
        note_steps(*file);
        for (XmlElement* include : children(*file, "include")) read_time(*include, "output_frequency");
      }
      std::erase_if(writing->children, [&](const XmlElement& file) { return is_never_written(file); });
    }
  }

 private:
  void keep_one(XmlElement& file) {
    const XmlAttribute* const steps = file.find("write_timestep_frequency");
    if (!steps || !file.find("write_time_frequency")) return;
    in_.findings().warning(
        in_.where(*steps),
        "write_timestep_frequency is not read, because this file has a write_time_frequency");
    remove_attribute(file, "write_timestep_frequency");
  }

  /// A time that an option gives has a point when MONC reads it.
  void read_time(XmlElement& element, const char* name) {
    XmlAttribute* const time = find_attribute(element, name);
    if (!time) return;
    const std::string value(trimmed(time->value));
    const bool is_of_no_use = in_.resolved(element, "time_manipulation") == "none";
    if (is_digits(value) && !is_zero(value) && !is_of_no_use) {
      in_.findings().note(in_.where(*time), std::string(name) + "=" + in_quotes(value) + " is " + value +
                                                " s here; MONC reads it as " + hundredths(value) +
                                                ", because it has no point: write " + value + ".0");
    }
    const std::size_t exponent = value.find_first_of("dD");
    const bool is_fortrans = exponent != value.npos && exponent > 0 && exponent + 1 < value.size() &&
                             value.find_first_not_of("0123456789.+-dD") == value.npos;
    if (is_fortrans)
      set_attribute(element, name, value.substr(0, exponent) + "e" + value.substr(exponent + 1));
  }

  void note_steps(const XmlElement& file) {
    const XmlAttribute* const steps = file.find("write_timestep_frequency");
    const std::string value = steps ? in_.resolved(*steps) : "";
    if (in_.fork != Fork::leeds || !is_digits(value) || is_zero(value)) return;
    const std::string whole = value.size() > 2 ? value.substr(0, value.size() - 2) : "0";
    in_.findings().note(in_.where(*steps), "write_timestep_frequency=" + in_quotes(value) + " is " + value +
                                               " steps here; the older fork of MONC reads it as " + whole +
                                               ", because it takes the last two digits for decimals");
  }

  bool is_never_written(const XmlElement& file) {
    if (file.name != "file" || in_.resolved(file, "write_on_terminate") == "true") return false;
    const XmlAttribute* frequency = file.find("write_time_frequency");
    if (!frequency) frequency = file.find("write_timestep_frequency");
    if (!frequency || !is_zero(in_.resolved(*frequency))) return false;
    in_.findings().warning(in_.where(*frequency),
                           "file " + in_quotes(in_.resolved(file, "name")) +
                               " is never written, in MONC neither: its frequency is 0; "
                               "write_on_terminate=\"true\" writes it at the end");
    return true;
  }

  const Translation& in_;
};

}  // namespace

std::string hundredths(std::string_view digits) {
  std::string number(digits);
  number.insert(0, number.size() < 3 ? 3 - number.size() : 0, '0');
  number.insert(number.size() - 2, ".");
  return number;
}

void translate_frequencies(const Translation& translation) { Frequencies(translation).translate(); }

}  // namespace pileus::monc
