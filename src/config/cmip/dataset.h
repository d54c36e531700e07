#pragma once
// What a <cmip-dataset> says of all its files, by the controlled vocabulary.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/cmip/cmip_names.h"
#include "config/cmip/tables.h"
#include "config/element_reader.h"

namespace pileus {

struct CmipDataset {
  const ElementReader& element;
  std::unique_ptr<CmipVocabulary> vocabulary;
  std::vector<AttributeConfig> said;  ///< by <attribute>
  CmipValues values = {};
  bool is_wrong = false;  ///< what it says is not in the vocabulary, which has been reported

  bool is_cmip7() const { return vocabulary->has("branding_suffix"); }
  /// "" where there is none.
  std::string value(const std::string& name) const;
  bool says(const std::string& name) const;
  /// Reports a value that the vocabulary does not allow.
  bool require(const std::string& name, const std::string& said_so, const Location& where);
};

/// Reads all but the files; nothing where the vocabulary cannot be read, which is reported.
std::optional<CmipDataset> read_cmip_dataset(const ElementReader& element, const FindInclude& find_file);

/// Reports what does not fit the experiment and the model.
void check_experiment(const CmipDataset& dataset);

std::string joined_words(const std::vector<std::string>& words);

/// The text of a file beside the configuration; nothing after an error.
std::optional<std::string> text_beside(const ElementReader& element, const FindInclude& find_file,
                                       const Location& where, const std::string& path);

/// One of the tables; null after an error.
template <class Parsed>
std::unique_ptr<Parsed> parsed_table(const ElementReader& element, const FindInclude& find_file,
                                     const Location& where, const std::string& path) {
  const std::optional<std::string> text = text_beside(element, find_file, where, path);
  if (!text) return nullptr;
  try {
    return std::make_unique<Parsed>(*text);
  } catch (const UsageError& error) {
    element.error(where, path + ": " + error.what());
    return nullptr;
  }
}

}  // namespace pileus
