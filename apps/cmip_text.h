#pragma once
// The text of the configuration that pileus cmip writes: each variable has a line, by which what check says
// of it is found.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pileus::apps {

/// For the value of an attribute in quotes.
std::string escaped(const std::string& text);

/// One <cmip>.
struct CmipEntry {
  int line = 0;  ///< of the request
  std::string region, table, variable, field, positive, frequency;
  std::string period;  ///< its write_time_frequency, unless the dataset has one
};

class CmipText {
 public:
  /// `output`: the file that it will be, from whose folder paths count; "": the working directory.
  explicit CmipText(std::string output) : output_(std::move(output)) {}

  /// `given`: each "name=value". Errors: UsageError.
  void set_dataset(const std::string& tables, const std::string& cv, const std::vector<std::string>& given);
  void set_attribute(const std::string& name, const std::string& value) { attributes_[name] = value; }
  /// "" where it is not given.
  std::string attribute(const std::string& name) const;
  /// Elements that include these files, which stand in the text from now on.
  const std::string& included(const std::vector<std::string>& files);
  void set_declarations(std::string text) { declarations_ = std::move(text); }

  void add(CmipEntry entry) { entries_.push_back(std::move(entry)); }
  const std::vector<CmipEntry>& entries() const { return entries_; }
  /// Takes away what stands in this line of the text that was made last.
  std::optional<CmipEntry> remove_at(int line);

  /// Puts {name} where a needed attribute is not given. Returns those for which `options` has no value.
  std::set<std::string> add_open_keys(const std::vector<std::pair<std::string, std::string>>& options);

  /// `left_out`: lines of a comment.
  std::string text(const std::vector<std::string>& left_out);

 private:
  std::string path_from_output(const std::string& path) const;
  void add_dataset(const std::string& region, std::string& text);

  std::string output_, included_, declarations_;
  std::map<std::string, std::string> attributes_;                   ///< of the dataset
  std::vector<std::pair<std::string, std::string>> of_files_ = {};  ///< others
  std::vector<CmipEntry> entries_;
  std::map<int, int> lines_;  ///< line of the request by line of the text
};

}  // namespace pileus::apps
