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

/// One document, or the part of it for a component, which is read and checked at its root. It never moves, as
/// its parts refer to each other.
struct Source {
  Source(std::shared_ptr<const XmlDocument> document, const Reading& shared, Options its_options);
  /// The part of `whole` for a component.
  Source(const Source& whole, const XmlElement& part);
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  std::shared_ptr<const XmlDocument> document;
  Options options;  ///< those of the run, and in their place those that the include sets
  Reading reading;
  const ElementReader* root() const { return root_.get(); }  ///< nullptr if there is no sense in reading on

  bool is_of_run = false;            ///< it is, or is in, the file that the run is started with
  const XmlElement* part = nullptr;  ///< of a component; null: the whole document
  std::string scope;                 ///< the namespaces around everything in it
  std::vector<std::string> chain;    ///< the files from the first one to this

 private:
  std::unique_ptr<ElementReader> root_;
};

using Sources = std::vector<std::unique_ptr<Source>>;

/// Finds files as `find_include` does, and adds each that it finds to `config`, with which they travel.
/// Without `find_include` there are none. REQUIRES: both outlive the function.
FindInclude kept_in(Config& config, const FindInclude& find_include);

/// Reads the file and everything that it includes; each file comes before those that it includes. A file that
/// cannot be found or includes itself is reported. Of components only that of the name `component` is read.
/// Findings in included files say how they were reached.
Sources read_sources(std::string_view text, const std::string& file_name, const Reading& shared,
                     const FindInclude& find_include, const Dialects& dialects, const std::string& component,
                     Config& config);

}  // namespace pileus
