// MONC makes the records of a field once for each manipulation in time, however many files have them. The
// frequency is that of the first.

#include <map>
#include <utility>

#include "config/messages.h"
#include "monc/included_names.h"

namespace pileus::monc {
namespace {

class SharedRecords {
 public:
  explicit SharedRecords(const Translation& translation) : in_(translation), names_(translation) {}

  void note() {
    for (XmlElement* writing : children(in_.root, "data-writing")) {
      for (XmlElement* file : children(*writing, "file")) {
        for (XmlElement* include : children(*file, "include")) note_include(*file, *include);
      }
    }
  }

 private:
  struct First {
    std::string frequency, file;
  };

  /// One note for an include, whatever it holds.
  void note_include(const XmlElement& file, const XmlElement& include) {
    const std::string often = in_.resolved(include, "output_frequency");
    if (often.empty()) return;
    bool is_noted = false;
    for (const std::string& name : names_.of(include)) {
      const First here{often, in_.resolved(file, "name")};
      const auto key = std::pair(name, in_.resolved(include, "time_manipulation"));
      const First& first = first_.try_emplace(key, here).first->second;
      if (first.frequency == often || is_noted) continue;
      is_noted = true;
      in_.findings().note(in_.where(*include.find("output_frequency")),
                          in_quotes(name) + " has a record every " + often +
                              " s here; MONC makes one every " + first.frequency + " s, as for file " +
                              in_quotes(first.file) +
                              ", because it makes the records of a field once for all files");
    }
  }

  const Translation& in_;
  IncludedNames names_;
  std::map<std::pair<std::string, std::string>, First> first_;  ///< by field and manipulation
};

}  // namespace

void note_shared_records(const Translation& translation) { SharedRecords(translation).note(); }

}  // namespace pileus::monc
