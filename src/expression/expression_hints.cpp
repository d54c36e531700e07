#include "expression/expression_hints.h"

#include <algorithm>
#include <array>

#include "config/messages.h"
#include "config/substitution.h"
#include "core/suggest.h"
#include "expression/expression_words.h"

namespace pileus::planning {
namespace {

std::string quoted(std::string_view word) { return in_quotes(word); }

std::string lower(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

}  // namespace

std::string hint_at(std::string_view text, std::size_t at, bool may_compare) {
  const std::string_view rest = text.substr(at);
  const auto [theirs, ours] = foreign_operator(rest, may_compare);
  if (!theirs.empty()) return "; " + quoted(theirs) + " is written " + quoted(ours);
  const auto end = std::ranges::find_if_not(rest, is_name_character);
  const std::string_view word = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  if (word == "if" || word == "where")
    return "; write \"where(condition, a, b)\", or a condition of a reduction behind \"|\": \"mean[y,x](w | "
           "w > 0)\"";
  const std::string ordinary = lower(word);
  const bool is_shouted = may_compare && word != ordinary && is_word_operator(ordinary);
  return is_shouted ? "; it is written " + quoted(ordinary) : "";
}

bool is_keyword_before(std::string_view text, std::size_t at) {
  static const std::array<std::string, 1> kWeight = {"weight"};
  constexpr std::array<std::string_view, 6> kKeywords = {"axis", "dim", "dims", "mask", "where", "weights"};
  std::string_view before = text.substr(0, at);
  const auto drop_blanks = [&] {
    while (!before.empty() && is_blank(before.back())) before.remove_suffix(1);
  };
  drop_blanks();
  std::size_t begin = before.size();
  while (begin > 0 && is_name_character(before[begin - 1])) --begin;
  const std::string_view word = before.substr(begin);
  before = before.substr(0, begin);
  drop_blanks();
  const bool is_known =
      std::ranges::find(kKeywords, word) != kKeywords.end() || !did_you_mean(word, kWeight).empty();
  return before.ends_with(',') && is_known;
}

bool is_named_argument(std::string_view rest, std::string_view word) {
  if (!rest.starts_with(word)) return false;
  rest.remove_prefix(word.size());
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  return rest.starts_with('=') && !rest.starts_with("==");
}

bool is_index(std::string_view text, std::size_t at) {
  std::string_view inner = text.substr(at + 1);
  while (inner.starts_with(' ')) inner.remove_prefix(1);
  if (inner.empty()) return false;
  if (inner.front() == ':') return true;
  if (!is_name_character(inner.front())) return false;
  const bool is_number = is_digit(inner.front());
  while (!inner.empty() &&
         (is_number ? is_digit(inner.front()) || inner.front() == ' ' : is_name_character(inner.front())))
    inner.remove_prefix(1);
  if (inner.empty()) return false;
  if (is_number) return std::string_view(")],:").find(inner.front()) != std::string_view::npos;
  return inner.front() == '=' && !inner.starts_with("==");
}

}  // namespace pileus::planning
