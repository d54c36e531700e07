// The newer fork looks at the title of a file: one that is titled "Checkpoint" gets the last record alone of
// those since the file before it.

#include <algorithm>
#include <map>

#include "config/messages.h"
#include "config/namespaces.h"
#include "monc/included_names.h"

namespace pileus::monc {
namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return text;
}

class Titles {
 public:
  explicit Titles(const Translation& translation) : in_(translation), names_(translation) {
    for (XmlElement* data : children(in_.root, "data-definition")) {
      const std::string scope = in_.resolved(*data, "namespace");
      for (const XmlElement& field : data->children)
        frequencies_.try_emplace(full_name(scope, in_.resolved(field, "name")),
                                 in_.resolved(*data, "frequency"));
    }
  }

  void note() {
    for (XmlElement* writing : children(in_.root, "data-writing")) {
      for (XmlElement* file : children(*writing, "file")) {
        if (lower(in_.resolved(*file, "title")) == "checkpoint") note_file(*file);
      }
    }
  }

 private:
  void note_file(XmlElement& file) {
    const std::string often = in_.resolved(file, "write_timestep_frequency");
    for (XmlElement* include : children(file, "include")) {
      const std::string name = sampled_otherwise(*include, often);
      if (name.empty()) continue;
      return in_.findings().note(in_.where(*file.find("title")),
                                 "each of these files has all values of " + in_quotes(name) +
                                     " since the one before, or of the run; the newer fork of MONC writes "
                                     "the last value alone into a "
                                     "file with this title");
    }
  }

  /// A field of the include that has values in other steps than those of the file; "" if none has.
  std::string sampled_otherwise(const XmlElement& include, const std::string& often) const {
    for (const std::string& name : names_.of(include)) {
      const auto found = frequencies_.find(name);
      if (found != frequencies_.end() && found->second != "0" && found->second != often) return name;
    }
    return "";
  }

  const Translation& in_;
  std::map<std::string, std::string> frequencies_;  ///< by full name of a field
  IncludedNames names_;
};

}  // namespace

void note_titles(const Translation& translation) {
  if (translation.fork != Fork::leeds) Titles(translation).note();
}

}  // namespace pileus::monc
