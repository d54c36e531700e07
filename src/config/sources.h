#pragma once
// The documents that a configuration is made of: the file that the user named, and the files that it
// includes.

#include <memory>
#include <string>
#include <vector>

#include "config/dialect.h"
#include "config/element_reader.h"
#include "config/include_files.h"

namespace pileus {

/// One document, which is read and checked at its root. It never moves, as its parts refer to each other.
struct Source {
  Source(std::unique_ptr<XmlDocument> document, const Reading& shared);
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  std::unique_ptr<XmlDocument> document;
  Reading reading;
  const ElementReader* root() const { return root_.get(); }  ///< nullptr if there is no sense in reading on

  std::string scope;               ///< the namespaces around everything in it
  std::vector<std::string> chain;  ///< the files from the first one to this

 private:
  std::unique_ptr<ElementReader> root_;
};

using Sources = std::vector<std::unique_ptr<Source>>;

/// Finds files as `find_include` does, and adds each that it finds to `config`, with which they travel.
/// Without `find_include` there are none. REQUIRES: both outlive the function.
FindInclude kept_in(Config& config, const FindInclude& find_include);

/// Reads the file and everything that it includes; each file comes before those that it includes. A file that
/// cannot be found or includes itself is reported. Findings in included files say how they were reached.
Sources read_sources(std::string_view text, const std::string& file_name, const Reading& shared,
                     const FindInclude& find_include, const Dialects& dialects, Config& config);

}  // namespace pileus
