// Adds what the servers of MONC write into every file, whatever its configuration says: the options of the
// run, the names of conditions and diagnostics where something has them as dimensions, and the vertical
// coordinates. Files that hold the state of the servers have the text of the configuration. The bridge hands
// these over.

#include <algorithm>
#include <array>
#include <set>

#include "config/namespaces.h"
#include "config/values.h"
#include "monc/translate.h"

namespace pileus::monc {
namespace {

constexpr const char* kNamespace = "monc";

struct OwnVariable {
  const char* name;
  const char* type;
  const char* size;
};
constexpr OwnVariable kOptions = {"options_database", "map", "number_options"};
constexpr OwnVariable kConfiguration = {"io_configuration", "scalar", ""};
constexpr std::array<OwnVariable, 4> kConditions = {{{"conditions_fields_short", "array", "nc"},
                                                     {"conditions_fields_long", "array", "nc"},
                                                     {"diagnostics_fields_short", "array", "nd"},
                                                     {"diagnostics_fields_long", "array", "nd"}}};

XmlElement element_at(std::size_t at, std::string name,
                      const std::vector<std::pair<std::string, std::string>>& attributes) {
  XmlElement made;
  made.name = std::move(name);
  made.at = at;
  made.is_complete = true;
  for (const auto& [key, value] : attributes) set_attribute(made, key, value);
  return made;
}

class OwnVariables {
 public:
  OwnVariables(const Translation& translation, const std::vector<std::size_t>& with_state)
      : in_(translation), with_state_(with_state) {}

  void add() {
    find_names();
    for (XmlElement* writing : children(in_.root, "data-writing")) {
      for (XmlElement* file : children(*writing, "file")) add_to(*file);
    }
    if (used_.empty()) return;
    XmlElement data = element_at(in_.root.at, "data-definition",
                                 {{"name", "monc_texts"}, {"frequency", "0"}, {"namespace", kNamespace}});
    for (const OwnVariable* one : used_) data.children.push_back(field(*one));
    in_.root.children.insert(in_.root.children.begin(), std::move(data));
  }

 private:
  /// Finds the fields that are declared, and the values along conditions and diagnostics.
  void find_names() {
    const auto take = [&](const char* section, const char* element, const char* name) {
      for (XmlElement* part : children(in_.root, section)) {
        for (const XmlElement* one : children(*part, element)) {
          const std::string plain = in_.resolved(*one, name);
          declared_.insert(plain);
          std::string size = in_.resolved(*one, "size");
          std::ranges::replace(size, ',', ' ');
          for (const std::string& word : split_words(size)) {
            if (word == "nc" || word == "nd") conditional_.insert(plain);
          }
        }
      }
    };
    take("data-definition", "field", "name");
    take("data-handling", "diagnostic", "field");
    for (XmlElement* group : children(in_.root, "group")) {
      for (const XmlElement* member : children(*group, "member")) {
        const std::string name = in_.resolved(*member, "name");
        if (conditional_.contains(std::string(last_name(name))))
          conditional_groups_.insert(in_.resolved(*group, "name"));
      }
    }
  }

  bool is_conditional(XmlElement& file) const {
    return std::ranges::any_of(children(file, "include"), [&](const XmlElement* include) {
      const std::string field = in_.resolved(*include, "field"), group = in_.resolved(*include, "group");
      return conditional_.contains(std::string(last_name(field))) ||
             conditional_groups_.contains(std::string(last_name(group)));
    });
  }

  void add_to(XmlElement& file) {
    if (file.children.empty()) return;
    if (!file.find("dimensions")) set_attribute(file, "dimensions", "z,zn");
    const bool has_conditions = is_conditional(file);
    include(file, kOptions);
    for (const OwnVariable& one : kConditions) {
      if (has_conditions) include(file, one);
    }
    if (std::ranges::count(with_state_, file.at) > 0) include(file, kConfiguration);
  }

  void include(XmlElement& file, const OwnVariable& one) {
    if (declared_.contains(one.name)) return;
    if (std::ranges::find(used_, &one) == used_.end()) used_.push_back(&one);
    file.children.push_back(
        element_at(file.at, "include",
                   {{"field", std::string(kNamespace) + "::" + one.name}, {"time_manipulation", "none"}}));
  }

  XmlElement field(const OwnVariable& one) const {
    XmlElement made = element_at(in_.root.at, "field",
                                 {{"name", one.name},
                                  {"type", one.type},
                                  {"data_type", "string"},
                                  {"parts", "same"},
                                  {"static", "true"},
                                  {"optional", "true"}});
    if (*one.size != '\0') set_attribute(made, "size", one.size);
    return made;
  }

  const Translation& in_;
  const std::vector<std::size_t>& with_state_;
  std::set<std::string> declared_, conditional_, conditional_groups_;
  std::vector<const OwnVariable*> used_;
};

}  // namespace

std::vector<std::size_t> files_with_state(const Translation& translation) {
  std::vector<std::size_t> files;
  for (XmlElement* writing : children(translation.root, "data-writing")) {
    for (XmlElement* file : children(*writing, "file")) {
      const auto includes = children(*file, "include");
      if (std::ranges::any_of(includes, [](const XmlElement* one) { return one->find("state") != nullptr; }))
        files.push_back(file->at);
    }
  }
  return files;
}

void add_own_variables(const Translation& translation, const std::vector<std::size_t>& with_state) {
  if (translation.reading.options.contains(kDialectOption)) OwnVariables(translation, with_state).add();
}

}  // namespace pileus::monc
