#pragma once
// The units of a product, as people write them: "K m s-1" of "K" and "m s-1".

#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pileus {

inline constexpr int kLargestPower = 1000;

/// Powers of names of units, in the order in which they come.
struct UnitPowers {
  std::vector<std::pair<std::string, int>> of;

  /// Nothing where the text has more than names and whole exponents with blanks between.
  bool multiply_by(std::string_view units) {
    while (!units.empty()) {
      const std::size_t begin = units.find_first_not_of(' ');
      if (begin == units.npos) return true;
      units.remove_prefix(begin);
      const std::string_view word = units.substr(0, units.find(' '));
      units.remove_prefix(word.size());
      if (word != "1" && !multiply_by_word(word)) return false;
    }
    return true;
  }

  std::string text() const {
    std::string out;
    for (const auto& [name, power] : of) {
      if (power == 0) continue;
      out += (out.empty() ? "" : " ") + name + (power == 1 ? "" : std::to_string(power));
    }
    return out.empty() ? "1" : out;
  }

 private:
  bool multiply_by_word(std::string_view word) {
    std::size_t letters = 0;
    while (letters < word.size() && (std::isalpha(static_cast<unsigned char>(word[letters])) != 0)) ++letters;
    if (letters == 0) return false;
    int power = 1;
    if (const std::string_view rest = word.substr(letters); !rest.empty()) {
      const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), power);
      if (problem != std::errc() || end != rest.data() + rest.size()) return false;
      if (power < -kLargestPower || power > kLargestPower) return false;
    }
    const std::string name(word.substr(0, letters));
    for (auto& [known, sum] : of) {
      if (known != name) continue;
      sum += power;
      return true;
    }
    of.emplace_back(name, power);
    return true;
  }
};

/// "" if either is not known.
inline std::string units_of_product(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return {};
  UnitPowers powers;
  if (powers.multiply_by(a) && powers.multiply_by(b)) return powers.text();
  return "(" + a + ") (" + b + ")";
}

}  // namespace pileus
