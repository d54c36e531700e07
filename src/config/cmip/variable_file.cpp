#include "config/cmip/variable_file.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "config/messages.h"
#include "config/namespaces.h"
#include "config/values.h"

namespace pileus {
namespace {

/// Names that only stand in those of folders are no attributes.
void add_attribute(const std::string& name, const std::string& text, const Location& where,
                   std::vector<AttributeConfig>& attributes) {
  if (text.empty() || name == "version" || name == "member_id") return;
  const bool is_number = name.ends_with("_index") && text.find_first_not_of("0123456789") == text.npos;
  attributes.push_back(
      {{name, where}, {text, where}, is_number ? AttributeType::integer : AttributeType::text});
}

/// With its folders; "" after an error.
std::string name_of_file(const CmipDataset& dataset, const CmipRequest& request) {
  const ElementReader& element = request.element;
  const CmipVocabulary& vocabulary = *dataset.vocabulary;
  std::string missing;
  const std::string folders =
      by_template(vocabulary.of("DRS", "directory_path_template"), request.values, "/", missing);
  std::string base = by_template(vocabulary.of("DRS", "filename_template"), request.values, "_", missing);
  for (const std::string& name : vocabulary.required()) {
    const auto found = request.values.find(name);
    if (found == request.values.end() || found->second.empty()) missing = name;
  }
  if (dataset.is_wrong) return "";  // what follows from it is missing too
  if (!missing.empty() && !dataset.says(missing)) {
    element.error(dataset.element.where(),
                  "cmip-dataset: the controlled vocabulary asks for " + in_quotes(missing) +
                      ", and nothing gives it: say it by an attribute, or an <attribute>");
    return "";
  }
  const std::string before = dataset.element.text("folder").value;
  if (!request.time.is_fixed) base += "_" + request.time.range;
  std::string name = (before.empty() ? "" : before + "/") + folders + "/" + base + ".nc";
  const std::string problem = file_path_problem(name);
  if (problem.empty()) return name;
  element.error(element.where(), "the file " + in_quotes(name) + ": " + problem);
  return "";
}

FileIncludeConfig include_of(const CmipRequest& request, const std::string& scope) {
  const ElementReader& element = request.element;
  const CmipVariable& variable = request.variable;
  const Location where = element.where();
  FileIncludeConfig include;
  include.where = where;
  include.scope = scope;
  include.field = element.text("field");
  include.name = {variable.name, where};
  include.time_manipulation = {request.time.manipulation, where};
  include.stages = request.time.stages;
  if (!request.time.is_fixed) include.output_frequency = request.time.frequency;
  include.units = {variable.units, where};
  const std::pair<const char*, std::string> said[] = {{"standard_name", variable.standard_name},
                                                      {"long_name", variable.long_name},
                                                      {"comment", variable.comment},
                                                      {"cell_methods", variable.cell_methods},
                                                      {"cell_measures", variable.cell_measures},
                                                      {"positive", variable.positive}};
  for (const auto& [name, text] : said) add_attribute(name, text, where, include.attributes);
  return include;
}

}  // namespace

std::optional<FileConfig> file_of(const CmipDataset& dataset, const CmipRequest& request,
                                  const std::string& scope) {
  const ElementReader& element = request.element;
  FileConfig file;
  file.where = element.where();
  file.name = {name_of_file(dataset, request), element.where()};
  if (file.name.value.empty()) return {};
  const bool has_period = element.is_given("write_time_frequency");
  const auto period = (has_period ? element : dataset.element).duration("write_time_frequency");
  if (!request.time.is_fixed && !period) {
    element.error(element.where(), element.label() +
                                       " needs the attribute \"write_time_frequency\" (model time that one "
                                       "file covers), or the cmip-dataset does");
    return {};
  }
  if (!request.time.is_fixed) file.write_time_frequency = *period;
  file.write_on_terminate = request.time.is_fixed;
  for (const auto& [name, text] : request.values) add_attribute(name, text, element.where(), file.attributes);
  std::ranges::copy(dataset.said, std::back_inserter(file.attributes));
  file.title = {request.values.at("source_id") + " output prepared for " + request.values.at("mip_era"),
                element.where()};
  file.storage.precision = {"float", element.where()};
  file.includes.push_back(include_of(request, scope));
  file.cmip = request.coordinates;
  return file;
}

}  // namespace pileus
