#pragma once
// The tables of CMIP on the disk, each read when it is asked for.

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "config/cmip/tables.h"

namespace pileus::apps {

class CmipTables {
 public:
  /// `path`: up to what tells tables apart, "Tables/CMIP6".
  explicit CmipTables(std::string path) : path_(std::move(path)) {}

  /// `why`: what is wrong, where there is no result.
  std::optional<CmipVariable> find(const std::string& table, const std::string& variable, std::string& why);
  /// The one table that has the variable; "" where none has it, or several have.
  std::string table_of(const std::string& variable, std::string& why);

 private:
  const CmipTable* table(const std::string& name, std::string& why);

  std::string path_;
  std::map<std::string, std::unique_ptr<CmipTable>> known_;
  std::map<std::string, std::string> problems_;
};

}  // namespace pileus::apps
