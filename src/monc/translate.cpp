#include "monc/translate.h"

#include <algorithm>

#include "config/messages.h"
#include "config/values.h"

namespace pileus::monc {
namespace {

/// MONC takes the word true for true and all others for false.
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
  /// Files that are included whole have one too; in MONC the last word counts.
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
      in_.findings().warning(in_.where(*found), std::string(attribute) + "=" + in_quotes(value) +
                                                    " is false: only the word true is true in MONC's files");
      set_attribute(element, attribute, "false");
    }
  }

  /// Of scalars MONC reads neither.
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

  void translate_diagnostic(XmlElement& diagnostic) {
    read_truth(diagnostic);
    drop_of_scalar(diagnostic);
    remove_attribute(diagnostic, "collective");  // follows from the rules
    const bool is_auto = in_.resolved(diagnostic, "size").find("-auto") != std::string::npos;
    if (is_auto) remove_attribute(diagnostic, "size");  // follows from the rules too
    for (XmlElement& rule : diagnostic.children) {
      const std::string name = in_.resolved(rule, "name");
      if (name == "field_slicer") translate_slicer(rule);
      if (name == "field_coarsener" && is_auto) set_attribute(rule, "named_by", "size");
      if (name == "reductionlocation") refuse_location(rule);
      if (name == "arithmetic") note_order(rule);
      if (rule.name == "communication" && in_.resolved(rule, "operator") == "mean")
        note_mean(rule, diagnostic);
    }
  }

  /// MONC counts from 1.
  void translate_slicer(XmlElement& rule) {
    XmlAttribute* const index = find_attribute(rule, "index");
    if (!index) return;
    const auto number = parse_integer(in_.resolved(*index), 1);
    if (!number) {
      in_.findings().error(in_.where(*index), "index=" + in_quotes(index->value) +
                                                  ": expected a whole number, from 1 in MONC's files");
      return;
    }
    set_attribute(rule, "index", std::to_string(*number - 1));
  }

  void refuse_location(XmlElement& rule) {
    const XmlAttribute* const input = find_attribute(rule, "input");
    if (!input) return;
    in_.findings().error(
        text_where(input->name_at),
        "reductionlocation with an input is not read; write it as Pileus has it, with field, value and "
        "dimension (pileus help operators), in a file of its own");
    remove_attribute(rule, "input");
  }

  Location text_where(std::size_t at) const { return in_.text.where(at); }

  /// Its equations are cut at the last "-" first, then at "+", "*", and then at "/" and "%".
  void note_order(XmlElement& rule) {
    const XmlAttribute* const equation = find_attribute(rule, "equation");
    if (!equation) return;
    const std::string& text = equation->value;
    if (const std::size_t rest = text.find('%'); rest != std::string::npos) {
      in_.findings().note(in_.text.where(equation->value_at + rest),
                          "a % b has the sign of b here; MONC computes mod(a, b), which has that of a");
    }
    std::vector<char> before(1,
                             ' ');  // by parentheses that are open: the last "-", or "*" without + behind it
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '(') before.push_back(' ');
      if (c == ')' && before.size() > 1) before.pop_back();
      if (c == '-' && !is_of_exponent(text, i)) before.back() = '-';
      if (c == '*' && before.back() != '-') before.back() = '*';
      const bool is_sum = c == '+' && before.back() == '-', is_rest = c == '%' && before.back() == '*';
      if (c == '+' && before.back() == '*') before.back() = ' ';
      if (!is_sum && !is_rest) continue;
      in_.findings().note(in_.text.where(equation->value_at + i),
                          is_sum ? "a - b + c is (a - b) + c here; MONC computes a - (b + c)"
                                 : "a * b % c is (a * b) % c here; MONC computes a * (b % c)");
      return;
    }
  }

  /// The sign in 1e-3.
  static bool is_of_exponent(std::string_view text, std::size_t at) {
    const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
    return at > 1 && (text[at - 1] == 'e' || text[at - 1] == 'E') && is_digit(text[at - 2]);
  }

  void note_mean(const XmlElement& rule, const XmlElement& diagnostic) {
    const XmlAttribute* const field = rule.find("field");
    const auto makes_it = [&](const XmlElement& one) {
      return field && one.name == "operator" && in_.resolved(one, "result") == in_.resolved(*field);
    };
    // What the model hands over counts once for each rank, as in MONC.
    if (std::ranges::none_of(diagnostic.children, makes_it)) return;
    in_.findings().note(in_.where(*rule.find("operator")),
                        "the mean is weighted by the values that the parts stand for; MONC divides by the "
                        "number of model ranks, which is wrong where they hold parts of different sizes");
  }

  const Translation& in_;
};

}  // namespace

std::string Translation::resolved(const XmlAttribute& attribute) const {
  return std::string(trimmed(substitute(attribute.value, reading.options, true).text));
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
  found->written_size = 0;  // all of it stands where it begins
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
  translate_files(translation);
  split_q_fields(translation);
}

}  // namespace pileus::monc
