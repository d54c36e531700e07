// What files wait for, for those who look at a run, and what is left of them at its end.

#include <algorithm>
#include <map>
#include <utility>

#include "publishing/publishing.h"

namespace pileus {

void Publishing::tell_waits(const std::shared_ptr<Waits>& waits) {
  waits->expect();
  strand_.post([this, waits] {
    add_file_waits(*waits);
    for (Wait& wait : writer_.waits()) waits->add(Waits::About::parts, std::move(wait));
    for (Wait& wait : owner_.cut_waits()) waits->add(Waits::About::checkpoints, std::move(wait));
    add_full_disks(*waits);
    waits->answered();
  });
}

/// Files that are due are one subject for each series; others wait by themselves.
void Publishing::add_file_waits(Waits& waits) {
  std::map<FileId, Wait> due;
  for (const FileOwner::FileWait& one : owner_.waits()) {
    std::string text = one.text;
    if (one.is_for_writers) {
      std::vector<ServerRank> missing;
      const auto reported = done_.find(one.file);
      for (ServerRank writer : writers_of(one.file.file)) {
        const bool has_reported = reported != done_.end() && std::ranges::count(reported->second, writer) > 0;
        if (!has_reported) missing.push_back(writer);
      }
      std::ranges::sort(missing);
      text += numbered("server", missing);
    }
    const std::int64_t period = one.file.period;
    Wait& of_series = due[one.file.file];
    if (!one.is_due || (!of_series.numbers.empty() && of_series.numbers.back() == period)) {
      waits.add(Waits::About::files, {one.text, {period}, std::move(text)});
      continue;
    }
    if (of_series.numbers.empty())
      of_series = {plan_[one.file.file].name, {}, std::move(text), one.file.file};
    of_series.numbers.push_back(period);
  }
  for (auto& [file, wait] : due) {
    const std::size_t later = wait.numbers.size() - std::min<std::size_t>(1, wait.numbers.size());
    if (later > 0)
      wait.text += ", and " + std::to_string(later) + (later == 1 ? " later file" : " later files");
    if (!wait.numbers.empty()) waits.add(Waits::About::files, std::move(wait));
  }
}

std::vector<std::string> Publishing::open_texts() const {
  std::vector<std::string> texts = owner_.open_texts();
  for (std::string& text : writer_.open_texts()) texts.push_back(std::move(text));
  return texts;
}

}  // namespace pileus
