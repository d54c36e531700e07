#include "monc/translate.h"

#include <algorithm>

#include "config/messages.h"
#include "config/schema/schema.h"
#include "config/values.h"

namespace pileus::monc {
namespace {

/// MONC takes only the word true for true, and all others for false.
constexpr std::pair<const char*, const char*> kTruthValues[] = {{"data-definition", "send_on_terminate"},
                                                                {"field", "collective"},
                                                                {"field", "optional"},
                                                                {"diagnostic", "collective"},
                                                                {"file", "write_on_terminate"},
                                                                {"file", "store_state"}};

class Translator {
 public:
  explicit Translator(const Translation& translation) : in_(translation) {}

  void translate() {
    keep_one_server();
    for (XmlElement* data : children(in_.root, "data-definition")) {
      read_truth(*data);
      for (XmlElement* field : children(*data, "field")) translate_field(*field);
    }
    for (XmlElement* handling : children(in_.root, "data-handling")) {
      for (XmlElement* diagnostic : children(*handling, "diagnostic")) translate_diagnostic(*diagnostic);
    }
    for (XmlElement* writing : children(in_.root, "data-writing")) {
      for (XmlElement* file : children(*writing, "file")) read_truth(*file);
    }
  }

 private:
  /// A file that is included whole has a server configuration too; in MONC the last one counts.
  void keep_one_server() {
    const std::vector<XmlElement*> all = children(in_.root, "server-configuration");
    if (all.size() < 2) return;
    in_.findings().note(in_.text.where(all.back()->at),
                        "this <server-configuration> counts, and not that of " +
                            in_.text.where(all.front()->at).text() + ": the last one does in MONC");
    const std::size_t last = all.back()->at;
    std::erase_if(in_.root.children, [&](const XmlElement& one) {
      return one.name == "server-configuration" && one.at != last;
    });
  }

  void read_truth(XmlElement& element) {
    for (const auto& [name, attribute] : kTruthValues) {
      XmlAttribute* const found = element.name == name ? find_attribute(element, attribute) : nullptr;
      if (!found) continue;
      const std::string value = in_.resolved(*found);
      if (value == "true" || value == "false" || value.find('{') != value.npos) continue;
      static const std::vector<std::string> kWords = {"true", "false"};
      in_.findings().warning(in_.where(*found), std::string(attribute) + "=" + in_quotes(value) +
                                                    " is false: only the word true is true in MONC's files" +
                                                    suggestion(value, kWords));
      set_attribute(element, attribute, "false");
    }
  }

  /// MONC ignores both attributes of scalars.
  void drop_of_scalar(XmlElement& element) {
    if (in_.resolved(element, "type") != "scalar") return;
    for (const char* attribute : {"size", "collective"}) {
      const XmlAttribute* const found = find_attribute(element, attribute);
      if (!found || in_.resolved(*found) == "false") continue;
      in_.findings().note(in_.where(*found), std::string(attribute) + " has no meaning for a scalar");
      remove_attribute(element, attribute);
    }
  }

  void translate_field(XmlElement& field) {
    read_truth(field);
    drop_of_scalar(field);
  }

  /// An attribute that only MONC has is not in the table of all attributes, which could not suggest it.
  void refuse_misspelt(XmlElement& element, std::string_view parent, const std::vector<std::string>& own) {
    const ElementSchema* const schema = find_schema(parent, element.name);
    std::vector<std::string> known = own;
    for (const std::string& one : schema->attribute_names()) known.push_back(one);
    std::erase_if(element.attributes, [&](const XmlAttribute& one) {
      const std::string meant = nearest(shortened(one.name), known);
      const bool is_misspelt =
          std::ranges::find(known, one.name) == known.end() && std::ranges::find(own, meant) != own.end();
      if (is_misspelt) {
        in_.findings().error(in_.text.where(one.name_at), "unknown attribute " + in_quotes(one.name) +
                                                              " of " + element.name + did_you_mean(meant));
      }
      return is_misspelt;
    });
  }

  void translate_diagnostic(XmlElement& diagnostic) {
    refuse_misspelt(diagnostic, "data-handling", {"collective"});
    read_truth(diagnostic);
    drop_of_scalar(diagnostic);
    remove_attribute(diagnostic, "collective");  // it follows from the rules
    const bool has_sizes_for_names = take_auto(diagnostic);
    for (XmlElement& rule : diagnostic.children) {
      const std::string name = in_.resolved(rule, "name");
      if (name == "field_slicer") translate_slicer(rule);
      if (name == "field_coarsener" && has_sizes_for_names) set_attribute(rule, "named_by", "size");
      if (name == "reductionlocation") translate_location(rule);
      if (name == "arithmetic") note_equation(in_, rule);
      if (rule.name == "communication" && in_.resolved(rule, "operator") == "mean")
        note_mean(rule, diagnostic);
    }
  }

  /// Whether MONC names dimensions of the diagnostic by their new sizes: x-auto becomes x_16, and a name with
  /// such an end is that of a dimension that was made so.
  bool take_auto(XmlElement& diagnostic) {
    const XmlAttribute* const size = diagnostic.find("size");
    if (!size) return false;
    const std::string value = in_.resolved(*size);
    if (value.find("-auto") == value.npos) return has_name_by_size(value);
    const bool is_coarsened = std::ranges::any_of(diagnostic.children, [&](const XmlElement& rule) {
      return rule.name == "operator" && in_.resolved(rule, "name") == "field_coarsener" &&
             in_.resolved(rule, "result") == in_.resolved(diagnostic, "field");
    });
    if (!is_coarsened) {
      in_.findings().warning(in_.where(*size),
                             "size=" + in_quotes(value) +
                                 ": no field_coarsener makes this diagnostic, so that MONC does not know the "
                                 "size of -auto; here the size follows from the rules");
    }
    remove_attribute(diagnostic, "size");  // it follows from the rules too
    return true;
  }

