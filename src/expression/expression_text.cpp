#include "expression/expression_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "config/messages.h"
#include "config/namespaces.h"
#include "config/substitution.h"
#include "config/values.h"
#include "core/suggest.h"
#include "expression/expression_hints.h"
#include "expression/expression_words.h"

namespace pileus::planning {
namespace {

/// One that another begins with stands behind it.
constexpr std::array<Comparison, 12> kComparisons = {{{"<=", Operation::less_equal, false},
                                                      {">=", Operation::less_equal, true},
                                                      {"==", Operation::equal, false},
                                                      {"!=", Operation::not_equal, false},
                                                      {"<", Operation::less, false},
                                                      {">", Operation::less, true},
                                                      {"le", Operation::less_equal, false},
                                                      {"ge", Operation::less_equal, true},
                                                      {"eq", Operation::equal, false},
                                                      {"ne", Operation::not_equal, false},
                                                      {"lt", Operation::less, false},
                                                      {"gt", Operation::less, true}}};

}  // namespace

char ExpressionText::next() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool ExpressionText::take(char c) {
  if (next() != c || at_ == text_.size()) return false;
  ++at_;
  return true;
}

bool ExpressionText::take_word(std::string_view word) {
  next();
  if (!rest().starts_with(word)) return false;
  const bool is_name = is_name_character(word.front());
  const std::size_t end = at_ + word.size();
  if (is_name && end < text_.size() && is_name_character(text_[end])) return false;
  at_ = end;
  return true;
}

const Comparison* ExpressionText::take_comparison() {
  const char c = next();
  if ((c == '<' || c == '=') && !foreign_operator(rest(), true).first.empty()) fail_foreign(at_);
  for (const Comparison& comparison : kComparisons) {
    if (take_word(comparison.text)) return &comparison;
  }
  return nullptr;
}

std::string ExpressionText::take_name() {
  std::size_t end = at_;
  for (;;) {
    while (end < text_.size() && is_name_character(text_[end])) ++end;
    const std::size_t next = end + kNamespaceMark.size();
    const bool goes_on = text_.substr(end).starts_with(kNamespaceMark) && next < text_.size() &&
                         is_name_character(text_[next]);
    if (!goes_on) break;
    end = next;
  }
  std::string word(text_.substr(at_, end - at_));
  at_ = end;
  return word;
}

void ExpressionText::take_option() {
  const std::size_t end = text_.find('}', at_);
  if (end == std::string_view::npos) fail("this \"{\" is never closed");
  at_ = end + 1;
}

std::string ExpressionText::whole() const {
  constexpr std::array kNames = {"equation", "condition", "expression"};
  return kNames[static_cast<std::size_t>(language_)];
}

std::string ExpressionText::found() const {
  if (at_ == text_.size()) return "the end of the " + whole();
  const auto goes_on = [&](char c) {
    return is_name_character(text_[at_]) ? is_name_character(c)
                                         : (static_cast<unsigned char>(c) & 0xC0) == 0x80;
  };
  std::size_t end = at_ + 1;
  while (end < text_.size() && goes_on(text_[end])) ++end;
  const std::string word(text_.substr(at_, end - at_));
  return in_quotes(word) + (word == "\u2212" || word == "\u2013" ? "; a minus is written \"-\"" : "");
}

void ExpressionText::fail_foreign(std::size_t place) const {
  const auto [theirs, ours] = foreign_operator(text_.substr(place), true);
  fail_at(place, in_quotes(theirs) + " is written " + in_quotes(ours));
}

void ExpressionText::fail_unknown(const std::string& word, std::size_t begin,
                                  const std::string& other) const {
  const bool with_reductions = language_ == Language::expression;
  std::string list;
  for (const std::string& one : function_words(with_reductions)) list += (list.empty() ? "" : ", ") + one;
  const std::string_view way = written_otherwise(word, with_reductions);
  if (!way.empty()) fail_at(begin, "there is no function " + in_quotes(word) + "; write " + in_quotes(way));
  if (is_index(text_, at_)) {
    fail_at(begin, "there is no function " + in_quotes(word) +
                       "; a field cannot be indexed in an expression: the operator field_slicer takes a part "
                       "of it");
  }
  const std::string function = function_meant(word, with_reductions);
  const std::string& meant = function.empty() ? other : function;
  const std::string advice = meant.empty() ? "" : did_you_mean(meant);
  fail_at(begin,
          "there is no function " + in_quotes(word) + (advice.empty() ? "; there are " + list : advice));
}

void ExpressionText::fail_if_neither() const {
  const std::string_view text = rest();
  const auto last = text.end();
  const auto word_end = std::find_if_not(text.begin(), last, is_name_character);
  if (word_end != text.begin() && (word_end == last || *word_end != '.')) return;
  const auto all =
      std::find_if_not(text.begin(), last, [](char c) { return is_name_character(c) || c == '.'; });
  for (auto dot = text.begin(); dot != all; ++dot) {
    const auto offset = static_cast<std::size_t>(dot - text.begin());
    if (*dot == '.' && !foreign_operator(text.substr(offset), true).first.empty()) fail_foreign(at_ + offset);
  }
  const bool is_of_fortran =
      word_end != last && std::find_if(text.begin(), all, [](char c) { return c == 'd' || c == 'D'; }) != all;
  fail(in_quotes({text.begin(), all}) + " is neither a number nor a name" +
       (is_of_fortran ? "; an exponent is written \"e\": 1.5e0" : ""));
}

void ExpressionText::fail_parameter(const Declaration& operation, const std::string& word) const {
  std::vector<std::string> known;
  for (const ParameterDeclaration& one : operation.parameters) known.push_back(one.name);
  fail("the operator " + in_quotes(operation.name) + " has no parameter " + in_quotes(word) +
       did_you_mean(word, known));
}

std::optional<double> ExpressionText::take_number() {
  const std::string_view text = rest();
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto length = static_cast<std::size_t>(end - text.data());
  const bool is_whole = length == text.size() || !(is_name_character(*end) || *end == '.');
  if (length == 0 || !is_whole) {
    fail_if_neither();
    return {};
  }
  if (problem != std::errc{}) {
    fail("the number " + in_quotes(text.substr(0, length)) + " is beyond the range of double precision");
  }
  go_to(at_ + length);
  return value;
}

std::vector<TreeNode::Word> ExpressionText::take_dimensions() {
  std::vector<TreeNode::Word> names;
  std::set<std::string> known;
  do {
    next();
    names.push_back(take_dimension());
    const auto& [name, begin] = names.back();
    if (!name.starts_with('{') && !known.insert(name).second)
      fail_at(begin, "dimension " + in_quotes(name) + " is named twice");
  } while (take(','));
  if (!take(']')) fail("expected \",\" or \"]\", found " + found());
  return names;
}

TreeNode::Word ExpressionText::take_dimension() {
  const std::size_t begin = at_;
  if (rest().starts_with("{")) take_option();
  const auto goes_on = [](char c) { return is_name_character(c) || c == '-' || c == '.'; };
  while (!is_at_end() && goes_on(rest().front())) go_to(at_ + 1);
  if (at_ == begin) fail("expected the name of a dimension, found " + found());
  return {std::string(text_.substr(begin, at_ - begin)), begin};
}

TreeNode::Word ExpressionText::take_literal() {
  const char first = next();
  const bool is_enclosed = first == '[' || first == '\'' || first == '"';
  const std::size_t opened_at = at_;
  if (is_enclosed) go_to(at_ + 1);
  const std::size_t begin = at_;
  const std::string ends = !is_enclosed ? ",)|" : first == '[' ? "]" : std::string(1, first);
  // An option may have come with parentheses: "(-90)".
  for (int open = 0; !is_at_end(); go_to(at_ + 1)) {
    const char c = rest().front();
    if (open == 0 && ends.find(c) != std::string::npos) break;
    if (!is_enclosed) open += c == '(' ? 1 : c == ')' ? -1 : 0;
  }
  if (is_enclosed && is_at_end())
    fail_at(opened_at, "this " + in_quotes(std::string(1, first)) + " is never closed");
  std::string word(trimmed(text_.substr(begin, at_ - begin)));
  if (word.starts_with('(') && word.find(')') == word.size() - 1) word = word.substr(1, word.size() - 2);
  if (word.empty()) fail_at(begin, "expected a value, found " + found());
  if (is_enclosed) go_to(at_ + 1);
  return {std::move(word), begin};
}

TreeNode::Word ExpressionText::take_numbers() {
  TreeNode::Word numbers = take_literal();
  for (std::size_t before = at_; take(','); before = at_) {
    if (!is_digit(next())) {
      go_to(before);
      break;
    }
    numbers.text += "," + take_literal().text;
  }
  return numbers;
}

TreeNode::Word ExpressionText::take_text(ParameterKind kind) {
  const bool is_list = kind == ParameterKind::whole_numbers || kind == ParameterKind::numbers;
  return is_list ? take_numbers() : take_literal();
}

const ParameterDeclaration& ExpressionText::take_parameter(const Declaration& operation,
                                                           const std::vector<TreeNode::Argument>& before) {
  const std::size_t begin = at_;
  const auto is_given = [&](const ParameterDeclaration& one) {
    return std::ranges::any_of(before, [&](const auto& other) { return other.parameter.text == one.name; });
  };
  for (const ParameterDeclaration& one : operation.parameters) {
    if (!is_named_argument(rest(), one.name)) continue;
    if (is_given(one)) fail(in_quotes(one.name) + " is given twice");
    go_to(begin + one.name.size());
    take('=');
    return one;
  }
  const std::string word = take_name();
  const bool is_named = !word.empty() && is_named_argument(text_.substr(begin), word);
  go_to(begin);
  if (is_named) fail_parameter(operation, word);
  for (const ParameterDeclaration& one : operation.parameters)
    if (one.kind == ParameterKind::name && !is_given(one)) return one;
  for (const ParameterDeclaration& one : operation.parameters)
    if ((one.kind == ParameterKind::whole_numbers || one.kind == ParameterKind::numbers) && !is_given(one) &&
        (is_digit(next()) || next() == '-'))
      return one;
  // "lag(t, 6 h)"
  for (const ParameterDeclaration& one : operation.parameters)
    if (operation.kind == RuleKind::lag && one.kind == ParameterKind::text && !is_given(one)) return one;
  fail("write the name of a parameter of " + in_quotes(operation.name) + " and \"=\" before this value");
}

}  // namespace pileus::planning
