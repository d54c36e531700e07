#include "plan/expression.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "config/namespaces.h"
#include "plan/program_builder.h"

namespace pileus::planning {
namespace {

constexpr int kDeepestNesting = 200;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

/// One pass over the text by recursive descent; each function returns the instruction that has the value.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Expression parse() {
    const std::uint32_t result = sum();
    if (next() == ')') fail("there is no \"(\" for this \")\"");
    if (at_ < text_.size()) {
      fail("expected an operator or the end of the equation, found " + found() +
           (text_[at_] == '(' ? "; an equation has no functions" : ""));
    }
    return finish(result);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw ExpressionError(at_, what); }

  char next() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (next() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  std::string found() const {
    return at_ < text_.size() ? "\"" + std::string(text_.substr(at_, 1)) + "\"" : "the end of the equation";
  }

  class Deeper {
   public:
    explicit Deeper(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kDeepestNesting) parser_.fail("the equation is nested too deeply");
    }
    ~Deeper() { --parser_.depth_; }

   private:
    Parser& parser_;
  };

  std::uint32_t sum() {
    std::uint32_t left = product();
    for (;;) {
      if (take('+')) {
        left = builder_.operation(Operation::add, left, product());
      } else if (take('-')) {
        left = builder_.operation(Operation::subtract, left, product());
      } else {
        return left;
      }
    }
  }

  std::uint32_t product() {
    std::uint32_t left = unary();
    for (;;) {
      if (take('*')) {
        if (at_ < text_.size() && text_[at_] == '*') fail("a power is written \"^\", not \"**\"");
        left = builder_.operation(Operation::multiply, left, unary());
      } else if (take('/')) {
        left = builder_.operation(Operation::divide, left, unary());
      } else {
        return left;
      }
    }
  }

  /// Signs, and below them a power; also what follows a ^.
  std::uint32_t unary() {
    const Deeper deeper(*this);
    if (take('-')) return builder_.operation(Operation::negate, unary());
    if (take('+')) return unary();
    const std::uint32_t base = primary();
    return take('^') ? builder_.operation(Operation::power, base, unary()) : base;
  }

  std::uint32_t primary() {
    const char c = next();
    if (take('(')) {
      const std::size_t opened_at = at_ - 1;
      const std::uint32_t inner = sum();
      if (!take(')')) {
        if (at_ < text_.size()) {
          fail("expected an operator or \")\", found " + found() +
               (text_[at_] == '(' ? "; an equation has no functions" : ""));
        }
        throw ExpressionError(opened_at, "this \"(\" is never closed");
      }
      return inner;
    }
    if (c == '{') return option();
    if (is_digit(c) || c == '.') return number_or_name();
    if (is_name_character(c)) return name();
    fail("expected a number, a name or \"(\", found " + found());
  }

  std::uint32_t option() {
    const std::size_t end = text_.find('}', at_);
    if (end == std::string_view::npos) fail("this \"{\" is never closed");
    at_ = end + 1;
    return builder_.constant(std::numeric_limits<double>::quiet_NaN());
  }

  std::uint32_t number_or_name() {
    const char* const first = text_.data() + at_;
    const char* const last = text_.data() + text_.size();
    double value = 0;
    const auto [end, problem] = std::from_chars(first, last, value);
    const bool is_whole = end == last || !(is_name_character(*end) || *end == '.');
    if (end != first && is_whole) {
      if (problem != std::errc{}) {
        fail("the number \"" + std::string(first, end) + "\" is beyond the range of double precision");
      }
      at_ += static_cast<std::size_t>(end - first);
      return builder_.constant(value);
    }
    const char* const word_end = std::find_if_not(first, last, is_name_character);
    if (word_end == first || (word_end < last && *word_end == '.')) {
      const char* const all =
          std::find_if_not(first, last, [](char c) { return is_name_character(c) || c == '.'; });
      fail("\"" + std::string(first, all) + "\" is neither a number nor a name");
    }
    return name();
  }

  std::uint32_t name() {
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
    auto known =
        std::find_if(names_.begin(), names_.end(), [&](const auto& name) { return name.text == word; });
    if (known == names_.end()) known = names_.insert(names_.end(), {std::move(word), at_});
    at_ = end;
    return builder_.input(static_cast<std::uint32_t>(known - names_.begin()));
  }

  Expression finish(std::uint32_t result) { return {builder_.finish(result), std::move(names_)}; }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  ProgramBuilder builder_;
  std::vector<Expression::Name> names_;
};

}  // namespace

Expression parse_expression(std::string_view text) { return Parser(text).parse(); }

}  // namespace pileus::planning