  static bool has_name_by_size(std::string value) {
    std::ranges::replace(value, ',', ' ');
    const std::vector<std::string> names = split_words(value);
    return std::ranges::any_of(names, [](const std::string& name) {
      static const std::vector<std::string> kMoncs = {"z", "zn", "y", "x"};
      const std::size_t cut = std::min(name.find('_'), name.size());
      return std::ranges::count(kMoncs, name.substr(0, cut)) > 0 && cut + 1 < name.size() &&
             name.find_first_not_of("0123456789", cut + 1) == name.npos;
    });
  }

  /// MONC counts from 1.
  void translate_slicer(XmlElement& rule) {
    XmlAttribute* const index = find_attribute(rule, "index");
    if (!index) return;
    const std::string value = in_.resolved(*index);
    if (const std::size_t open = value.find('{'); open != value.npos) {
      const std::string key(trimmed(std::string_view(value).substr(open + 1, value.find('}') - open - 1)));
      in_.findings().error(in_.where(*index), "index=" + in_quotes(index->value) + ": --set " +
                                                  shortened(key) +
                                                  "=... is needed, because MONC counts from 1, and "
                                                  "Pileus from 0");
      set_attribute(rule, "index", "0");  // a valid index, so that no second message follows
      return;
    }
    const auto number = parse_integer(value, 1);
    if (!number) {
      in_.findings().error(in_.where(*index), "index=" + in_quotes(index->value) +
                                                  ": expected a whole number, from 1 in MONC's files");
      return;
    }
    set_attribute(rule, "index", std::to_string(*number - 1));
  }

  /// input="location,value,local" gives the location where a rank's own value is that of all ranks, and -1
  /// elsewhere.
  void translate_location(XmlElement& rule) {
    XmlAttribute* const input = find_attribute(rule, "input");
    if (!input) return;
    std::vector<std::string> names(1);
    for (const char c : input->value) {
      if (c == ',') {
        names.emplace_back();
      } else {
        names.back() += c;
      }
    }
    for (std::string& name : names) name = std::string(trimmed(name));
    if (names.size() != 3 || std::ranges::find(names, "") != names.end()) {
      in_.findings().error(in_.where(*input), "input=" + in_quotes(input->value) +
                                                  ": expected three names between commas: the location on a "
                                                  "rank, the value of all ranks, the value on a rank");
      remove_attribute(rule, "input");
      return;
    }
    set_attribute(rule, "name", "arithmetic");
    set_attribute(rule, "input", "where(" + names[2] + " == " + names[1] + ", " + names[0] + ", -1)");
    find_attribute(rule, "input")->name = "equation";
  }

  void note_mean(const XmlElement& rule, const XmlElement& diagnostic) {
    const XmlAttribute* const field = rule.find("field");
    const auto makes_it = [&](const XmlElement& one) {
      return field && one.name == "operator" && in_.resolved(one, "result") == in_.resolved(*field);
    };
    // A value that the model hands over counts once for each rank, as in MONC.
    if (std::ranges::none_of(diagnostic.children, makes_it)) return;
    in_.findings().note(in_.where(*rule.find("operator")),
                        "the mean is weighted by the values that the parts stand for; MONC divides by the "
                        "number of model ranks, which is wrong where they hold parts of different sizes");
  }

  const Translation& in_;
};

}  // namespace

std::string Translation::resolved(const XmlAttribute& attribute) const {
  const Substituted value = substitute(attribute.value, reading.options, true);
  for (const std::string& key : value.keys) {
    if (reading.asks_for) reading.asks_for(key);
  }
  return std::string(trimmed(value.text));
}

std::string Translation::resolved(const XmlElement& element, std::string_view attribute) const {
  const XmlAttribute* const found = element.find(attribute);
  return found ? resolved(*found) : "";
}

XmlAttribute* find_attribute(XmlElement& element, std::string_view name) {
  const auto found = std::ranges::find(element.attributes, name, &XmlAttribute::name);
  return found == element.attributes.end() ? nullptr : &*found;
}

void set_attribute(XmlElement& element, std::string_view name, std::string value) {
  XmlAttribute* found = find_attribute(element, name);
  if (!found)
    found = &element.attributes.emplace_back(XmlAttribute{std::string(name), "", element.at, element.at, 0});
  found->value = std::move(value);
  found->written_size = 0;  // the whole value stands where it begins
}

void remove_attribute(XmlElement& element, std::string_view name) {
  std::erase_if(element.attributes, [&](const XmlAttribute& one) { return one.name == name; });
}

std::vector<XmlElement*> children(XmlElement& element, std::string_view name) {
  std::vector<XmlElement*> found;
  for (XmlElement& child : element.children) {
    if (child.name == name) found.push_back(&child);
  }
  return found;
}

void translate(const Translation& translation) {
  Translator(translation).translate();
  translate_names(translation);
  translate_frequencies(translation);
  const std::vector<std::size_t> with_state = files_with_state(translation);
  translate_files(translation);
  note_titles(translation);
  note_shared_records(translation);
  rename_sizes(translation);
  split_q_fields(translation);
  count_in_seconds(translation);
  add_own_variables(translation, with_state);
}

}  // namespace pileus::monc
