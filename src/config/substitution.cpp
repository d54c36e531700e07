#include "config/substitution.h"

#include <algorithm>
#include <optional>

#include "config/messages.h"
#include "config/values.h"

namespace pileus {
namespace {

std::string missing(std::string_view key, const Options& options, std::span<const std::string> kept) {
  std::vector<std::string> keys(kept.begin(), kept.end());
  for (const auto& [name, value] : options) keys.push_back(name);
  const std::string suggested = suggestion(key, keys);
  return "no option " + in_quotes(key) +
         (suggested.empty() ? "; the model gives it or --set key=value does" : suggested);
}

/// What is wrong with the text between the braces, whatever the options are; "" if nothing.
std::string malformed(std::string_view key) {
  if (key.empty()) return "{} names no option; write {key}";
  const std::size_t colon = key.find(':');
  if (colon == key.npos) return "";
  return "{key:default} is not supported; write {" + shortened(trimmed(key.substr(0, colon))) +
         "} and give the option a value";
}

}  // namespace

const std::vector<std::string>& period_keys() {
  static const std::vector<std::string> keys = {"time", "date", "index"};
  return keys;
}

Substituted substitute(std::string_view value, const Options& options, bool allow_missing,
                       std::span<const std::string> kept) {
  Substituted out;
  auto keep_open = [&](std::size_t at, std::string_view written, std::string what) {
    out.is_open = true;
    out.text += written;
    if (!what.empty()) out.problems.push_back({at, std::move(what)});
  };

  std::size_t at = 0;
  while (at < value.size()) {
    const std::size_t open = std::min(value.find('{', at), value.size());
    out.text += value.substr(at, open - at);
    if (open == value.size()) break;
    const std::size_t close = value.find_first_of("{}", open + 1);
    if (close == value.npos || value[close] == '{') {
      keep_open(open, "{", "\"{\" without \"}\"; write {key} to insert the option of that name");
      at = open + 1;
      continue;
    }
    at = close + 1;
    const std::string key(trimmed(value.substr(open + 1, close - open - 1)));
    const std::string_view written = value.substr(open, at - open);
    const auto option = options.find(key);
    if (std::string what = malformed(key); !what.empty()) {
      keep_open(open, written, std::move(what));
    } else if (std::ranges::find(kept, key) != kept.end()) {
      out.text += "{" + key + "}";
    } else if (option == options.end()) {
      keep_open(open, written, allow_missing ? "" : missing(key, options, kept));
    } else {
      out.text += option->second;
      out.is_changed = true;
    }
  }
  return out;
}

}  // namespace pileus
