// Notes where MONC reads an equation otherwise than Pileus: the order of its operators, and its numbers.

#include <algorithm>
#include <string_view>
#include <vector>

#include "config/messages.h"
#include "monc/translate.h"

namespace pileus::monc {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Equation {
 public:
  Equation(const Translation& in, const XmlAttribute& equation)
      : in_(in), at_(equation.value_at), text_(equation.value) {}

  /// MONC cuts its equations first at the last "-", then at "+", then at "*", and last at "/" and "%".
  void note_order() const {
    if (const std::size_t rest = text_.find('%'); rest != text_.npos)
      note(rest, "a % b has the sign of b here; MONC computes mod(a, b), which has that of a");
    // For each open parenthesis the last "-", or a "*" without a "+" behind it.
    std::vector<char> before(1, ' ');
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '(') before.push_back(' ');
      if (c == ')' && before.size() > 1) before.pop_back();
      if (c == '-' && !is_of_exponent(i)) before.back() = '-';
      if (c == '*' && before.back() != '-') before.back() = '*';
      const bool is_sum = c == '+' && before.back() == '-', is_rest = c == '%' && before.back() == '*';
      if (c == '+' && before.back() == '*') before.back() = ' ';
      if (!is_sum && !is_rest) continue;
      note(i, is_sum ? "a - b + c is (a - b) + c here; MONC computes a - (b + c)"
                     : "a * b % c is (a * b) % c here; MONC computes a * (b % c)");
      return;
    }
  }

  /// MONC reads a number without a point as hundredths. The value of an option gets a point before.
  void note_numbers() const {
    constexpr std::string_view kEnds = "/*-+()% ";
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t begin = std::min(text_.find_first_not_of(kEnds, at), text_.size());
      const std::size_t end = std::min(text_.find_first_of(kEnds, begin), text_.size());
      const std::string_view word = text_.substr(begin, end - begin);
      if (!word.empty() && std::ranges::all_of(word, is_digit) && word.find_first_not_of('0') != word.npos &&
          !(begin > 0 && is_of_exponent(begin - 1)))
        note_hundredths(begin, word);
      at = end;
    }
  }

 private:
  void note(std::size_t at, const std::string& what) const {
    in_.findings().note(in_.text.where(at_ + at), what);
  }

  void note_hundredths(std::size_t at, std::string_view word) const {
    note(at, std::string(word) + " is " + std::string(word) + " here; MONC reads it as " + hundredths(word) +
                 ", because it has no point: write " + std::string(word) + ".0");
  }

  /// Whether this is the sign in a number such as 1e-3.
  bool is_of_exponent(std::size_t at) const {
    return at > 1 && (text_[at - 1] == 'e' || text_[at - 1] == 'E') &&
           (is_digit(text_[at - 2]) || text_[at - 2] == '.');
  }

  const Translation& in_;
  std::size_t at_;
  std::string_view text_;
};

}  // namespace

void note_equation(const Translation& translation, const XmlElement& rule) {
  const XmlAttribute* const attribute = rule.find("equation");
  if (!attribute) return;
  const Equation equation(translation, *attribute);
  equation.note_order();
  equation.note_numbers();
}

}  // namespace pileus::monc
