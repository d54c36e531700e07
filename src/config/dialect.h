#pragma once
// A form of configuration files other than strict XML. Its reader makes the same document that the strict
// reader would make of the strict form, so that everything after it is the same. The wiring gives the
// dialects to config.

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

/// What the reader of a dialect gets besides the text.
struct DialectReading {
  const Options& options;
  const FindInclude& find_include;  ///< keeps what it finds for readers without files; never empty
  Findings& findings;
  bool is_whole = true;  ///< it is the file of the run, and there is no other
  /// If set, it is called with the key of each option that the text uses.
  std::function<void(const std::string& key)> asks_for = {};
};

struct Dialect {
  std::string name;  ///< as in dialect="monc"
  /// True for a text with something that only files of this dialect hold, and that cannot be a slip in strict
  /// XML. The options may say that the model has files of this dialect.
  std::function<bool(std::string_view text, const Options& options)> is_in;
  std::function<std::unique_ptr<XmlDocument>(std::string text, const std::string& file_name,
                                             const DialectReading&)>
      read;
};

inline constexpr const char* kStrict = "strict";

/// The known dialects besides strict XML, and the one that the file of the run is in.
struct Dialects {
  std::vector<Dialect> known = {};
  std::string chosen = "";  ///< the name of a dialect, or "strict"; "": the contents of the file decide

  /// The dialect of a text, of which the user says `said`; nullptr if it is strict XML.
  const Dialect* of(std::string_view text, std::string_view said, const Options& options) const {
    for (const Dialect& one : known) {
      if (said.empty() ? one.is_in(text, options) : one.name == said) return &one;
    }
    return nullptr;
  }
  const Dialect* of(std::string_view text, const Options& options) const { return of(text, chosen, options); }

  std::vector<std::string> names() const {
    std::vector<std::string> all = {kStrict};
    for (const Dialect& one : known) all.push_back(one.name);
    return all;
  }
};

}  // namespace pileus
