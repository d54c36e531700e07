#include "expression/expression_text.h"

#include <array>

#include "config/messages.h"
#include "config/namespaces.h"
#include "config/substitution.h"
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

}  // namespace pileus::planning
