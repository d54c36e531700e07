#pragma once
// The text of an expression as its parser goes over it: characters, words and names from left to right, and
// what is wrong where they stand. Used by expression_tree.cpp alone.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expression/expression_tree.h"

namespace pileus::planning {

/// A comparison as it is written.
struct Comparison {
  std::string_view text;
  Operation operation;
  bool is_swapped;  ///< a > b is b < a
};

class ExpressionText {
 public:
  ExpressionText(std::string_view text, Language language) : text_(text), language_(language) {}

  /// The next character that is no blank, where the text stands then; '\0' at the end.
  char next();
  bool is_at_end() const { return at_ >= text_.size(); }
  std::size_t at() const { return at_; }
  void go_to(std::size_t place) { at_ = place; }
  std::string_view rest() const { return text_.substr(at_); }
  std::string_view text() const { return text_; }

  bool take(char c);
  /// A whole word, or a sign that is no name.
  bool take_word(std::string_view word);
  /// Null where there is none.
  const Comparison* take_comparison();
  /// A name with the namespaces before it; empty where there is none.
  std::string take_name();
  /// A number; none where a name stands that begins like one.
  std::optional<double> take_number();
  /// The dimensions behind a "[", with the "]".
  std::vector<TreeNode::Word> take_dimensions();
  /// What an operator takes that is no field: what stands in quotes or brackets, or up to a "," or ")".
  TreeNode::Word take_literal();
  /// The numbers of one parameter, which may stand behind each other: "4, 4".
  TreeNode::Word take_numbers();
  /// Whichever of the two a parameter takes.
  TreeNode::Word take_text(ParameterKind kind);
  /// An {option} whose value is not known: where it ends.
  void take_option();

  /// "equation", "condition" or "expression".
  std::string whole() const;
  /// What stands here, for people: a whole word, a whole character of UTF-8, or the end.
  std::string found() const;

  [[noreturn]] void fail(const std::string& what) const { fail_at(at_, what); }
  [[noreturn]] void fail_at(std::size_t place, const std::string& what) const {
    throw ExpressionError(place, what);
  }
  /// The parameter of an operator that is named here, with its "=", or else the next that takes a field.
  const ParameterDeclaration& take_parameter(const Declaration& operation,
                                             const std::vector<TreeNode::Argument>& before);
  [[noreturn]] void fail_parameter(const Declaration& operation, const std::string& word) const;
  /// There is no function of that name; the text stands behind it. `other`: what else may be meant, or "".
  [[noreturn]] void fail_unknown(const std::string& word, std::size_t begin, const std::string& other) const;
  /// An operator of another language stands there.
  [[noreturn]] void fail_foreign(std::size_t place) const;

 private:
  TreeNode::Word take_dimension();
  /// Something begins like a number, and is neither one nor a name.
  void fail_if_neither() const;
  std::string_view text_;
  Language language_;
  std::size_t at_ = 0;
};

}  // namespace pileus::planning
