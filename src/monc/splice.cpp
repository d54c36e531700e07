#include "monc/splice.h"

#include <algorithm>
#include <filesystem>

#include "config/messages.h"
#include "config/values.h"
#include "xml/xml_document.h"

namespace pileus::monc {
namespace {

/// The deepest nesting of includes. Beyond it files include each other in circles that their names do not
/// show.
constexpr std::size_t kDeepestInclude = 32;
/// The most includes altogether, as a file may be included many times. No configuration needs more.
constexpr int kMostIncludes = 1000;
/// MONC's root may be at most so many folders above a file.
constexpr int kHighestRoot = 16;
constexpr std::string_view kInclude = "#include";

std::string normal(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}

class Splicer {
 public:
  Splicer(const DialectReading& reading, Fork fork)
      : reading_(reading), fork_(fork), text_(std::make_unique<PlacedText>()) {}

  std::unique_ptr<PlacedText> take() { return std::move(text_); }

  void add(std::string text, const std::string& name) {
    chain_.push_back(name);
    const std::size_t file = text_->begin_file(std::move(text), name);
    const std::string_view all = text_->text_of(file);
    std::size_t begin = 0;  // start of what is not added yet
    bool is_in_comment = false;
    std::size_t comment_at = 0;
    for (std::size_t at = 0; at < all.size();) {
      const std::string_view line = line_at(all, at);
      const std::size_t next = std::min(at + line.size() + 1, all.size());
      if (fork_ == Fork::epcc && (is_in_comment || begins_comment(line))) {
        if (!is_in_comment) comment_at = at;
        is_in_comment = line.find("-->") == line.npos;
        at = next;
        continue;
      }
      const bool is_include = !is_comment_line(line) && line.find(kInclude) != line.npos;
      if (is_include || is_comment_line(line)) {
        text_->add(file, begin, at);
        begin = next;
      }
      if (is_include) follow(line, file, at);
      at = next;
    }
    text_->add(file, begin, all.size());
    if (is_in_comment)
      reading_.findings.error(where(file, comment_at), "this comment is never closed; it ends with -->");
    chain_.pop_back();
  }

 private:
  Location where(std::size_t file, std::size_t at) const { return text_->where(file, at); }

  void follow(std::string_view line, std::size_t file, std::size_t at) {
    const std::string_view path = included_path(line);
    if (path.empty())
      return reading_.findings.error(
          where(file, at + line.find(kInclude)),
          "#include needs the path of a file in double quotes, such as #include \"io/winds.xml\"");
    if (++includes_ > kMostIncludes) {
      if (includes_ == kMostIncludes + 1)
        reading_.findings.error(where(file, at), "more than " + std::to_string(kMostIncludes) +
                                                     " files are included, those that are in others counted "
                                                     "each time");
      return;
    }
    if (bytes_ > XmlDocument::kMaxBytes) return;
    const auto path_at = static_cast<std::size_t>(path.data() - line.data());
    const Location place = where(file, at + path_at);
    warn_of_the_rest(line, path, file, at);
    const std::optional<IncludedFile> found = find(std::string(path), place);
    if (!found) return;
    bytes_ += found->text.size();
    if (bytes_ > XmlDocument::kMaxBytes) {
      return reading_.findings.error(place,
                                     "with this file all have more than 16 MiB together: this is not "
                                     "a configuration");
    }
    const auto is_it = [&](const std::string& one) { return normal(one) == normal(found->name); };
    const auto first = std::find_if(chain_.begin(), chain_.end(), is_it);
    if (first != chain_.end() || chain_.size() > kDeepestInclude) {
      std::string chain;
      for (auto one = first; one != chain_.end(); ++one) chain += *one + " includes ";
      return reading_.findings.error(
          place, first == chain_.end()
                     ? "files are included in files more than " + std::to_string(kDeepestInclude) + " deep"
                     : "the file includes itself: " + chain + found->name);
    }
    reading_.findings.trace(found->name, place);
    add(found->text, found->name);
  }

  void warn_of_the_rest(std::string_view line, std::string_view path, std::size_t file, std::size_t at) {
    const auto end = static_cast<std::size_t>(path.data() - line.data()) + path.size() + 1;
    const std::string_view before = trimmed(line.substr(0, line.find(kInclude)));
    const std::string_view behind = trimmed(line.substr(std::min(end, line.size())));
    if (before.empty() && behind.empty()) return;
    const Location place = where(file, at + line.find(kInclude));
    if (!before.starts_with("<!--")) {
      return reading_.findings.warning(place, "of a line with #include only the path is read: " +
                                                  in_quotes(before.empty() ? behind : before) + " is not");
    }
    if (fork_ == Fork::unknown) {
      return reading_.findings.error(
          place, std::string("the older fork of MONC follows an #include in a comment, and the newer does "
                             "not: ") +
                     kAskForFork);
    }
    reading_.findings.warning(place,
                              "a comment does not switch an #include off, in this fork of MONC neither: "
                              "begin the line with ! or //, or remove it");
  }

  /// Finds the file as MONC would if it were started in its root. Each folder from the file upwards may be
  /// the root.
  std::optional<IncludedFile> find(const std::string& path, const Location& place) {
    const std::string& from = chain_.back();
    std::string up;
    for (int i = 0; i <= kHighestRoot; ++i, up += "../") {
      try {
        return reading_.find_include(from, up + path);
      } catch (const ConfigError& error) {
        const Finding& why = error.findings().all().front();
        if (!why.where.file.empty()) {  // the file is there, but cannot be read
          reading_.findings.error(place, why.where.file + " " + why.what);
          return {};
        }
      }
      if (std::filesystem::path(path).is_absolute()) break;
    }
    reading_.findings.error(
        place, "there is no file " + in_quotes(path) + " beside " + from +
                   " or in a folder above it; the path is meant from MONC's root: say where that is with "
                   "--include-path, or PILEUS_INCLUDE_PATH in the environment");
    return {};
  }

  const DialectReading& reading_;
  Fork fork_;
  std::unique_ptr<PlacedText> text_;
  int includes_ = 0;
  std::size_t bytes_ = 0;           ///< size of everything included
  std::vector<std::string> chain_;  ///< the files from the first one to this
};

}  // namespace

std::unique_ptr<PlacedText> splice(std::string text, const std::string& file_name,
                                   const DialectReading& reading, Fork fork) {
  Splicer splicer(reading, fork);
  splicer.add(std::move(text), file_name);
  return splicer.take();
}

bool begins_comment(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first != line.npos && line.substr(first).starts_with("<!--");
}

std::string_view included_path(std::string_view line) {
  if (line.find(kInclude) == line.npos) return {};
  const std::size_t first = line.find('"'), last = line.rfind('"');
  if (first == line.npos || last == first) return {};
  return line.substr(first + 1, last - first - 1);
}

bool is_comment_line(std::string_view line) {
  const std::string_view text = trimmed(line);
  return text.starts_with('!') || text.starts_with("//");
}

std::string_view line_at(std::string_view text, std::size_t at) {
  return text.substr(at, std::min(text.find('\n', at), text.size()) - at);
}

}  // namespace pileus::monc
