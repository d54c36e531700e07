#pragma once
// The tables and the controlled vocabulary of CMIP, as CMOR has them in JSON. read_cmip uses them. No other
// file knows their form.
// Source: PCMDI/cmip6-cmor-tables and WCRP-CMIP/cmip7-cmor-tables.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/cmip/cmip_file.h"

namespace pileus {

/// One variable of a table.
struct CmipVariable {
  std::string name;  ///< of the variable in files
  std::string frequency, realm, standard_name, long_name, units, cell_methods, cell_measures, comment,
      positive;
  std::vector<std::string> dimensions;  ///< "longitude", "height2m"
};

class CmipTable {
 public:
  /// Errors: UsageError that says what is wrong with the text.
  explicit CmipTable(const std::string& json);
  ~CmipTable();
  /// Of the header; "" if it is not there.
  std::string header(const std::string& key) const;
  std::vector<std::string> names() const;
  std::optional<CmipVariable> variable(const std::string& name) const;

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
};

/// The table of coordinates.
class CmipCoordinates {
 public:
  /// Errors: UsageError.
  explicit CmipCoordinates(const std::string& json);
  ~CmipCoordinates();
  /// The entry of this name, or all whose generic level it is; {} where it is not known.
  std::vector<CmipCoordinate> entries(const std::string& name) const;

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
};

/// The cell_measures of CMIP7, which stand in a table of their own: by the compound name of a variable.
class CmipCellMeasures {
 public:
  /// Errors: UsageError.
  explicit CmipCellMeasures(const std::string& json);
  ~CmipCellMeasures();
  /// "" where there are none.
  std::string of(const std::string& compound_name) const;

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
};

class CmipVocabulary {
 public:
  /// Errors: UsageError.
  explicit CmipVocabulary(const std::string& json);
  ~CmipVocabulary();

  bool has(const std::string& key) const;
  /// A text, or the first of a list.
  std::string text(const std::string& key) const;
  /// What a value of `key` may be, where that is a list of words; {} where it is free, or a pattern says it.
  std::vector<std::string> words(const std::string& key) const;
  /// Whether `value` may be the value of `key`: always where the vocabulary says nothing.
  bool allows(const std::string& key, const std::string& value) const;
  /// What it says of a value besides: the text `inner` of source_id "X". "" if it says nothing.
  std::string of(const std::string& key, const std::string& value, const std::string& inner = "") const;
  std::vector<std::string> list_of(const std::string& key, const std::string& value,
                                   const std::string& inner) const;
  /// The attributes that each file must have.
  std::vector<std::string> required() const { return list("required_global_attributes"); }
  std::vector<std::string> list(const std::string& key) const;

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
};

}  // namespace pileus
