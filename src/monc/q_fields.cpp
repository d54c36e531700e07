// A field whose last dimension is qfields becomes one variable for each q field in MONC's files: q becomes
// q_vapour, q_rain_mass and so on. Here each is a slice, with a name from the option q_field_names. The newer
// fork does the same with tfields and its tracers, whose names are in the option tracer_names.

#include <algorithm>
#include <map>

#include "config/messages.h"
#include "config/namespaces.h"
#include "config/values.h"
#include "monc/translate.h"

namespace pileus::monc {
namespace {

/// A dimension along which fields are split.
struct Kind {
  const char* dimension;
  const char* option;  ///< has the names of the parts
  const char* part;
  const char* example;
};

constexpr Kind kKinds[] = {{"qfields", "q_field_names", "q field", "vapour,cloud_liquid_mass"},
                           {"tfields", "tracer_names", "tracer", "traj_x,traj_y"}};

class Splitter {
 public:
  Splitter(const Translation& translation, const Kind& kind) : in_(translation), kind_(kind) {
    const auto option = in_.reading.options.find(kind_.option);
    if (option == in_.reading.options.end()) return;
    std::string text = option->second;
    std::ranges::replace(text, ',', ' ');
    names_ = split_words(text);
  }

  void split() {
    find_fields();
    if (fields_.empty()) return;
    if (in_.reading.asks_for) in_.reading.asks_for(kind_.option);
    if (names_.empty()) return note_no_names();
    for (XmlElement* group : children(in_.root, "group")) {
      const std::string scope = in_.resolved(*group, "namespace");
      replace(*group, "member", "name", scope);
    }
    for (XmlElement* writing : children(in_.root, "data-writing")) {
      for (XmlElement* file : children(*writing, "file")) replace(*file, "include", "field", "");
    }
    for (const auto& [name, field] : fields_) {
      if (field.is_used) add_slices(field);
    }
    for (auto& [scope, handling] : slices_) in_.root.children.push_back(std::move(handling));
  }

 private:
  struct Field {
    std::size_t at = 0;
    std::string scope, name, size, units;
    bool is_used = false;  ///< something that is written uses it
  };

  void find_fields() {
    for (XmlElement* data : children(in_.root, "data-definition")) {
      for (XmlElement* one : children(*data, "field")) note_field(*data, *one, "name");
    }
    for (XmlElement* handling : children(in_.root, "data-handling")) {
      for (XmlElement* one : children(*handling, "diagnostic")) note_field(*handling, *one, "field");
    }
  }

  void note_field(const XmlElement& section, const XmlElement& element, std::string_view attribute) {
    std::string size = in_.resolved(element, "size");
    const std::size_t comma = size.rfind(',');
    if (comma == size.npos || trimmed(std::string_view(size).substr(comma + 1)) != kind_.dimension) return;
    size.resize(comma);
    const std::string scope = in_.resolved(section, "namespace"), name = in_.resolved(element, attribute);
    fields_.try_emplace(full_name(scope, name),
                        Field{element.at, scope, name, std::move(size), in_.resolved(element, "units")});
  }

  void note_no_names() const {
    const auto first = std::ranges::min_element(fields_, {}, [](const auto& one) { return one.second.at; });
    in_.findings().note(in_.text.where(first->second.at),
                        in_quotes(first->first) + " and other fields with the dimension " + kind_.dimension +
                            " are written whole: MONC writes one variable for each " + kind_.part +
                            ", for which the option " + kind_.option + " is needed, such as " +
                            in_quotes(kind_.example));
  }

  /// Replaces each element that names such a field by one element for each q field.
  void replace(XmlElement& parent, std::string_view element, std::string_view attribute,
               const std::string& scope) {
    std::vector<XmlElement> replaced;
    for (XmlElement& one : parent.children) {
      const auto field = fields_.find(full_name(scope, in_.resolved(one, attribute)));
      if (one.name != element || field == fields_.end()) {
        replaced.push_back(std::move(one));
        continue;
      }
      field->second.is_used = true;
      for (const std::string& name : names_) {
        replaced.push_back(one);
        set_attribute(replaced.back(), attribute, field->second.name + "_" + name);
      }
    }
    parent.children = std::move(replaced);
  }

  void add_slices(const Field& field) {
    const auto [place, is_new] = slices_.try_emplace(field.scope);
    XmlElement& handling = place->second;
    if (is_new) {
      handling.name = "data-handling";
      handling.at = field.at;
      handling.is_complete = true;
      if (!field.scope.empty()) set_attribute(handling, "namespace", field.scope);
    }
    for (std::size_t i = 0; i < names_.size(); ++i) handling.children.push_back(slice(field, i));
  }

  XmlElement slice(const Field& field, std::size_t index) const {
    const std::string result = field.name + "_" + names_[index];
    XmlElement diagnostic;
    diagnostic.name = "diagnostic";
    diagnostic.at = field.at;
    diagnostic.is_complete = true;
    set_attribute(diagnostic, "field", result);
    set_attribute(diagnostic, "size", field.size);
    if (!field.units.empty()) set_attribute(diagnostic, "units", field.units);
    XmlElement& rule = diagnostic.children.emplace_back();
    rule.name = "operator";
    rule.at = field.at;
    rule.is_complete = true;
    set_attribute(rule, "name", "field_slicer");
    set_attribute(rule, "result", result);
    set_attribute(rule, "field", field.name);
    set_attribute(rule, "dimension", kind_.dimension);
    set_attribute(rule, "index", std::to_string(index));
    return diagnostic;
  }

  const Translation& in_;
  const Kind& kind_;
  std::vector<std::string> names_;
  std::map<std::string, Field> fields_;       ///< by full name
  std::map<std::string, XmlElement> slices_;  ///< by namespace
};

}  // namespace

void split_q_fields(const Translation& translation) {
  for (const Kind& kind : kKinds) Splitter(translation, kind).split();
}

}  // namespace pileus::monc
