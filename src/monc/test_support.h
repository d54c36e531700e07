#pragma once
// Helpers of this room's tests: files that are texts, and reading with all findings.

#include <map>
#include <string>

#include "analytics/operators/list.h"
#include "config/read_config.h"
#include "monc/dialect.h"
#include "xml/write_xml.h"

namespace pileus::testing {

using Texts = std::map<std::string, std::string>;

/// Finds a file among texts by its normal path.
inline FindInclude among(const Texts& files) {
  return [&files](const std::string& from, const std::string& written) {
    const auto path = (std::filesystem::path(from).parent_path() / written).lexically_normal().string();
    if (const auto found = files.find(path); found != files.end())
      return IncludedFile{from, written, path, found->second};
    Findings findings;
    findings.error({}, "there is no file " + path);
    throw ConfigError(std::move(findings));
  };
}

struct MoncResult {
  Config config;
  Findings findings;
  std::string said() const { return findings.text(); }
};

/// Reads the file `name` of `files` as a MONC file.
inline MoncResult read_monc(const Texts& files, const std::string& name, const Options& options = {},
                            const std::string& dialect = "monc") {
  MoncResult result;
  result.config = read_config(files.at(name), name, builtin_catalogue(), options, result.findings, true,
                              among(files), all_dialects(dialect));
  return result;
}

inline MoncResult read_monc(const std::string& text, const Options& options = {}) {
  return read_monc(Texts{{"io.xml", text}}, "io.xml", options);
}

/// The strict form of a file, or the findings about it.
inline std::string converted(const std::string& text, const std::string& name, const Options& options,
                             const FindInclude& find) {
  Findings findings;
  const auto document = monc_dialect().read(text, name, {options, find, findings});
  return findings.has_errors() ? findings.text() : strict_text(*document);
}

/// Everything that the configuration says except where it stands, one item on each line. Equal texts give
/// equal Plans.
std::string dump(const Config& config);

}  // namespace pileus::testing
