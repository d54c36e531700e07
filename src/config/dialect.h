#pragma once
// Another form of a configuration file than strict XML. Its reader makes the same document of it as the
// strict reader would of the strict form, so that everything after it is one; the wiring hands it to config.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/include_files.h"
#include "config/substitution.h"
#include "core/error.h"

namespace pileus {

class XmlDocument;

/// What the reader of a dialect is given with the text.
struct DialectReading {
  const Options& options;
  const FindInclude& find_include;  ///< keeps what it finds for those who read no files; never empty
  Findings& findings;
  bool is_whole = true;  ///< it is the file of the run, and all that there is
  /// Takes the key of each option that is asked for, if somebody wants to know.
  std::function<void(const std::string& key)> asks_for = {};
};

struct Dialect {
  std::string name;  ///< as in dialect="monc"
  /// True of a text that holds what only files of this dialect do: nothing that may be a slip in strict XML.
  std::function<bool(std::string_view text)> is_in;
  std::function<std::unique_ptr<XmlDocument>(std::string text, const std::string& file_name,
                                             const DialectReading&)>
      read;
};

inline constexpr const char* kStrict = "strict";

/// The dialects that there are besides strict XML, and which of them the file of the run is in.
struct Dialects {
  std::vector<Dialect> known = {};
  std::string chosen = "";  ///< a name of one of them, or "strict"; "": by what the file holds

  std::vector<std::string> names() const {
    std::vector<std::string> all = {kStrict};
    for (const Dialect& one : known) all.push_back(one.name);
    return all;
  }
};

}  // namespace pileus
