// The defaults in the table are those that the reader uses.

#include <gtest/gtest.h>

#include <sstream>

#include "config/config_test_support.h"
#include "config/schema/schema.h"

namespace pileus::testing {
namespace {

/// The attributes that an element needs and that have no default.
std::string needed(const ElementSchema& element) {
  if (element.name == "servers") return R"( total="1")";
  if (element.name == "file") return R"( write_time_frequency="1")";
  if (element.name == "include") return R"( field="f" output_frequency="1")";
  const bool is_of_diagnostic = element.parent == "diagnostic" && element.name != kAttributeElement;
  std::string text;
  for (const AttributeSchema& attribute : element.attributes) {
    if (!attribute.is_required) continue;
    const bool is_rule = is_of_diagnostic && attribute.name == "name";
    const std::string rule = element.name == "operator" ? "localreduce" : "reduction";
    text += " " + attribute.name + "=\"" +
            (is_rule                             ? rule
             : attribute.kind == ValueKind::name ? "f"
             : !attribute.words.empty()          ? attribute.words.front()
                                                 : "1") +
            "\"";
  }
  if (is_of_diagnostic) text += R"( operator="sum" field="f")";
  return text;
}

std::string defaults(const ElementSchema& element) {
  std::string text;
  for (const AttributeSchema& attribute : element.attributes) {
    if (!attribute.default_value.empty())
      text += " " + attribute.name + "=\"" + attribute.default_value + "\"";
  }
  return text;
}

/// A document with each element once; nothing outside of the root.
std::string document(const ElementSchema& element, bool with_defaults) {
  const bool is_elsewhere =
      element.name == "operator-library" || (element.name == "include" && element.parent != "file");
  if (is_elsewhere) return "";
  std::string text = "<" + element.name + (element.name == "file" ? R"( name="f.nc")" : "") +
                     needed(element) + (with_defaults ? defaults(element) : "") + ">";
  for (const std::string& child : child_names(element))
    text += document(*find_schema(element, child), with_defaults);
  return text + "</" + element.name + ">";
}

std::string shuffled(const StorageConfig& storage) {
  return storage.shuffle.is_given() ? storage.shuffle.value : "true";
}

template <class Described>
void show(std::ostream& out, const Described& one) {
  out << one.type.value << ' ' << one.data_type.value << ' ' << shuffled(one.storage) << '\n';
}

/// Everything that has a default, as it was read.
std::string shown(const Config& config) {
  std::ostringstream out;
  out << config.checkpoint.keep << ' ' << config.events << '\n';
  for (const DimensionConfig& one : config.dimensions) out << one.has_bounds << '\n';
  for (const DataGroupConfig& group : config.data_groups) {
    out << group.send_on_terminate << '\n';
    for (const FieldConfig& field : group.fields) {
      out << field.is_collective << field.is_optional << '\n';
      show(out, field);
    }
  }
  for (const DiagnosticConfig& one : config.diagnostics) {
    show(out, one);
    for (const RuleConfig& rule : one.rules) {
      for (const auto& [name, value] : rule.parameters) out << name << '=' << value.value << '\n';
    }
  }
  for (const FileConfig& file : config.files) {
    out << file.write_on_terminate << file.may_overwrite << file.keeps_newest << shuffled(file.storage)
        << '\n';
    for (const FileIncludeConfig& one : file.includes)
      out << one.time_manipulation.value << shuffled(one.storage) << '\n';
  }
  return out.str();
}

TEST(Defaults, of_the_table_mean_the_same_as_leaving_the_attribute_out) {
  const ElementSchema& root = configuration_schema().front();
  const ReadResult bare = read(document(root, false));
  const ReadResult full = read(document(root, true));

  EXPECT_EQ(shown(bare.config), shown(full.config));
  EXPECT_NE(shown(full.config), shown(Config{}));
  EXPECT_EQ(full.text().find("expected"), std::string::npos) << full.text();
  EXPECT_EQ(full.text().find("unknown"), std::string::npos) << full.text();
}

}  // namespace
}  // namespace pileus::testing
