#include "apps/report.h"

#include <spawn.h>
#include <sys/wait.h>
#include <cctype>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "config/read_config.h"
#include "core/error.h"
#include "report/chart.h"

extern char** environ;

namespace pileus::apps {
namespace {

using Json = nlohmann::json;

constexpr int kCannot = 2;
constexpr std::size_t kWidth = 64;
constexpr std::size_t kMostServers = 8;  ///< shown of each run: the busiest

struct Timeline {
  std::int64_t server = 0;
  std::vector<TimelinePoint> points;
};

std::string number(double value, const char* form) {
  char text[64];
  std::snprintf(text, sizeof text, form, value);
  return text;
}

std::string size_text(double bytes) {
  return bytes < 1e6   ? number(bytes / 1e3, "%.1f kB")
         : bytes < 1e9 ? number(bytes / 1e6, "%.1f MB")
                       : number(bytes / 1e9, "%.2f GB");
}

/// Errors: UsageError if it is no timeline, as the columns are not equally long.
Timeline timeline_of(const Json& json) {
  Timeline timeline{json.at("server").get<std::int64_t>(), {}};
  timeline.points.resize(json.at("end_s").size());
  for (const TimelineColumn& column : kTimelineColumns) {
    const Json& values = json.at(std::string(column.name));
    if (values.size() != timeline.points.size()) throw UsageError("its timelines are damaged");
    for (std::size_t i = 0; i < values.size(); ++i)
      timeline.points[i].*column.value = values[i].get<double>();
  }
  return timeline;
}

/// Errors: UsageError "FILE: …"
Json read_report(const std::string& file) {
  try {
    Json report = Json::parse(read_text_file(file));
    if (!report.is_object() || !report.contains("servers") || !report.contains("model_ranks"))
      throw UsageError("it is not what --report or PILEUS_REPORT writes");
    return report;
  } catch (const Json::exception& error) {
    throw UsageError(file + ": this is no report of a run: " + error.what());
  } catch (const UsageError& error) {
    throw UsageError(file + ": this is no report of a run: " + error.what());
  }
}

class Charts {
 public:
  Charts(const Timeline& timeline, std::size_t ranks, bool is_ascii)
      : points_(timeline.points), ranks_(static_cast<double>(ranks)), is_ascii_(is_ascii) {}

  std::string text() const {
    std::string out;
    out += most("held of the model", &TimelinePoint::parcel_bytes, size_text);
    out += most("steps not done", &TimelinePoint::open_steps, [](double n) { return number(n, "%.0f"); });
    out += most("memory", &TimelinePoint::memory_bytes, size_text);
    out += share("ranks waiting", &TimelinePoint::waiting_s, ranks_, "s in all");
    out += share("at work", &TimelinePoint::busy_s, 1, "s");
    out += share("analysis", &TimelinePoint::analysis_s, 0, "s of its threads");
    return out + share("writing", &TimelinePoint::writing_s, 0, "s of its threads");
  }

 private:
  template <class Text>
  std::string most(const std::string& what, double TimelinePoint::*value, const Text& text) const {
    const std::vector<double> values = most_over_time(points_, value, kWidth);
    const double top = std::ranges::max_element(values)[0];
    return line(what, values, top, "at most " + text(top));
  }

  /// How fast a time grows, with `top` as a full character; 0: the most.
  std::string share(const std::string& what, double TimelinePoint::*value, double top,
                    const std::string& unit) const {
    const std::vector<double> values = growth_over_time(points_, value, kWidth);
    if (top <= 0) top = std::max(1.0, std::ranges::max_element(values)[0]);
    const double all = points_.empty() ? 0 : points_.back().*value;
    return line(what, values, top, number(all, "%.2f ") + unit);
  }

  std::string line(const std::string& what, const std::vector<double>& values, double top,
                   const std::string& said) const {
    return "  " + what + std::string(19 - what.size(), ' ') + "|" + sparkline(values, top, is_ascii_) + "| " +
           said + "\n";
  }

  const std::vector<TimelinePoint>& points_;
  double ranks_;
  bool is_ascii_;
};

void print(const std::string& file, const Json& report, bool is_ascii) {
  const std::size_t ranks = report.at("model_ranks").size(), servers = report.at("servers").size();
  std::cout << file << ": " << ranks << (ranks == 1 ? " model rank, " : " model ranks, ") << servers
            << (servers == 1 ? " server\n" : " servers\n");
  std::vector<Timeline> timelines;
  for (const Json& one : report.value("timelines", Json::array())) timelines.push_back(timeline_of(one));
  std::erase_if(timelines, [](const Timeline& one) { return one.points.empty(); });
  if (timelines.empty()) std::cout << "it has no timelines: the run was refused, or is of an older Pileus\n";
  std::ranges::stable_sort(timelines, std::ranges::greater(),
                           [](const Timeline& one) { return one.points.back().busy_s; });
  for (std::size_t i = 0; i < std::min(timelines.size(), kMostServers); ++i) {
    const Timeline& one = timelines[i];
    const double end_s = one.points.back().end_s;
    std::cout << "server " << one.server << ": " << number(end_s, "%.2f")
              << " s from the first step on; a character is "
              << number(end_s / static_cast<double>(kWidth), "%.3g") << " s\n"
              << Charts(one, ranks, is_ascii).text();
  }
  if (timelines.size() > kMostServers)
    std::cout << "and " << timelines.size() - kMostServers << " servers that were less at work\n";
  const Json advice = report.value("advice", Json::array());
  if (!advice.empty()) std::cout << "what follows\n";
  for (const Json& sentence : advice) std::cout << "  " << sentence.get<std::string>() << "\n";
}

/// share/pileus beside the folder of this program. Errors: UsageError if the script is not there.
std::string drawing_script() {
  std::error_code problem;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", problem);
  const auto script = program.parent_path().parent_path() / "share" / "pileus" / "draw_report.py";
  if (!std::filesystem::exists(script, problem))
    throw UsageError("there is no " + script.string() + ", which draws; is the installation complete?");
  return script.string();
}

/// Errors: UsageError if there is no Python, or it could not draw; it has said why then.
void draw(const std::vector<std::string>& files, const std::string& picture) {
  const char* const named = std::getenv("PILEUS_PYTHON");
  const std::string python = named != nullptr && *named != '\0' ? named : "python3";
  std::vector<std::string> words = {python, drawing_script(), "--output", picture, "--"};
  words.insert(words.end(), files.begin(), files.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::cout << std::flush;
  pid_t child = 0;
  int status = 0;
  if (posix_spawnp(&child, python.c_str(), nullptr, nullptr, arguments.data(), environ) != 0)
    throw UsageError(picture + " was not drawn: there is no program " + python +
                     "; PILEUS_PYTHON names a Python with matplotlib");
  if (waitpid(child, &status, 0) != child || status != 0) throw UsageError(picture + " was not drawn");
  std::cout << picture << " is drawn\n";
}

/// Whether the terminal, or whoever reads, takes more than ASCII.
bool is_utf8() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    std::string text = value;
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text.find("utf-8") != text.npos || text.find("utf8") != text.npos;
  }
  return false;
}

}  // namespace

int report(const std::vector<std::string>& files, const ReportSettings& settings) {
  try {
    for (const std::string& file : files) {
      const Json json = read_report(file);
      try {
        print(file, json, settings.is_ascii || !is_utf8());
      } catch (const std::exception& error) {
        throw UsageError(file + ": this is no report of a run: " + error.what());
      }
    }
    if (!settings.picture.empty()) draw(files, settings.picture);
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return kCannot;
  }
  return 0;
}

}  // namespace pileus::apps
