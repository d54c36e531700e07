#include "watch/wait_book.h"

#include <algorithm>

namespace pileus {

double WaitBook::lasted_s(const Open& open, Clock::time_point now) {
  return std::chrono::duration<double>(now - open.since).count();
}

WaitBook::Lasted WaitBook::lasted(Waits::About about, const Open& open, Clock::time_point now,
                                  bool has_come) {
  return {about, open.text, open.since, lasted_s(open, now), has_come};
}

WaitBook::News WaitBook::look(const std::vector<Waits::Entry>& open, Clock::time_point now) {
  News news;
  ++looks_;
  enter(open, now, news);
  close_others(now, news);
  for (auto& [key, subject] : subjects_) {
    Open& first = subject.open.at(subject.first);
    const double age_s = lasted_s(first, now);
    const double due_s =
        first.next_s > 0 ? first.next_s : std::max(patience_s_, 2 * longest_that_came_s_[key.first]);
    if (age_s < due_s) continue;
    for (first.next_s = due_s; first.next_s <= age_s;) first.next_s *= 2;
    news.waiting.push_back(lasted(key.first, first, now, false));
  }
  return news;
}

void WaitBook::enter(const std::vector<Waits::Entry>& open, Clock::time_point now, News& news) {
  for (const Waits::Entry& entry : open) {
    if (entry.is_note || entry.wait.numbers.empty()) continue;
    Subject& subject = subjects_[{entry.about, entry.wait.subject}];
    subject.first = entry.wait.numbers.front();
    for (const std::int64_t number : entry.wait.numbers) {
      Open& one = subject.open.try_emplace(number, Open{now}).first->second;
      one.look = looks_;
      if (!entry.wait.due_file.is_valid() || one.is_late || lasted_s(one, now) < patience_s_) continue;
      one.is_late = true;
      news.late.push_back({entry.wait.due_file, number, lasted_s(one, now)});
    }
    subject.open.at(subject.first).text = entry.wait.text;
  }
}

void WaitBook::close_others(Clock::time_point now, News& news) {
  for (auto& [key, subject] : subjects_) {
    for (auto one = subject.open.begin(); one != subject.open.end();) {
      if (one->second.look == looks_) {
        ++one;
        continue;
      }
      Lasted ended = lasted(key.first, one->second, now, true);
      if (ended.lasted_s >= patience_s_) {
        if (one->second.next_s > 0) {
          news.came.push_back(ended);
          double& longest_s = longest_that_came_s_[key.first];
          longest_s = std::max(longest_s, ended.lasted_s);
        }
        remember(std::move(ended));
      }
      one = subject.open.erase(one);
    }
  }
  std::erase_if(subjects_, [](const auto& entry) { return entry.second.open.empty(); });
}

void WaitBook::remember(Lasted ended) {
  if (ended.lasted_s < patience_s_ || ended.text.empty()) return;
  std::vector<Lasted>& of_kind = ended_[ended.about];
  const auto place =
      std::ranges::upper_bound(of_kind, ended.lasted_s, std::ranges::greater(), &Lasted::lasted_s);
  of_kind.insert(place, std::move(ended));
  if (of_kind.size() > kMostRemembered) of_kind.pop_back();
}

void WaitBook::all_said(Clock::time_point now) {
  for (auto& [key, subject] : subjects_) {
    Open& first = subject.open.at(subject.first);
    first.next_s = std::max({first.next_s, 2 * lasted_s(first, now), 2 * patience_s_});
  }
}

WaitBook::Clock::time_point WaitBook::since(const Waits::Entry& open) const {
  return subjects_.at({open.about, open.wait.subject}).open.at(open.wait.numbers.front()).since;
}

bool WaitBook::has_said() const {
  return std::ranges::any_of(subjects_, [](const auto& entry) {
    return std::ranges::any_of(entry.second.open, [](const auto& one) { return one.second.next_s > 0; });
  });
}

std::vector<WaitBook::Lasted> WaitBook::longest(Clock::time_point now) const {
  WaitBook with_open = *this;
  for (const auto& [key, subject] : subjects_) {
    for (const auto& [number, one] : subject.open) with_open.remember(lasted(key.first, one, now, false));
  }
  std::vector<Lasted> all;
  for (const auto& [about, of_kind] : with_open.ended_) all.insert(all.end(), of_kind.begin(), of_kind.end());
  return all;
}

}  // namespace pileus
