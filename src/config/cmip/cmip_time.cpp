#include "config/cmip/cmip_time.h"

#include <array>

#include "config/values.h"

namespace pileus {
namespace {

/// How often each word of CMIP is, and how files say their times.
/// Source: CMIP6 global attributes, DRS, filenames, directory structure and CVs, v6.2.7, table 2.
struct Rhythm {
  const char* word;
  const char* period;
  const char* range;
};
constexpr std::array<Rhythm, 11> kRhythms = {{{"mon", "1 month", "{months}"},
                                              {"monPt", "1 month", "{months}"},
                                              {"day", "1 d", "{days}"},
                                              {"yr", "1 year", "{years}"},
                                              {"yrPt", "1 year", "{years}"},
                                              {"6hr", "6 h", "{minutes_of_6h}"},
                                              {"3hr", "3 h", "{minutes_of_3h}"},
                                              {"1hr", "1 h", "{minutes_of_1h}"},
                                              {"6hrPt", "6 h", "{minutes_each_6h}"},
                                              {"3hrPt", "3 h", "{minutes_each_3h}"},
                                              {"1hrPt", "1 h", "{minutes_each_1h}"}}};

/// What is done along time in words of CF, one after the other: "maximum within days", "mean over days".
std::vector<std::string> methods_of_time(const std::string& cell_methods) {
  std::vector<std::string> all;
  bool is_of_time = false, is_name = false;
  for (const std::string& word : split_words(cell_methods)) {
    if (word.ends_with(':') && word.front() != '(') {
      is_of_time = (is_name && is_of_time) || word == "time:";
      is_name = true;
      continue;
    }
    if (is_name && is_of_time) all.push_back(word);
    if (!is_name && is_of_time && (word == "within" || word == "over" || word == "days"))
      all.back() += " " + word;
    is_name = false;
  }
  return all;
}

std::string manipulation_of(const std::string& method) {
  const std::string word = method.substr(0, method.find(' '));
  if (word == "mean") return "averaged";
  if (word == "point") return "instantaneous";
  return word == "maximum" || word == "minimum" ? word : "";
}

}  // namespace

std::optional<CmipTime> time_of_cmip(const std::string& frequency, const std::string& cell_methods,
                                     const Location& where, std::string& why_not) {
  CmipTime out;
  if (frequency == "fx") {
    out.is_fixed = true;
    out.manipulation = "none";
    return out;
  }
  for (const Rhythm& one : kRhythms) {
    if (frequency != one.word) continue;
    out.frequency = *parse_duration(one.period);
    out.range = one.range;
  }
  if (out.range.empty()) {
    why_not = "files of the frequency \"" + frequency + "\" are not made";
    return {};
  }
  out.frequency.where = where;
  const std::vector<std::string> methods = methods_of_time(cell_methods);
  why_not = "its cell_methods \"" + cell_methods + "\" are not made: write a file for it";
  if (methods.empty() || methods.size() > 2) return {};
  for (const std::string& method : methods)
    if (manipulation_of(method).empty()) return {};
  out.manipulation = manipulation_of(methods.back());
  if (methods.size() == 1)
    return methods.front().find(' ') == std::string::npos ? std::optional(out) : std::nullopt;
  if (!methods[0].ends_with(" within days") || !methods[1].ends_with(" over days")) return {};
  Duration day = *parse_duration("1 d");
  day.where = where;
  out.stages.push_back({manipulation_of(methods.front()), day});
  return out;
}

}  // namespace pileus
