#include "config/read_file.h"

#include <algorithm>
#include <utility>

#include "config/in_time/read_segments.h"
#include "config/in_time/read_stages.h"
#include "config/messages.h"
#include "config/on_disk/read_on_disk.h"
#include "config/read_attributes.h"
#include "config/read_storage.h"
#include "config/substitution.h"

namespace pileus {
namespace {

/// Another word has been found wrong.
WhenFull when_full(std::string_view word) {
  for (WhenFull policy : {WhenFull::skip, WhenFull::stop}) {
    if (word == name(policy)) return policy;
  }
  return WhenFull::wait;
}

WhenMemoryFull when_memory_full(std::string_view word) {
  for (WhenMemoryFull policy : {WhenMemoryFull::spill, WhenMemoryFull::thin, WhenMemoryFull::drop}) {
    if (word == name(policy)) return policy;
  }
  return WhenMemoryFull::wait;
}

Naming naming(std::string_view word) {
  if (word == "monc-leeds") return Naming::monc_leeds;
  return word == "monc" ? Naming::monc : Naming::pileus;
}

bool is_of_checkpoints(const ElementReader& file) {
  const std::vector<XmlElement>& inside = file.element().children;
  return std::ranges::any_of(
      inside, [](const XmlElement& one) { return one.name == "include" && one.find("state") != nullptr; });
}

/// {step} is the step with which a file ends, so that no other key is needed beside it.
void check_step_in_name(const ElementReader& element, const FileConfig& file, bool is_in_time) {
  constexpr std::string_view kStep = "{step}";
  const std::string& name = file.name.value;
  const std::size_t at = name.find(kStep);
  if (at == name.npos) return;
  if (is_in_time && file.write_time_frequency.is_given()) {
    element.error(file.name.where, "{step} stands for the last step of a file; " + element.label() +
                                       " is written by model time: use {time}, {date} or {index}");
  }
  const std::string rest = name.substr(0, at) + name.substr(at + kStep.size());
  if (std::ranges::any_of(period_keys(),
                          [&](const std::string& key) { return rest.find("{" + key + "}") != rest.npos; })) {
    element.error(file.name.where, "{step} stands in a name once, and without {time}, {date} or {index}");
  }
}

/// What else says when a file is written has nothing to say here.
void check_file_of_checkpoints(const ElementReader& element, const FileConfig& file) {
  for (const char* attribute : {"write_time_frequency", "write_timestep_frequency", "write_on_terminate"}) {
    if (!element.is_usable(attribute)) continue;
    element.note(element.text(attribute).where,
                 std::string(attribute) + " has no effect: " + element.label() +
                     " is written with every checkpoint (state=\"io\"), for which the model asks");
  }
  if (file.name.value.find("{date}") != std::string::npos) {
    element.error(file.name.where, "{date} stands for the model time of a file; " + element.label() +
                                       " is written by steps: use {time}, its step");
  }
}

void read_write_frequency(const ElementReader& element, FileConfig& file) {
  file.write_time_frequency = element.duration("write_time_frequency").value_or(Duration{});
  file.write_timestep_frequency = element.integer("write_timestep_frequency", 0).value_or(0);
  file.write_on_terminate = element.boolean("write_on_terminate");
  const bool is_in_time = element.is_given("write_time_frequency");
  const bool is_in_steps = element.is_given("write_timestep_frequency");
  file.is_by_steps = is_in_steps;
  const bool is_misspelt =
      element.was_misspelt("write_time_frequency") || element.was_misspelt("write_timestep_frequency");
  if (is_in_time && is_in_steps) {
    element.error(element.text("write_timestep_frequency").where,
                  element.label() + " has a write_time_frequency already; leave one of the two out");
  } else if (!is_in_time && !is_in_steps && !is_misspelt) {
    element.error(element.where(), element.label() +
                                       " needs the attribute \"write_time_frequency\" (model time that one "
                                       "file covers, in s) or \"write_timestep_frequency\" (steps)");
  }
  if (!is_in_time && is_in_steps && file.name.value.find("{date}") != std::string::npos) {
    element.error(file.name.where, "{date} stands for the model time of a file; " + element.label() +
                                       " is written by steps: use {time}, its last step, or {index}");
  }
  check_step_in_name(element, file, is_in_time);
  if (element.is_usable("write_on_terminate") && !file.write_on_terminate) {
    element.note(element.text("write_on_terminate").where,
                 "write_on_terminate=\"false\" throws nothing away: what a file holds when the run ends is "
                 "written");
  }
  if (element.is_usable("store_state")) {
    element.note(element.text("store_state").where,
                 "store_state has no effect: checkpoints hold what is in progress in every file");
  }
}

/// Where each file replaces the one before, their one name says nothing of the period.
void read_keep(const ElementReader& element, FileConfig& file) {
  file.keeps_newest = element.text("keep").value == "newest";
  if (!file.keeps_newest) return;
  for (const std::string& key : period_keys()) {
    const std::string written = "{" + key + "}";
    if (file.name.value.find(written) == std::string::npos) continue;
    return element.error(
        file.name.where,
        written +
            " says which period a file is of; with keep=\"newest\" all have one name: " + "leave it out");
  }
  const bool is_one = !file.write_time_frequency.is_given() && file.write_timestep_frequency == 0;
  if (is_one && !file.is_of_checkpoints) {
    element.note(element.text("keep").where,
                 "keep=\"newest\" has no effect: " + element.label() + " is one for the whole run");
  }
}

/// The format that is given, or the one whose extension the name has.
void read_format(const ElementReader& element, FileConfig& file) {
  const FileKind* const of_name = file_kind_of(file.name.value);
  if (!element.is_given("format")) {
    if (of_name != nullptr) file.kind = of_name;
    return;
  }
  if (!element.is_usable("format")) return;
  file.format = element.text("format");
  file.kind = find_file_kind(file.format.value);
  if (of_name == nullptr || of_name == file.kind) return;
  element.error(file.format.where, element.label() + " has format=" + in_quotes(file.format.value) +
                                       ", whose files are called " + in_quotes(file.kind->extension) +
                                       ": give it a name that ends so, or one without an extension");
}

/// Of a file alone: what is said of a field holds for all files that have it.
void refuse_packing(const ElementReader& element, const FileConfig& file) {
  if (file.kind->is_of_messages) return;
  for (const char* attribute : {"packing", "bits_per_value", "decimal_scale"}) {
    if (!element.is_given(attribute) || !element.is_usable(attribute)) continue;
    element.error(element.text(attribute).where,
                  element.label() + " has " + attribute + "=" + in_quotes(element.text(attribute).value) +
                      ", which is for files of GRIB: call it .grib2, or round numbers by error");
  }
}

void read_name(const ElementReader& include, FileIncludeConfig& out) {
  if (!include.is_usable("name")) return;
  out.name = include.text("name");
  if (!include.is_given("group")) return;
  include.error(out.name.where, "name=" + in_quotes(out.name.value) +
                                    " names one variable, and a group may have several; include its fields "
                                    "one by one to name them");
  out.name = {};
}

/// Each file of a checkpoint has the values of one step.
void take_moment(const ElementReader& include, FileIncludeConfig& out) {
  const Text manipulation = include.text("time_manipulation");
  const char* const what = "a file with include state=\"io\" has the values of the step of the checkpoint: ";
  if (manipulation.value != "none" && manipulation.value != "instantaneous" &&
      include.is_usable("time_manipulation"))
    include.error(manipulation.where, what + ("remove time_manipulation=" + in_quotes(manipulation.value)));
  if (include.is_given("output_frequency"))
    include.error(include.text("output_frequency").where, std::string(what) + "remove output_frequency");
  for (const char* attribute : {"from", "until", "diurnal"})
    if (include.is_given(attribute))
      include.error(include.text(attribute).where, what + ("remove " + std::string(attribute)));
  out.time_manipulation.value = "none";
  out.stages.clear();
  out.over = out.from = out.until = {};
  out.output_frequency.reset();
  out.is_from_last = false;
  out.diurnal = 0;
}

void read_count(const ElementReader& include, FileIncludeConfig& out) {
  const Text counts = include.text("counts_from");
  out.is_from_last = counts.value == "last_record";
  if (!out.is_from_last) return;
  const bool is_in_months = out.output_frequency && out.output_frequency->months > 0;
  if (out.output_frequency && !is_in_months) return;
  if (is_in_months) {
    include.error(counts.where,
                  "counts_from=\"last_record\" needs an output_frequency in seconds, minutes, hours or days");
  } else if (!include.is_given("output_frequency")) {
    include.error(counts.where, "counts_from=\"last_record\" needs an output_frequency");
  }
}

void check_output_frequency(const ElementReader& include, const FileIncludeConfig& out) {
  if (include.is_given("time_manipulation") && !include.is_usable("time_manipulation")) return;
  const std::string& manipulation = out.time_manipulation.value;
  const bool is_given = include.is_given("output_frequency");
  if (manipulation == "none" && is_given) {
    include.error(
        include.text("output_frequency").where,
        "time_manipulation=\"none\" writes every value: remove output_frequency, or choose averaged or "
        "instantaneous");
  } else if (manipulation != "none" && !is_given) {
    include.error(include.where(),
                  "include needs the attribute \"output_frequency\" (model time between two " + manipulation +
                      " values, in s), or time_manipulation=\"none\"");
  }
}

void read_trigger_of(const ElementReader& element, FileConfig& file) {
  file.trigger = element.text("trigger");
  if (!element.is_usable("before")) return;
  file.before = element.cadence("before");
  file.before_where = element.text("before").where;
  const auto refuse = [&](const std::string& what) {
    element.error(file.before_where,
                  element.label() + " with before=" + in_quotes(element.text("before").value) + ": " + what);
    file.before = 0;
  };
  if (!file.trigger.is_given()) return refuse("it belongs to trigger, which says when the file begins");
  if (file.is_of_checkpoints) return refuse("a checkpoint has the values of its step: remove it");
  if (file.before.is_final_only()) return refuse("expected some steps, or a time with a unit: remove it");
  const bool drops =
      file.when_memory_full == WhenMemoryFull::thin || file.when_memory_full == WhenMemoryFull::drop;
  if (drops)
    refuse("what waits for its trigger is in memory, and when_memory_full=" +
           in_quotes(name(file.when_memory_full)) + " leaves records out: remove one of the two");
}

}  // namespace

FileConfig read_file_alone(const ElementReader& element) {
  FileConfig file;
  file.name = element.text("name");
  file.is_of_checkpoints = is_of_checkpoints(element);
  if (file.is_of_checkpoints) {
    check_file_of_checkpoints(element, file);
    check_step_in_name(element, file, false);
  } else {
    read_write_frequency(element, file);
  }
  read_format(element, file);
  file.title = element.text("title");
  file.naming = naming(element.text("naming").value);
  file.may_overwrite = element.boolean("overwrite");
  read_keep(element, file);
  file.on_publish = element.text("on_publish");
  file.when_full = when_full(element.text("when_full").value);
  file.when_memory_full = when_memory_full(element.text("when_memory_full").value);
  read_trigger_of(element, file);
  const bool keeps_all =
      file.when_memory_full == WhenMemoryFull::wait || file.when_memory_full == WhenMemoryFull::spill;
  if (file.is_of_checkpoints && !keeps_all) {
    element.error(element.text("when_memory_full").where,
                  element.label() + " is written with every checkpoint, of which none is left out: remove " +
                      "when_memory_full=" + in_quotes(name(file.when_memory_full)));
  }
  file.storage = read_storage(element);
  read_on_disk(element, file);
  refuse_packing(element, file);
  file.dimensions = element.names("dimensions");
  file.attributes = read_attributes(element, AttributeHome::file);
  file.where = element.where();
  return file;
}

FileIncludeConfig read_include(const ElementReader& include, std::string scope, bool is_of_checkpoints) {
  FileIncludeConfig out;
  out.where = include.where();
  out.scope = std::move(scope);
  out.field = include.text("field");
  out.group = include.text("group");
  out.output_frequency = include.duration("output_frequency");
  read_stages(include, out);
  read_span(include, out);
  out.storage = read_storage(include);
  out.units = include.text("units");
  out.grib = include.text("grib");
  out.attributes = read_attributes(include, AttributeHome::include);
  read_name(include, out);
  read_count(include, out);
  read_diurnal(include, out);
  out.with = include.text("with");
  read_segments(include, out);
  if (is_of_checkpoints) {
    take_moment(include, out);
  } else {
    check_output_frequency(include, out);
  }
  return out;
}

void check_state(const ElementReader& include) {
  for (const XmlAttribute& attribute : include.element().attributes) {
    if (attribute.name == "state") continue;
    include.error(include.where(),
                  "include state=\"io\" says when the file is written, and nothing else: "
                  "write a second include for " +
                      in_quotes(attribute.name));
    return;
  }
}

}  // namespace pileus
