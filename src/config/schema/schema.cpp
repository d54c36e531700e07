#include "config/schema/schema.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "codecs/codec.h"
#include "config/schema/cmip_schema.h"
#include "config/schema/grid_schema.h"
#include "config/schema/input_schema.h"
#include "config/schema/statistics_schema.h"
#include "core/manipulation.h"
#include "formats/kinds/file_kind.h"

namespace pileus {
namespace {

using Kind = ValueKind;
constexpr bool kRequired = true;
constexpr bool kOptional = false;

AttributeSchema attribute(std::string name, Kind kind, bool is_required, std::string help) {
  return {std::move(name), kind, is_required, "", std::move(help)};
}

AttributeSchema flag(std::string name, std::string help) {
  return {std::move(name), Kind::boolean, kOptional, "false", std::move(help)};
}

AttributeSchema word(std::string name, std::string default_value, std::vector<std::string> words,
                     std::string help) {
  return {std::move(name),          Kind::word,      kOptional,
          std::move(default_value), std::move(help), std::move(words)};
}

std::vector<std::string> names_of_file_kinds() {
  std::vector<std::string> names;
  for (const FileKind* kind : all_file_kinds()) names.emplace_back(kind->name);
  return names;
}

std::string help_of_file_kinds() {
  std::string help = "the one that the name ends with";
  for (const FileKind* kind : all_file_kinds())
    help += std::string("; ") + kind->name + " (" + kind->extension + "): " + kind->help;
  return help;
}

AttributeSchema number_kept() {
  return {"keep", Kind::integer, kOptional, "2", "how many are kept; older ones are removed"};
}

std::vector<std::string> names_of_packings() {
  std::vector<std::string> names;
  for (const Codec* packing : all_packings()) names.emplace_back(packing->name);
  return names;
}

std::string help_of_packings() {
  std::string help = "of numbers in GRIB, as whole ones for each level";
  for (const Codec* packing : all_packings())
    help += std::string("; ") + packing->name + ": " + packing->help;
  return help;
}

/// Adds the attributes that say how a variable lies in a file.
void add_storage(std::vector<AttributeSchema>& attributes) {
  attributes.push_back(attribute("order", Kind::order, kOptional,
                                 "dimensions in files, slowest first, for example \"time,z,y,x\""));
  attributes.push_back(word("precision", "", {"double", "float"}, "of floating-point numbers in files"));
  attributes.push_back(
      attribute("significant_bits", Kind::bits, kOptional,
                "bits of the fraction to which numbers are rounded in files, for example 10"));
  attributes.push_back(attribute("error", Kind::error, kOptional,
                                 "or the largest error of rounding, for example \"absolute 0.01 K\" or "
                                 "\"relative 1e-4\""));
  attributes.push_back(attribute("precision_from", Kind::text, kOptional,
                                 "or which part of the real information of the first record is kept, for "
                                 "example \"information 0.99\"; the bits that have it are learned"));
  attributes.push_back(
      attribute("write_if", Kind::text, kOptional,
                "how far a record is from the last one that was written before it is written "
                "too, for example \"rms 0.05 K\" or \"max relative 1e-3\""));
  attributes.push_back(
      word("per", "field", {"field", "chunk"},
           "with write_if: whether a record is written as a whole, or each of its chunks where "
           "it differs"));
  attributes.push_back(attribute("at_least_every", Kind::duration, kOptional,
                                 "model time after which a record is written whatever write_if says"));
  attributes.push_back(flag("audit",
                            "whether the file has the largest and the mean error of each record by rounding, "
                            "and the loss of variance"));
  for (const Codec* codec : all_codecs()) {
    std::string help = std::string("level of compression in files, 1 to 9, or 0 for none: ") + codec->help;
    if (*codec->readers != '\0') help += std::string("; readers need ") + codec->readers;
    attributes.push_back(attribute(codec->name, Kind::level, kOptional, std::move(help)));
  }
  attributes.push_back(word("shuffle", "true", {"true", "false", "bits"},
                            "whether bytes are sorted before they are compressed, or with blosc bits"));
  attributes.push_back(word("packing", "ccsds", names_of_packings(), help_of_packings()));
  attributes.push_back(attribute("bits_per_value", Kind::packed_bits, kOptional,
                                 "of the whole numbers of a level in GRIB; 16 where nothing is said"));
  attributes.push_back(
      attribute("decimal_scale", Kind::places, kOptional,
                "or the decimal places that numbers keep in GRIB: 2 for errors up to 0.005"));
}

AttributeSchema parameter_of_grib() {
  return attribute("grib", Kind::text, kOptional,
                   "parameter in GRIB: a shortName, a paramId or numbers such as 0.2.9; it follows from the "
                   "standard_name where that is known");
}

std::vector<AttributeSchema> with_storage(std::vector<AttributeSchema> attributes) {
  add_storage(attributes);
  return attributes;
}

/// The attributes that fields and diagnostics have in common, after the name.
std::vector<AttributeSchema> described(AttributeSchema name, std::vector<std::string> types,
                                       AttributeSchema data_type, std::vector<AttributeSchema> own = {}) {
  std::vector<AttributeSchema> all = {
      std::move(name),
      word("type", "", std::move(types), "follows from size where that is given"),
      std::move(data_type),
      attribute("size", Kind::names, kOptional,
                "names of the dimensions, fastest first, for example \"z,y,x\""),
  };
  for (AttributeSchema& one : own) all.push_back(std::move(one));
  all.push_back(
      attribute("units", Kind::text, kOptional, "units as UDUNITS writes them, for example \"kg m-2\""));
  all.push_back(
      attribute("units_metadata", Kind::text, kOptional,
                "for units of temperature: \"temperature: on_scale\" or \"temperature: difference\""));
  all.push_back(attribute("standard_name", Kind::text, kOptional, "name in the CF standard name table"));
  all.push_back(
      attribute("long_name", Kind::text, kOptional, "name for people; the name itself where it is missing"));
  all.push_back(parameter_of_grib());
  add_storage(all);
  return all;
}

std::vector<ElementSchema> sections() {
  return {
      {"io-configuration", "", "the root", {}},
      {"server-configuration", "io-configuration", "how the servers run", {}, true},
      {"include",
       "io-configuration",
       "another file that is read as if it stood here",
       {attribute("file", Kind::path, kRequired, "looked up beside this file, then among the presets"),
        attribute("namespace", Kind::name, kOptional, "around all names of that file"),
        attribute("set", Kind::text, kOptional,
                  "options of that file alone, for example \"w=w_centre; every=10 min\""),
        word("dialect", "", {"strict", "monc", "monc-leeds", "monc-epcc"},
             "of that file; follows from what it holds otherwise")}},
      {"data-definition",
       "io-configuration",
       "fields that the model hands over together",
       {attribute("name", Kind::name, kRequired, "name of this group of fields"),
        attribute("frequency", Kind::cadence, kRequired,
                  "model steps between two hand-overs, or model time with a unit; 0: only in the final step"),
        flag("send_on_terminate", "in the final step too, whatever its number"),
        attribute("namespace", Kind::name, kOptional,
                  "of the fields; that of fields from files is the name of the component otherwise"),
        attribute("component", Kind::name, kOptional,
                  "the component of the job whose published files have the fields, in place of a model"),
        attribute("file", Kind::text, kOptional, "which file of that component, by its name there")},
       false,
       true},
      {"time",
       "io-configuration",
       "when model time is; overrules what the model says",
       {attribute("calendar", Kind::calendar, kOptional, "one of the calendars of CF"),
        attribute("epoch", Kind::date, kOptional,
                  "the date of model time 0, for example \"2000-01-01 00:00:00\""),
        attribute("end", Kind::duration, kOptional,
                  "the model time at which the model ends, often an option such as \"{end}\": the line of "
                  "progress then says how long that takes")},
       true},
      {"dimension",
       "io-configuration",
       "what files say of a dimension of the model",
       {attribute("name", Kind::name, kRequired, "name of the dimension in the model"),
        attribute("units", Kind::text, kOptional,
                  "of its coordinates, as UDUNITS writes them; the model's otherwise"),
        attribute("standard_name", Kind::text, kOptional, "name in the CF standard name table"),
        attribute("long_name", Kind::text, kOptional, "name for people; the name itself where it is missing"),
        word("axis", "", {"X", "Y", "Z"}, "which way it runs"),
        word("positive", "", {"up", "down"}, "which way coordinates of a vertical dimension grow"),
        attribute("formula_terms", Kind::text, kOptional,
                  "variables that CF computes its height or pressure from: \"ap: a b: b ps: ps\""),
        attribute("computed_standard_name", Kind::text, kOptional, "of what is computed from formula_terms"),
        flag("bounds", "cells that end half way to the neighbours, where the model gives none")}},
      {"data-handling",
       "io-configuration",
       "what is computed from the fields",
       {attribute("namespace", Kind::name, kOptional,
                  "of the diagnostics, where names are looked up first")}},
      {"group",
       "io-configuration",
       "fields that are written together",
       {attribute("name", Kind::name, kRequired, "name of the group, for include"),
        attribute("namespace", Kind::name, kOptional, "of the group, where members are looked up first")},
       false,
       true},
      {"data-writing", "io-configuration", "the files that are written", {}},
      {"component",
       "io-configuration",
       "what is for one component of a job of several alone; all that stands outside is for each of them",
       {attribute("name", Kind::name, kRequired, "of the component, as the model's settings give it")}},
  };
}

std::vector<ElementSchema> inner_elements() {
  const char* result = "name of the value that this rule makes";
  return {
      {"servers",
       "server-configuration",
       "which ranks of the model's program serve; give one of the attributes",
       {attribute("ratio", Kind::integer, kOptional, "one server for at most so many model ranks"),
        attribute("per_node", Kind::integer, kOptional, "servers on every node"),
        attribute("per_socket", Kind::integer, kOptional, "servers on every socket to which ranks are bound"),
        attribute("per_numa", Kind::integer, kOptional,
                  "servers in every NUMA domain to which ranks are bound"),
        attribute("total", Kind::integer, kOptional, "servers altogether")},
       true},
      {"thread_pool",
       "server-configuration",
       "the workers of a server",
       {attribute("number", Kind::integer, kRequired, "number of workers")},
       true},
      {"operator-library",
       "server-configuration",
       "operators of your own, in a shared library",
       {attribute("file", Kind::path, kRequired, "path of the library, from the configuration's folder")}},
      {"events",
       "server-configuration",
       "what happens in the run, a line of JSON each, for programs that wait for files",
       {{"file", Kind::plain_file_name, kOptional, "pileus-events.jsonl",
         "its name in the folder of the files"},
        attribute(
            "on_epoch", Kind::text, kOptional,
            "command that runs when all files are complete up to a later model time, with that in s behind "
            "it"),
        attribute("on_checkpoint", Kind::text, kOptional,
                  "command that runs when a checkpoint is complete, with its folder behind it"),
        attribute("on_end", Kind::text, kOptional,
                  "command that runs when the run is over, with the folder of its files behind it")},
       true},
      {"memory",
       "server-configuration",
       "the memory of a server",
       {attribute("budget", Kind::bytes, kRequired, "bytes for each server, for example \"2 GiB\""),
        word("when_full", "wait", {"wait"}, "the model waits; files say otherwise by when_memory_full"),
        attribute("spill_directory", Kind::whole_path, kOptional,
                  "folder on a disk of each server's own, for files with when_memory_full=\"spill\""),
        {"spill_limit", Kind::bytes, kOptional, "16 GiB", "bytes there at once for each server"}},
       true},
      {"pushdown",
       "server-configuration",
       "what model ranks hand over in place of fields; fields say it by their attribute of that name",
       {word("use", "yes", {"yes", "no"}, "no: model ranks hand over whole fields"),
        {"budget", Kind::wall_time, kOptional, "0.001 s",
         "the most time that it may cost a model rank in a step, as it is predicted from sizes"}},
       true},
      {"checkpoint",
       "server-configuration",
       "when the model is told that a checkpoint is due, and how many are kept",
       {number_kept(),
        attribute("steps", Kind::integer, kOptional, "one is due every so many steps of the model"),
        attribute("frequency", Kind::duration, kOptional,
                  "one is due whenever so much model time has passed, in s or with a unit"),
        attribute("wall_time", Kind::wall_time, kOptional,
                  "one is due when the last is so old by the clock on the wall, in s or with a unit"),
        attribute("signals", Kind::signals, kOptional,
                  "one is due after one of these, and the job about to end: for example \"TERM USR1\"")},
       true},
      {"field", "data-definition", "one field of the model",
       described(
           attribute("name", Kind::name, kRequired, "name of the field in the model"),
           {"scalar", "array", "map"},
           word("data_type", "", {"double", "float", "integer", "boolean", "string"},
                "type of the values on their way and in files; that which the model registers otherwise"),
           {flag("collective", "each model rank holds a part of the field"),
            word("parts", "", {"distributed", "own", "same"},
                 "what each model rank holds: a part of the field, a value of its own, or the same as all; "
                 "follows from its uses"),
            attribute("missing_value", Kind::number, kOptional, "the model's number for no value"),
            flag("optional", "the model may do without this field"),
            flag("static",
                 "it never changes, such as a mask: handed over in the first step alone, and written "
                 "without a time axis"),
            flag("hold", "it changes seldom: in steps that lack it the last value holds"),
            attribute("grid", Kind::reference, kOptional, "name of the grid on which it lies"),
            word("pushdown", "auto", {"auto", "yes", "no"},
                 "whether model ranks hand over, in place of the field, what alone is needed of it: auto: "
                 "some of its elements or floats, and sums where a server is on another node; yes: sums "
                 "everywhere; no: the whole field")})},
      {"diagnostic", "data-handling", "a result made by operators and communications",
       described(
           attribute("field", Kind::name, kRequired, "name of the result"), {"scalar", "array"},
           word("data_type", "double", {"double", "float", "integer"},
                "type of the values in files; they are computed in double precision"),
           {attribute("expression", Kind::expression, kOptional,
                      "what the result is, for example \"mean[y,x](w * theta)\"; instead of rules"),
            attribute("cell_methods", Kind::text, kOptional,
                      "what was done in space, in the words of CF; follows from the rules otherwise"),
            flag("exact",
                 "averages over time and the like are made of exact sums and rounded once, also of more "
                 "than 16384 elements, which takes up to 48 bytes for each, or some 900 where some may be "
                 "missing")}),
       false, true, "expression"},
      {"operator",
       "diagnostic",
       "a rule that each server applies to what it holds",
       {attribute("name", Kind::text, kRequired, "which operator"),
        attribute("result", Kind::name, kRequired, result)}},
      {"communication",
       "diagnostic",
       "a rule that brings the values of all servers together",
       {attribute("name", Kind::text, kRequired, "which communication"),
        attribute("result", Kind::name, kRequired, result)}},
      {"member",
       "group",
       "one field of the group",
       {attribute("name", Kind::reference, kRequired, "name of the field")}},
      {"file", "data-writing", "one output file for each write period",
       with_storage(
           {attribute(
                "name", Kind::file_name, kRequired,
                "name of the file; {time}, {date}, {index} and {step} in it stand for the write period"),
            attribute(
                "write_time_frequency", Kind::duration_or_0, kOptional,
                "model time that one file covers, in s or with a unit; this or write_timestep_frequency"),
            attribute("write_timestep_frequency", Kind::count, kOptional, "steps that one file covers"),
            flag("write_on_terminate", "the last values of the run are written too"),
            flag("store_state", "what is in progress goes into checkpoints"),
            attribute("title", Kind::text, kOptional, "title in the file"),
            word("naming", "pileus", {"pileus", "monc", "monc-leeds"},
                 "of its files, its time axes and what is in it twice: that of Pileus, or of a fork of MONC"),
            attribute("dimensions", Kind::names, kOptional,
                      "dimensions of the model that the file has, with their coordinates, whatever is in it"),
            flag("overwrite", "files of these names that exist are replaced"),
            word("format", "", names_of_file_kinds(), help_of_file_kinds()),
            word("keep", "all", {"all", "newest"},
                 "newest: each file replaces the one before, and the name stands as it is"),
            attribute("on_publish", Kind::text, kOptional,
                      "command that runs after each file is published, with the file's path behind it"),
            attribute("trigger", Kind::reference, kOptional,
                      "a trigger while which is on the file gets records; at all times otherwise"),
            attribute("before", Kind::cadence, kOptional,
                      "steps before the trigger begins of which the file has records too, or model time "
                      "with a unit; servers keep them in memory"),
            {"write_size", Kind::bytes, kOptional, "1 MiB",
             "the most bytes of one write of what is not compressed, from 4 KiB to 64 MiB"},
            attribute("align", Kind::bytes, kOptional,
                      "chunks that are as long begin at a multiple of so many bytes in the file, a power of "
                      "two: the page of 4 KiB otherwise, or stripe_size where that is given"),
            attribute(
                "stripe_count", Kind::text, kOptional,
                "on Lustre: over so many disks the file lies, or \"all\"; as its folder says otherwise"),
            attribute(
                "stripe_size", Kind::bytes, kOptional,
                "on Lustre: bytes on one disk before the next, a multiple of 64 KiB; as its folder says "
                "otherwise"),
            {"writers", Kind::text, kOptional, "all",
             "so many servers write what is not compressed, each a slab of every record: a number; or "
             "\"auto\", "
             "one for each 16 MiB of a record; \"all\": each server writes what its model ranks hold"},
            word(
                "parts", "one", {"one", "server"},
                "server: each server writes what it has of distributed variables into a file of its own, and "
                "the one with the name refers to them"),
            {"levels", Kind::integer, kOptional, "1",
             "of a Zarr file: so many resolutions, of which each after the first has the means of 2 x 2 "
             "elements of the one before"},
            attribute("level_dimensions", Kind::names, kOptional,
                      "the dimensions along which levels have half as many elements, for example \"z,y,x\"; "
                      "the horizontal ones otherwise"),
            word("when_full", "wait", {"wait", "skip", "stop"},
                 "what becomes of a file for which the disk has no space"),
            word("when_memory_full", "wait", {"wait", "spill", "thin", "drop"},
                 "while servers have no memory the model waits, or what it hands over goes to a local disk; "
                 "or every second of the file's instantaneous records, or each, is left out")}),
       false, true},
      {"include", "file", "one field or group that the file holds",
       with_storage(
           {attribute("field", Kind::reference, kOptional, "name of a field or diagnostic; this or group"),
            attribute("group", Kind::reference, kOptional, "name of a group; this or field"),
            word("state", "", {"io"}, "alone: the file is written with every checkpoint, and only then"),
            attribute("name", Kind::name, kOptional,
                      "of the variable in the file; that of the field otherwise"),
            attribute("namespace", Kind::reference, kOptional, "where names are looked up first"),
            attribute("units", Kind::text, kOptional,
                      "to which values are converted as they are written, for example \"degC\""),
            parameter_of_grib(),
            {"time_manipulation", Kind::stages, kOptional, "instantaneous",
             "what is done in time; \"averaged over 24 h\" is a running window, \"maximum over 1 d, "
             "averaged\" a "
             "chain",
             manipulation_words()},
            attribute("output_frequency", Kind::duration, kOptional,
                      "model time between two values, in s or with a unit"),
            attribute("with", Kind::reference, kOptional,
                      "the other field of a covariance, a correlation, a weighted mean or a co-spectrum in "
                      "time"),
            attribute("samples", Kind::integer, kOptional,
                      "of a time_spectrum: how many samples a segment has, 2 to 65536"),
            attribute("interval", Kind::duration, kOptional,
                      "of a time_spectrum: model time from one sample to the next, in s or with a unit"),
            word("window", "none", {"none", "hann"},
                 "of a time_spectrum: what the samples of a segment are multiplied with"),
            word("detrend", "mean", {"none", "mean", "linear"},
                 "of a time_spectrum: what is taken off each segment"),
            word("overlap", "none", {"none", "half"},
                 "of a time_spectrum: whether a segment begins in the middle of the one before"),
            attribute("diurnal", Kind::integer, kOptional, "a record for each of so many parts of the day"),
            attribute("from", Kind::duration_or_0, kOptional, "model time before which nothing counts"),
            attribute("until", Kind::duration, kOptional, "model time after which nothing counts"),
            word("counts_from", "start", {"start", "last_record"},
                 "values are due at multiples of output_frequency, or so long after the last one")})},
  };
}

/// The elements for what else a file says about itself or a variable.
std::vector<ElementSchema> attribute_elements() {
  const auto in = [](std::string parent, std::string help) {
    return ElementSchema{
        std::string(kAttributeElement),
        std::move(parent),
        std::move(help),
        {attribute("name", Kind::name, kRequired, "name of the attribute in the file"),
         attribute("value", Kind::attribute_value, kRequired, "its text, or numbers separated by commas"),
         word("type", "", {"text", "integer", "double", "float"},
              "text where it is missing; of valid_min, valid_max, valid_range, actual_range, flag_values and "
              "flag_masks that of the variable")}};
  };
  return {in("data-writing", "an attribute of every file"),
          in("cmip-dataset", "an attribute of each of its files, such as branch_time_in_child"),
          in("file", "an attribute of the file, instead of that of every file"),
          in("field", "an attribute of the field in every file"),
          in("diagnostic", "an attribute of the diagnostic in every file"),
          in("file/include", "an attribute of the variable, instead of that of the field or diagnostic")};
}

}  // namespace

const AttributeSchema* ElementSchema::find(std::string_view attribute) const {
  for (const AttributeSchema& one : attributes) {
    if (one.name == attribute) return &one;
  }
  return nullptr;
}

std::vector<std::string> ElementSchema::attribute_names() const {
  std::vector<std::string> names;
  for (const AttributeSchema& one : attributes) names.push_back(one.name);
  return names;
}

const std::vector<ElementSchema>& configuration_schema() {
  static const std::vector<ElementSchema> table = [] {
    std::vector<ElementSchema> all = sections();
    const auto after = std::ranges::find(all, "data-handling", &ElementSchema::name);
    std::vector<ElementSchema> grids = grid_elements();
    all.insert(after, std::make_move_iterator(grids.begin()), std::make_move_iterator(grids.end()));
    std::vector<ElementSchema> inputs = input_elements();
    const auto before = std::ranges::find(all, "data-handling", &ElementSchema::name);
    all.insert(before, std::make_move_iterator(inputs.begin()), std::make_move_iterator(inputs.end()));
    for (ElementSchema& element : inner_elements()) all.push_back(std::move(element));
    for (ElementSchema& element : statistics_elements()) all.push_back(std::move(element));
    for (ElementSchema& element : cmip_elements()) all.push_back(std::move(element));
    for (ElementSchema& element : attribute_elements()) all.push_back(std::move(element));
    return all;
  }();
  return table;
}

const ElementSchema* find_schema(std::string_view parent, std::string_view name) {
  for (const ElementSchema& element : configuration_schema()) {
    if (element.name == name && element.parent == parent) return &element;
  }
  return nullptr;
}

const ElementSchema* find_schema(const ElementSchema& parent, std::string_view name) {
  // A component holds what the root does, but no component.
  if (parent.name == "component" && name != "component") return find_schema(parent.parent, name);
  const ElementSchema* found = find_schema(parent.name, name);
  return found ? found : find_schema(parent.parent + "/" + parent.name, name);
}

std::vector<std::string> child_names(const ElementSchema& parent) {
  std::vector<std::string> names;
  for (const ElementSchema& element : configuration_schema()) {
    if (find_schema(parent, element.name) == &element) names.push_back(element.name);
  }
  return names;
}

std::vector<std::string> content_names(const ElementSchema& parent) {
  std::vector<std::string> names = child_names(parent);
  std::erase(names, kAttributeElement);
  return names;
}

std::string parent_name(const ElementSchema& element) {
  return element.parent.substr(element.parent.rfind('/') + 1);
}

}  // namespace pileus
