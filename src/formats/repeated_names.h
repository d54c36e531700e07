#pragma once
// Names that readers find beside a variable whose records stand for later ones.

#include <string>

namespace pileus {

/// The records that were written, where readers need another place for them.
inline std::string written_records_name(const std::string& variable) { return variable + "_written"; }

/// For each record the number of the one that stands for it.
inline std::string source_record_name(const std::string& variable) { return variable + "_source_record"; }

/// What readers find that to be, before the variable's name.
inline constexpr const char* kSourceRecordHelp =
    "number of the record, from 0, whose values stand in each record of ";
/// Where chunks have values of several records.
inline constexpr const char* kOldestRecordHelp =
    "number of the oldest record, from 0, of which values stand in each record of ";

inline std::string source_record_help(const std::string& variable, bool are_chunks_apart) {
  return (are_chunks_apart ? kOldestRecordHelp : kSourceRecordHelp) + variable;
}

}  // namespace pileus
