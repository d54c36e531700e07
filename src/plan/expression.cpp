#include "plan/expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <set>

#include "config/namespaces.h"
#include "plan/program_builder.h"

namespace pileus::planning {
namespace {

constexpr int kDeepestNesting = 200;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

struct Comparison {
  std::string_view text;
  Operation operation;
  bool is_swapped;  ///< a > b is b < a
};
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
const std::set<std::string_view> kReserved = {"and", "or", "not", "le", "ge", "eq", "ne", "lt", "gt"};

/// One pass over the text by recursive descent; each function returns the instruction that has the value.
class Parser {
 public:
  Parser(std::string_view text, bool is_condition) : text_(text), is_condition_(is_condition) {}

  Expression parse() {
    const std::uint32_t result = is_condition_ ? either() : sum();
    if (next() == ')') fail("there is no \"(\" for this \")\"");
    if (at_ < text_.size()) {
      fail("expected an operator or the end of the " + whole() + ", found " + found() +
           (text_[at_] == '(' ? "; an equation has no functions" : "") +
           (is_condition_ && text_[at_] == '=' ? "; equality is written \"==\" or \"eq\"" : ""));
    }
    if (is_condition_) require_truth(result);
    return finish(result);
  }

 private:
  std::string whole() const { return is_condition_ ? "condition" : "equation"; }
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
    return at_ < text_.size() ? "\"" + std::string(text_.substr(at_, 1)) + "\"" : "the end of the " + whole();
  }

  class Deeper {
   public:
    explicit Deeper(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kDeepestNesting)
        parser_.fail("the " + parser_.whole() + " is nested too deeply");
    }
    ~Deeper() { --parser_.depth_; }

   private:
    Parser& parser_;
  };

  bool take_word(std::string_view word) {
    next();
    if (!text_.substr(at_).starts_with(word)) return false;
    const bool is_name = is_name_character(word.front());
    const std::size_t end = at_ + word.size();
    if (is_name && end < text_.size() && is_name_character(text_[end])) return false;
    at_ = end;
    return true;
  }

  std::uint32_t truth(Operation operation, std::uint32_t left, std::uint32_t right) {
    const std::uint32_t made = builder_.operation(operation, left, right);
    truths_.insert(made);
    return made;
  }
  std::uint32_t opposite(std::uint32_t one) { return truth(Operation::equal, one, builder_.constant(0)); }
  void require_truth(std::uint32_t one) {
    next();
    if (!truths_.contains(one)) fail("expected a comparison, for example \"w > 0\", found " + found());
  }

  std::uint32_t either() {
    std::uint32_t left = both();
    while (take_word("or")) {
      require_truth(left);
      const std::uint32_t right = both();
      require_truth(right);
      left = opposite(truth(Operation::multiply, opposite(left), opposite(right)));
    }
    return left;
  }

  std::uint32_t both() {
    std::uint32_t left = not_or_comparison();
    while (take_word("and")) {
      require_truth(left);
      const std::uint32_t right = not_or_comparison();
      require_truth(right);
      left = truth(Operation::multiply, left, right);
    }
    return left;
  }

  std::uint32_t not_or_comparison() {
    const Deeper deeper(*this);
    if (!take_word("not")) return comparison();
    const std::uint32_t one = not_or_comparison();
    require_truth(one);
    return opposite(one);
  }

  /// Or an equation that is none.
  std::uint32_t comparison() {
    const std::uint32_t left = sum();
    const auto found_one = take_comparison();
    if (!found_one) return left;
    const std::uint32_t right = sum();
    const std::uint32_t made = found_one->is_swapped ? truth(found_one->operation, right, left)
                                                     : truth(found_one->operation, left, right);
    const std::size_t second_at = at_;
    if (take_comparison()) {
      at_ = second_at;
      fail("a comparison cannot be compared again; write for example \"0 < w and w < 1\"");
    }
    return made;
  }

  const Comparison* take_comparison() {
    for (const Comparison& one : kComparisons) {
      if (take_word(one.text)) return &one;
    }
    return nullptr;
  }

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
      const std::uint32_t inner = is_condition_ ? either() : sum();
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
    if (is_condition_ && kReserved.contains(word))
      fail("expected a number, a name or \"(\", found \"" + word + "\"");
    auto known =
        std::find_if(names_.begin(), names_.end(), [&](const auto& name) { return name.text == word; });
    if (known == names_.end()) known = names_.insert(names_.end(), {std::move(word), at_});
    at_ = end;
    return builder_.input(static_cast<std::uint32_t>(known - names_.begin()));
  }

  Expression finish(std::uint32_t result) { return {builder_.finish(result), std::move(names_)}; }

  std::string_view text_;
  bool is_condition_;
  std::set<std::uint32_t> truths_;  ///< instructions whose value is 0 or 1
  std::size_t at_ = 0;
  int depth_ = 0;
  ProgramBuilder builder_;
  std::vector<Expression::Name> names_;
};

}  // namespace

Expression parse_expression(std::string_view text) { return Parser(text, false).parse(); }
Expression parse_condition(std::string_view text) { return Parser(text, true).parse(); }

}  // namespace pileus::planning
