#include "core/stages.h"

#include <algorithm>
#include <cmath>

namespace pileus {

bool keep_type(const std::vector<Stage>& stages) {
  return std::ranges::all_of(stages, [](const Stage& stage) { return stage.manipulation->keeps_type; });
}

std::string text(const std::vector<Stage>& stages) {
  std::string out;
  for (const Stage& stage : stages)
    out += std::string(stage.manipulation->name) + " over " + text(stage.period) + ", ";
  return out;
}

std::string text(const Span& span) {
  std::string out;
  if (std::isfinite(span.from_s)) out = "from " + text(Frequency(span.from_s));
  if (std::isfinite(span.until_s))
    out += (out.empty() ? "until " : " until ") + text(Frequency(span.until_s));
  return out.empty() ? "" : ", " + out;
}

std::string text(const Diurnal& diurnal) {
  if (diurnal.bins == 0) return "";
  return ", in " + std::to_string(diurnal.bins) + " parts of the day, of which one begins at " +
         text(Frequency(diurnal.midnight_s));
}

}  // namespace pileus
