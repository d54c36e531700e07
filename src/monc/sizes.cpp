// Sizes that a diagnostic declares with one name of the vertical, z or zn, while its rules make the other.
// They are equally long, and MONC looks at the length alone.

#include <algorithm>
#include <map>
#include <set>

#include "config/messages.h"
#include "config/namespaces.h"
#include "config/values.h"
#include "monc/translate.h"

namespace pileus::monc {
namespace {

bool is_vertical(const std::string& name) { return name == "z" || name == "zn"; }

std::vector<std::string> split_size(std::string text) {
  std::ranges::replace(text, ',', ' ');
  return split_words(text);
}

class Sizes {
 public:
  explicit Sizes(const Translation& translation) : in_(translation) {}

  void rename() {
    for (XmlElement* data : children(in_.root, "data-definition")) {
      for (XmlElement* field : children(*data, "field")) note_size(*data, *field, "name");
    }
    for (XmlElement* handling : children(in_.root, "data-handling")) {
      for (XmlElement* diagnostic : children(*handling, "diagnostic")) check(*handling, *diagnostic);
    }
  }

 private:
  void note_size(const XmlElement& section, const XmlElement& element, const char* attribute) {
    const std::string name = full_name(in_.resolved(section, "namespace"), in_.resolved(element, attribute));
    for (const std::string& one : split_size(in_.resolved(element, "size"))) {
      if (is_vertical(one)) vertical_of_[name] = one;
    }
  }

  /// What the values of the rules are made of, as far as fields declare it.
  std::set<std::string> made_of(const std::string& scope, const XmlElement& diagnostic) const {
    std::set<std::string> found;
    const auto add = [&](const std::string& name) {
      auto one = vertical_of_.find(full_name(scope, name));
      if (one == vertical_of_.end()) one = vertical_of_.find(name);
      if (one != vertical_of_.end()) found.insert(one->second);
    };
    for (const XmlElement& rule : diagnostic.children) {
      add(in_.resolved(rule, "field"));
      std::string equation = in_.resolved(rule, "equation");
      std::ranges::replace_if(
          equation, [](char c) { return std::string_view("/*-+()%").find(c) != std::string_view::npos; },
          ' ');
      for (const std::string& word : split_words(equation)) add(word);
    }
    return found;
  }

  void check(const XmlElement& handling, XmlElement& diagnostic) {
    const XmlAttribute* const size = diagnostic.find("size");
    const std::set<std::string> made = made_of(in_.resolved(handling, "namespace"), diagnostic);
    if (!size || made.size() != 1) return;
    std::vector<std::string> names = split_size(in_.resolved(*size));
    const auto wrong = std::ranges::find_if(
        names, [&](const std::string& name) { return is_vertical(name) && name != *made.begin(); });
    if (wrong == names.end() || std::ranges::count_if(names, is_vertical) != 1) return;
    in_.findings().warning(in_.where(*size), "its rules make values along " + in_quotes(*made.begin()) +
                                                 ", which is read instead of " + in_quotes(*wrong) +
                                                 ": MONC compares lengths, and not names");
    *wrong = *made.begin();
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
    set_attribute(diagnostic, "size", text);
  }

  const Translation& in_;
  std::map<std::string, std::string> vertical_of_;  ///< by full name of a field
};

}  // namespace

void rename_sizes(const Translation& translation) { Sizes(translation).rename(); }

}  // namespace pileus::monc
