#include "layout/storage/storage.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>

#include "core/error.h"
#include "formats/audit_names.h"
#include "formats/repeated_names.h"
#include "layout/metadata.h"
#include "units/units.h"

namespace pileus::planning {
namespace {

/// So many bits of the fraction that a number, rounded to the nearest, has this relative error at most.
int bits_of(double relative_error) {
  return std::max(1, static_cast<int>(std::ceil(-std::log2(relative_error))) - 1);
}

/// The largest power of two to whose multiples numbers are rounded with this error at most.
double step_of(double absolute_error) {
  int exponent = 0;
  std::frexp(absolute_error, &exponent);  // 2 times the error lies between 2^exponent and twice that
  return std::ldexp(1.0, exponent);
}

/// Of an error in the units of the variable. 0: a finding says why not.
/// `what`: the attribute that has it.
double in_units_of(const Variable& variable, const ErrorConfig& error, const Draft& draft,
                   const std::string& name, const std::string& what, Findings& findings) {
  if (error.units.empty()) return error.most;
  const auto refuse = [&](const std::string& why) {
    report(findings, error.where, quoted(name) + ": " + what + " in " + quoted(error.units) + ": " + why);
    return 0.0;
  };
  const auto units = std::ranges::find(variable.attributes, "units", &Attribute::name);
  if (units == variable.attributes.end()) {
    if (draft.shapes.is_imagined) return error.most;  // the model may say them
    return refuse("it has no units; leave them out of " + what + ", or give its field or diagnostic units");
  }
  try {
    return error.most * std::abs(change_of_units(error.units, std::get<std::string>(units->value)).factor);
  } catch (const UsageError& problem) {
    return refuse(problem.what());
  }
}

/// A finding says why not.
bool has_codec(const FileKind& kind, const StorageConfig& storage, Findings& findings) {
  const Codec* const codec = storage.codec->codec;
  std::string names;
  const std::string by = kind.is_of_messages ? "write packing=" : "compress by ";
  for (const Codec* one : kind.codecs)
    names += (names.empty() ? "" : " or ") + (kind.is_of_messages ? quoted(one->name) : one->name);
  const std::string what = std::string("format=\"") + kind.name + "\" ";
  if (std::ranges::find(kind.codecs, codec) == kind.codecs.end()) {
    report(findings, storage.codec->where, what + "has no " + codec->name + "; " + by + names);
    return false;
  }
  if (storage.shuffle.value == "true" && !codec->sorts_bits && !kind.sorts_before) {
    report(findings, storage.shuffle.where,
           what + "sorts no bytes before " + codec->name + "; compress by blosc, or leave shuffle out");
    return false;
  }
  return true;
}

}  // namespace

Compression compression_of(const StorageConfig& storage, const FileKind& kind, bool is_worth_it,
                           Findings& findings) {
  Compression compression;
  if (!storage.codec || storage.codec->codec == nullptr) return compression;
  if (!has_codec(kind, storage, findings)) return compression;
  if (storage.shuffle.value == "bits" && !storage.codec->codec->sorts_bits) {
    report(findings, storage.shuffle.where,
           std::string("shuffle=\"bits\": ") + storage.codec->codec->name +
               " does not sort bits; compress by blosc, or sort bytes by shuffle=\"true\"");
    return compression;
  }
  if (!is_worth_it) return compression;
  compression.codec = storage.codec->codec;
  compression.level = storage.codec->level;
  if (storage.shuffle.value == "bits") compression.shuffle = Shuffle::bits;
  const bool is_sorted = compression.codec->sorts_bits || kind.sorts_before;
  if (storage.shuffle.value == "false" || !is_sorted) compression.shuffle = Shuffle::none;
  return compression;
}

void add_rounding(const Draft& draft, const Entry& entry, Variable& variable, Findings& findings) {
  const StorageConfig storage = storage_of(draft, entry);
  int bits = static_cast<int>(storage.significant_bits.value_or(0));
  if (storage.error && storage.error->is_relative) bits = bits_of(storage.error->most);
  if (storage.error && !storage.error->is_relative) {
    const double error = in_units_of(variable, *storage.error, draft, entry.name.value, "error", findings);
    variable.storage.step = error > 0 && std::isnormal(error) ? step_of(error) : 0;
  }
  if (storage.information && (!storage.codec || storage.codec->codec == nullptr))
    report(findings, storage.information->where,
           quoted(entry.name.value) +
               ": precision_from without a codec: fewer bits take less space only where they are compressed; "
               "add deflate, zstd or blosc, or use significant_bits or error");
  if (storage.information && draft.graph.config->files[entry.file].on_disk.is_in_parts)
    report(findings, storage.information->where,
           quoted(entry.name.value) +
               ": precision_from with parts=\"server\": how many bits are kept is learned where one file is "
               "written; remove one of the two");
  if (storage.information) variable.storage.information = storage.information->level;
  const bool are_all = bits >= (variable.type == ElementType::float32 ? 23 : 52);
  variable.storage.significant_bits = are_all ? 0 : bits;
}

std::vector<std::string> names_beside(const Variable& variable) {
  if (variable.storage.is_audited) {
    const auto names = audit_names(variable.name);
    return {names.begin(), names.end()};
  }
  if (!variable.storage.write_if) return {};
  return {written_records_name(variable.name), source_record_name(variable.name)};
}

namespace {

/// What a file says counts only for those of its variables that may have it.
void add_audit(const Draft& draft, const Entry& entry, Variable& variable, Findings& findings) {
  const StorageConfig storage = storage_of(draft, entry);
  if (storage.audit.value != "true") return;
  const FileKind& kind = *draft.graph.config->files[entry.file].kind;
  const bool is_of_file = draft.graph.config->files[entry.file].storage.audit.where == storage.audit.where;
  const auto refuse = [&](bool may_be_of_others, const std::string& why) {
    if (is_of_file && may_be_of_others) return;
    report(findings, storage.audit.where, quoted(entry.name.value) + ": audit " + why);
  };
  if (kind.is_of_messages)
    return refuse(false, "in format=\"" + std::string(kind.name) +
                             "\", which has the errors of all messages beside it anyway: leave it out");
  if (draft.graph.config->files[entry.file].on_disk.is_in_parts)
    return refuse(false,
                  "with parts=\"server\": what rounding did goes into the file with the chunks, through its "
                  "owner; give one of them");
  if (draft.is_static[entry.node]) return refuse(true, "is of records, and this never changes: leave it out");
  if (variable.type != ElementType::float64 && variable.type != ElementType::float32)
    return refuse(true, "is for floating-point numbers, and this has none; leave it out here");
  if (!storage.codec || storage.codec->codec == nullptr)
    return refuse(false,
                  "without a codec: numbers are compared where they are compressed; add deflate, "
                  "zstd or blosc");
  const bool are_both_of_file = draft.graph.config->files[entry.file].storage.write_if.has_value();
  if (storage.write_if)
    return refuse(!are_both_of_file,
                  "with write_if, which says itself how far records are from what is there: give one of "
                  "them");
  variable.storage.is_audited = variable.storage.compression.is_packed() || draft.shapes.is_imagined;
}

}  // namespace

void add_selection(const Draft& draft, const Entry& entry, Variable& variable, Findings& findings) {
  add_audit(draft, entry, variable, findings);
  if (!variable.storage.compression.is_packed()) variable.storage.information = 0;  // it keeps all bits
  if (draft.is_static[entry.node]) return;
  const StorageConfig storage = storage_of(draft, entry);
  const bool is_of_file = draft.graph.config->files[entry.file].storage.write_if.has_value();
  const std::string name = quoted(entry.name.value);
  if (!storage.write_if) {
    if (storage.at_least_every && !draft.graph.config->files[entry.file].storage.at_least_every)
      report(findings, storage.at_least_every->where,
             name + ": at_least_every without write_if: every record is written anyway; leave it out");
    if (storage.per.is_given() && !draft.graph.config->files[entry.file].storage.per.is_given())
      report(findings, storage.per.where,
             name + ": per without write_if: every chunk is written anyway; leave it out");
    return;
  }
  const WriteIfConfig& asked = *storage.write_if;
  const FileKind& kind = *draft.graph.config->files[entry.file].kind;
  if (kind.is_of_messages) {
    report(findings, asked.error.where,
           name + ": write_if in format=\"" + kind.name +
               "\", where no record stands for another: leave it out");
    return;
  }
  if (draft.graph.config->files[entry.file].on_disk.is_in_parts)
    report(findings, asked.error.where,
           name +
               ": write_if with parts=\"server\": records that stand for others are in one file; remove one "
               "of the two");
  if (!storage.codec || storage.codec->codec == nullptr)
    report(findings, asked.error.where,
           name +
               ": write_if without a codec: only what is compressed has records of any length; add "
               "deflate, zstd or blosc");
  if (storage.information)
    report(findings, asked.error.where, name + ": has both write_if and precision_from: give one of them");
  if (variable.type != ElementType::float64 && variable.type != ElementType::float32) {
    if (!is_of_file)
      report(findings, asked.error.where,
             name + ": write_if is for floating-point numbers, and this has none; leave it out here");
    return;
  }
  WriteIf made{asked.is_largest, asked.error.is_relative, asked.error.most, 0};
  if (!made.is_relative && made.most > 0)
    made.most = in_units_of(variable, asked.error, draft, entry.name.value, "write_if", findings);
  // What is too small is written always.
  if (!variable.storage.compression.is_packed() && !draft.shapes.is_imagined) return;
  if (storage.at_least_every) made.at_least_every_s = storage.at_least_every->seconds;
  made.is_per_chunk = storage.per.value == "chunk";
  variable.storage.write_if = made;
  variable.attributes.push_back({"write_if", asked.text + (made.is_per_chunk ? " per chunk" : "")});
}

void refuse_information(const Draft& draft, const Entry& entry, Findings& findings) {
  const auto information = storage_of(draft, entry).information;
  if (!information || draft.graph.config->files[entry.file].storage.information) return;
  report(findings, information->where,
         quoted(entry.name.value) +
             ": precision_from is for floating-point numbers, and this has none; leave "
             "it out here");
}

}  // namespace pileus::planning
