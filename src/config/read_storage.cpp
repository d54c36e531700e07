#include "config/read_storage.h"

#include <string>
#include <vector>

#include "config/messages.h"
#include "config/values.h"
#include "core/calendar.h"

namespace pileus {

namespace {

/// "absolute 0.01 K", "relative 1e-4"
std::optional<ErrorConfig> read_error(const ElementReader& element) {
  if (!element.is_given("error") || !element.is_usable("error")) return std::nullopt;
  const Text text = element.text("error");
  const std::vector<std::string> words = split_words(text.value);
  ErrorConfig error{words[0] == "relative", *parse_number(words[1]), {}, text.where};
  for (std::size_t w = 2; w < words.size(); ++w) error.units += (w > 2 ? " " : "") + words[w];
  constexpr double kMostRelative = 0.25, kLeastAbsolute = 1e-300, kMostAbsolute = 1e300;
  const bool is_right = error.is_relative ? error.most > 0 && error.most <= kMostRelative
                                          : error.most >= kLeastAbsolute && error.most <= kMostAbsolute;
  if (is_right) return error;
  element.error(text.where, element.label() + " with error=" + in_quotes(text.value) + ": expected " +
                                (error.is_relative ? "a relative error above 0, of at most 0.25"
                                                   : "an error from 1e-300 to 1e300"));
  return std::nullopt;
}

/// "information 0.99"
std::optional<InformationConfig> read_information(const ElementReader& element) {
  if (!element.is_given("precision_from") || !element.is_usable("precision_from")) return std::nullopt;
  const Text text = element.text("precision_from");
  const std::vector<std::string> words = split_words(text.value);
  if (words.size() == 2 && words[0] == "information") {
    const std::optional<double> level = parse_number(words[1]);
    if (level && *level > 0 && *level <= 1) return InformationConfig{*level, text.where};
  }
  element.error(text.where, element.label() + " with precision_from=" + in_quotes(text.value) +
                                ": expected \"information\" and which part of it is kept, above 0 and at "
                                "most 1, for example \"information 0.99\"");
  return std::nullopt;
}

/// "rms 0.05 K", "max relative 1e-3"
std::optional<WriteIfConfig> read_write_if(const ElementReader& element) {
  if (!element.is_given("write_if") || !element.is_usable("write_if")) return std::nullopt;
  const Text text = element.text("write_if");
  const std::vector<std::string> words = split_words(text.value);
  const bool is_relative = words.size() > 1 && words[1] == "relative";
  const std::size_t at = is_relative ? 2 : 1;
  const bool is_norm = !words.empty() && (words[0] == "rms" || words[0] == "max");
  const std::optional<double> most = words.size() > at ? parse_number(words[at]) : std::nullopt;
  const bool has_units = words.size() > at + 1;
  if (!is_norm || !most || !(*most >= 0 && *most <= 1e150) || (is_relative && has_units)) {
    element.error(text.where, element.label() + " with write_if=" + in_quotes(text.value) +
                                  ": expected rms or max, and the difference to the last record that was "
                                  "written, for example \"rms 0.05 K\" or \"max relative 1e-3\"");
    return std::nullopt;
  }
  WriteIfConfig out{words[0] == "max", {is_relative, *most, {}, text.where}, text.value};
  for (std::size_t w = at + 1; w < words.size(); ++w) out.error.units += (w > at + 1 ? " " : "") + words[w];
  return out;
}

std::optional<Duration> read_at_least_every(const ElementReader& element) {
  const std::optional<Duration> every = element.duration("at_least_every");
  if (!every || every->months == 0) return every;
  element.error(element.text("at_least_every").where,
                element.label() +
                    " with at_least_every in months, whose length depends on the date: write "
                    "days, such as \"30 d\"");
  return std::nullopt;
}

std::optional<CodecConfig> read_codec(const ElementReader& element) {
  std::optional<CodecConfig> out;
  for (const Codec* codec : all_codecs()) {
    const auto level = element.integer(codec->name, 0);
    if (!level) continue;
    const Location where = element.text(codec->name).where;
    if (out && out->codec != nullptr && *level > 0) {
      element.error(where, element.label() + " has both " + out->codec->name + " and " + codec->name +
                               ": give one of them");
      continue;
    }
    if (!out || *level > 0) out = CodecConfig{*level > 0 ? codec : nullptr, static_cast<int>(*level), where};
  }
  return out;
}

}  // namespace

StorageConfig read_storage(const ElementReader& element) {
  StorageConfig out;
  out.order = element.names("order");
  out.precision = element.text("precision");
  out.significant_bits = element.integer("significant_bits");
  out.error = read_error(element);
  if (out.error && out.significant_bits) {
    element.error(out.error->where,
                  element.label() + " has both error and significant_bits: give one of them");
    out.error.reset();
  }
  out.information = read_information(element);
  if (out.information && (out.error || out.significant_bits)) {
    element.error(out.information->where, element.label() + " has both precision_from and " +
                                              (out.error ? "error" : "significant_bits") +
                                              ": give one of them");
    out.information.reset();
  }
  out.write_if = read_write_if(element);
  if (element.is_given("per") && element.is_usable("per")) out.per = element.text("per");
  out.at_least_every = read_at_least_every(element);
  if (element.is_given("audit") && element.is_usable("audit")) out.audit = element.text("audit");
  out.codec = read_codec(element);
  if (element.is_given("shuffle") && element.is_usable("shuffle")) out.shuffle = element.text("shuffle");
  if (element.is_given("packing") && element.is_usable("packing")) out.packing = element.text("packing");
  out.bits_per_value = element.integer("bits_per_value");
  if (element.is_given("decimal_scale") && element.is_usable("decimal_scale"))
    out.decimal_scale = parse_signed(element.text("decimal_scale").value);
  if (out.bits_per_value && out.decimal_scale) {
    element.error(element.text("decimal_scale").where,
                  element.label() + " has both bits_per_value and decimal_scale: give one of them");
    out.decimal_scale.reset();
  }
  return out;
}

DimensionConfig read_dimension(const ElementReader& element) {
  DimensionConfig out;
  out.name = element.text("name");
  out.units = element.text("units");
  out.standard_name = element.text("standard_name");
  out.long_name = element.text("long_name");
  out.formula_terms = element.text("formula_terms");
  out.computed_standard_name = element.text("computed_standard_name");
  if (out.computed_standard_name.is_given() && !out.formula_terms.is_given() &&
      !element.was_misspelt("formula_terms"))
    element.error(out.computed_standard_name.where,
                  element.label() +
                      " has computed_standard_name without formula_terms, which it is computed "
                      "from: give both, or neither");
  out.axis = element.text("axis");
  out.positive = element.text("positive");
  out.has_bounds = element.boolean("bounds");
  out.bounds = element.text("bounds");
  out.where = element.where();
  if (out.positive.is_given() && out.axis.is_given() && out.axis.value != "Z") {
    element.error(out.positive.where, element.label() + " is the axis " + out.axis.value +
                                          "; only a vertical one (axis=\"Z\") is positive up or down");
  }
  return out;
}

TimeConfig read_time(const ElementReader& element) {
  const Duration end = element.duration("end").value_or(Duration{});
  if (end.months > 0)
    element.error(end.where,
                  "end in months: how long they are depends on the date; write days, such as \"30 d\"");
  TimeConfig out{element.text("calendar"), element.text("epoch"), end.seconds};
  if (!element.is_usable("calendar")) out.calendar = {};
  if (!element.is_usable("epoch")) out.epoch = {};
  if (!out.calendar.is_given() || !out.epoch.is_given()) return out;
  const std::string problem = date_problem(*parse_calendar(out.calendar.value), *parse_date(out.epoch.value));
  if (!problem.empty())
    element.error(out.epoch.where, "epoch=" + in_quotes(out.epoch.value) + ": " + problem);
  return out;
}

}  // namespace pileus
