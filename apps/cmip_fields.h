#pragma once
// Which fields a model has, and which of them are variables of CMIP.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/check.h"
#include "config/cmip/tables.h"
#include "config/config.h"
#include "description/model_file.h"
#include "requests/request.h"

namespace pileus::apps {

class FieldsOfModel {
 public:
  /// `included`: elements that include the files of the model, in a configuration that is called `name`.
  /// Reports what is wrong with these, and rows of the mapping whose field is not there.
  FieldsOfModel(Findings& findings, std::vector<FieldOfVariable> mapping,
                const std::optional<ModelFile>& model, const std::string& included,
                const ReadSettings& reading, const std::string& name);

  /// By the request itself, by the mapping, or by its name. `why`: what the model lacks, where there is none.
  std::optional<FieldOfVariable> find(const RequestedVariable& wanted, const std::string& table,
                                      const CmipVariable& variable, std::string& why) const;

  /// The elements that declare those of these fields which no included file declares.
  std::string declarations(const std::set<std::string>& used) const;

 private:
  /// What is known of a field.
  struct Known {
    std::string standard_name;
    const ModelField* of_model = nullptr;
    const FieldOfVariable* of_mapping = nullptr;
    bool is_declared = false;
  };
  void add_included(const std::string& included, const ReadSettings& reading, const std::string& name,
                    Findings& findings);
  void add_model(const ModelDescription& model);
  void add_mapping(Findings& findings);
  const FieldOfVariable* row_of(const std::string& table, const std::string& variable) const;
  std::string time_and_dimensions(const std::set<std::string>& used) const;

  std::vector<FieldOfVariable> mapping_;
  std::map<std::string, Known> known_;  ///< by name
  RankDescription model_;
  std::set<std::string> declared_dimensions_;
  bool has_time_ = false, has_others_ = false;
};

}  // namespace pileus::apps
