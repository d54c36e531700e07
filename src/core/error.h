#pragma once
// Errors are sorted by their cause. Inside the library they are exceptions; capi turns them into a status and
// a text.

#include <cstddef>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/location.h"

namespace pileus {

enum class Severity { note, warning, error };

/// One thing that is wrong, or worth knowing, about a configuration.
struct Finding {
  Severity severity = Severity::error;
  Location where;
  std::string what;  ///< a sentence without a full stop, with the suggestion if there is one

  /// "io.xml:14:9: error: unknown element "feild"; did you mean "field"?"
  std::string text() const;
};

/// All findings of one reading, so that a user learns of every mistake at once.
class Findings {
 public:
  /// Adds an error, unless the same text is already there for the same place: a file may be included twice.
  void error(Location where, std::string what);
  void warning(Location where, std::string what);
  void note(Location where, std::string what);
  bool has_errors() const;
  Findings errors() const;  ///< without notes and warnings
  bool has_error_at(const Location& where) const;
  const std::vector<Finding>& all() const { return findings_; }
  std::vector<Finding> sorted() const;  ///< in the order of file, line and column
  std::string text() const;             ///< one line each, in that order
  /// The text of one finding, with the way to its file if that was included.
  std::string text(const Finding& finding) const;
  /// Notes that `file` was included at `where`; the user did not name it.
  void trace(const std::string& file, const Location& where);
  /// Where the file was included; empty if the user named it.
  std::vector<Location> included_at(const std::string& file) const;

 private:
  void add(Severity severity, Location where, std::string what);
  std::string way_to(const Location& place, std::size_t deepest) const;

  std::vector<Finding> findings_;
  std::set<std::string> said_;                                ///< findings that have a line, so that none is
                                                              ///< said twice
  std::set<std::string> wrong_places_;                        ///< places that have an error
  std::map<std::string, std::vector<Location>> included_at_;  ///< by file
};

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The configuration is wrong, or what the model registered does not fit it. what() holds every finding.
class ConfigError : public Error {
 public:
  explicit ConfigError(Findings findings) : Error(findings.text()), findings_(std::move(findings)) {}
  const Findings& findings() const { return findings_; }

 private:
  Findings findings_;
};

/// A configuration error that another rank found, in that rank's words.
class RefusedError : public ConfigError {
 public:
  explicit RefusedError(std::string text) : ConfigError(Findings{}), text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// The caller broke the rules of the API: wrong order of calls, wrong shape, wrong type.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// A file could not be written; the text names it and the reason of the system.
class OutputError : public Error {
 public:
  using Error::Error;
};

/// There is no space on the disk, or the quota is used up.
class DiskFullError : public OutputError {
 public:
  /// `may_be_repeated`: the failed call lost nothing and left nothing half done, so it may be made again.
  explicit DiskFullError(const std::string& text, bool may_be_repeated = true)
      : OutputError(text), may_be_repeated_(may_be_repeated) {}
  bool may_be_repeated() const { return may_be_repeated_; }

 private:
  bool may_be_repeated_;
};

/// Bytes did not arrive, or are not what they should be.
class TransportError : public Error {
 public:
  using Error::Error;
};

/// An operator, communication, manipulation or format failed or declared nonsense.
class PluginError : public Error {
 public:
  using Error::Error;
};

}  // namespace pileus
