// Translates names: MONC finds a group without its namespace, and allows names that are declared twice.

#include <algorithm>
#include <map>
#include <set>

#include "config/messages.h"
#include "config/namespaces.h"
#include "monc/translate.h"

namespace pileus::monc {
namespace {

class Names {
 public:
  explicit Names(const Translation& translation) : in_(translation) {}

  void translate() {
    drop_second_fields();
    drop_second("group");
    drop_second_diagnostics();
    drop_second_members();
    add_own_fields();
    leave_coordinates_out();
    find_groups();
  }

 private:
  std::string key(const XmlElement& section, const XmlElement& element, std::string_view attribute) const {
    return full_name(in_.resolved(section, "namespace"), in_.resolved(element, attribute));
  }

  /// True if the name is new; otherwise it reports that the first one counts.
  bool is_first(const std::string& name, const XmlElement& element, const char* attribute,
                std::map<std::string, std::size_t>& known) {
    const XmlAttribute* const value = element.find(attribute);
    if (!value || value->value.empty()) return true;
    const auto [first, is_new] = known.try_emplace(name, value->value_at);
    if (!is_new) {
      in_.findings().warning(in_.where(*value), "a second " + element.name + " " + in_quotes(name) +
                                                    " is not read; the first is at " +
                                                    in_.text.where(first->second).text());
    }
    return is_new;
  }

  void drop_second_fields() {
    std::map<std::string, std::size_t> known;
    for (XmlElement* data : children(in_.root, "data-definition")) {
      std::erase_if(data->children, [&](const XmlElement& field) {
        return field.name == "field" && !is_first(key(*data, field, "name"), field, "name", known);
      });
    }
    std::erase_if(in_.root.children, [&](const XmlElement& one) {
      return one.name == "data-definition" && one.children.empty() && one.is_complete && !known.empty();
    });
  }

  void drop_second(std::string_view element) {
    std::map<std::string, std::size_t> known;
    std::erase_if(in_.root.children, [&](const XmlElement& one) {
      return one.name == element && !is_first(key(one, one, "name"), one, "name", known);
    });
  }

  void drop_second_diagnostics() {
    std::map<std::string, std::size_t> known;
    for (XmlElement* handling : children(in_.root, "data-handling")) {
      std::erase_if(handling->children, [&](const XmlElement& one) {
        return one.name == "diagnostic" && !is_first(key(*handling, one, "field"), one, "field", known);
      });
    }
  }

  void drop_second_members() {
    for (XmlElement* group : children(in_.root, "group")) {
      std::map<std::string, std::size_t> known;
      std::erase_if(group->children, [&](const XmlElement& one) {
        return one.name == "member" && !is_first(in_.resolved(one, "name"), one, "name", known);
      });
    }
  }

  /// Adds the fields that every data-definition of MONC has, declared or not.
  void add_own_fields() {
    std::set<std::string> declared;
    std::map<std::string, XmlElement*> definitions;  // by namespace, the first one
    for (XmlElement* data : children(in_.root, "data-definition")) {
      definitions.try_emplace(in_.resolved(*data, "namespace"), data);
      for (XmlElement* field : children(*data, "field")) declared.insert(key(*data, *field, "name"));
    }
    for (XmlElement* group : children(in_.root, "group")) {
      const auto data = definitions.find(in_.resolved(*group, "namespace"));
      if (data == definitions.end()) continue;
      for (XmlElement* member : children(*group, "member")) {
        const std::string name = in_.resolved(*member, "name");
        const char* const type = name == "time"         ? "double"
                                 : name == "timestep"   ? "integer"
                                 : name == "terminated" ? "boolean"
                                                        : nullptr;
        if (!type || !declared.insert(key(*group, *member, "name")).second) continue;
        XmlElement& field = data->second->children.emplace_back();
        field.name = "field";
        field.at = member->at;
        field.is_complete = true;
        set_attribute(field, "name", name);
        set_attribute(field, "type", "scalar");
        set_attribute(field, "data_type", type);
      }
    }
  }

  /// A field named like its only dimension holds coordinates, which every file has anyway.
  void leave_coordinates_out() {
    std::set<std::string> coordinates;
    for (XmlElement* data : children(in_.root, "data-definition")) {
      for (XmlElement* field : children(*data, "field")) {
        const std::string name = in_.resolved(*field, "name");
        if (!name.empty() && in_.resolved(*field, "size") == name)
          coordinates.insert(key(*data, *field, "name"));
      }
    }
    for (XmlElement* group : children(in_.root, "group")) {
      std::erase_if(group->children, [&](const XmlElement& member) {
        if (member.name != "member" || !coordinates.contains(key(*group, member, "name"))) return false;
        const std::string name = in_.resolved(member, "name");
        in_.findings().note(in_.where(*member.find("name")),
                            in_quotes(name) + " is written as the coordinate of the dimension " +
                                in_quotes(name) + ", as the model registers it, and not a second time");
        return true;
      });
    }
  }

  /// The first group of a name counts, whatever its namespace.
  void find_groups() {
    std::map<std::string, std::string> full;  // by name
    std::vector<std::string> known;
    for (XmlElement* group : children(in_.root, "group")) {
      const std::string name = in_.resolved(*group, "name");
      if (full.try_emplace(name, key(*group, *group, "name")).second) known.push_back(name);
    }
    for (XmlElement* writing : children(in_.root, "data-writing")) {
      for (XmlElement* file : children(*writing, "file")) {
        std::erase_if(file->children, [&](XmlElement& include) { return !find_group(include, full, known); });
      }
    }
  }

  /// False if there is no such group; the include is then left out.
  bool find_group(XmlElement& include, const std::map<std::string, std::string>& full,
                  const std::vector<std::string>& known) {
    const XmlAttribute* const group = include.name == "include" ? find_attribute(include, "group") : nullptr;
    if (!group || group->value.find('{') != std::string::npos) return true;
    const auto found = full.find(in_.resolved(*group));
    if (found != full.end()) {
      if (found->second != found->first) set_attribute(include, "group", found->second);
      return true;
    }
    if (!in_.reading.is_whole) return true;  // another file may have it
    in_.findings().warning(in_.where(*group), "no group " + in_quotes(group->value) +
                                                  suggestion(group->value, known) +
                                                  "; nothing is written for it, where MONC would stop");
    return false;
  }

  const Translation& in_;
};

}  // namespace

void translate_names(const Translation& translation) { Names(translation).translate(); }

}  // namespace pileus::monc
