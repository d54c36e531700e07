#pragma once
// A table of the time manipulations, one line each, with all that other rooms need to know of them. The
// window of each is a file of that name in src/time/manipulations.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pileus {

enum class Manipulation : std::uint8_t {
  instantaneous,
  averaged,
  none,
  accumulated,
  minimum,
  maximum,
  variance
};

struct ManipulationDeclaration {
  const char* name;
  const char* help;         ///< one line
  const char* cell_method;  ///< the word of CF for this method in time
  bool covers_window;       ///< a record stands for an interval and has bounds, not for a point in time
  bool keeps_type;          ///< the record has the type of its samples, not double precision
};

/// The entries stand in the order of Manipulation.
inline constexpr std::array<ManipulationDeclaration, 7> kManipulations = {{
    {"instantaneous", "The first sample at or after each output time, once a step.", "point", false, true},
    {"averaged", "Mean over each output period; a sample counts for the time that it stands for.", "mean",
     true, false},
    {"none", "Every sample.", "point", false, true},
    {"accumulated",
     "Integral over each output period: every sample times the seconds that it stands for; units gain \" "
     "s\".",
     "sum", true, false},
    {"minimum", "Smallest of the samples that stand for some of the output period.", "minimum", true, true},
    {"maximum", "Largest of the samples that stand for some of the output period.", "maximum", true, true},
    {"variance",
     "Population variance over each output period; a sample counts for the time that it stands for; units "
     "are "
     "squared.",
     "variance", true, false},
}};

constexpr const ManipulationDeclaration& declaration_of(Manipulation manipulation) {
  return kManipulations[static_cast<std::size_t>(manipulation)];
}
constexpr bool covers_window(Manipulation manipulation) { return declaration_of(manipulation).covers_window; }

inline std::vector<std::string> manipulation_words() {
  std::vector<std::string> words;
  for (const ManipulationDeclaration& one : kManipulations) words.emplace_back(one.name);
  return words;
}

}  // namespace pileus
