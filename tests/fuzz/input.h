#pragma once
// A configuration as one input of a fuzz target. It can be read and written by hand: the text of the file
// itself, and the texts of others that it may include.

#include <string>
#include <string_view>

#include "core/model_description.h"
#include "monc/test_support.h"

namespace pileus::testing {

/// The text behind a line "%%% PATH" is the file PATH. Behind "%%% --set" each line has an option, KEY=VALUE.
struct Input {
  static constexpr const char* kMain = "io.xml";

  Texts files;
  Options options;

  explicit Input(std::string_view text);
  const std::string& text() const { return files.at(kMain); }
};

/// The catalogue without the operators of libraries: no input decides what code is loaded.
const Catalogue& catalogue();

/// Ends the program if a finding has a place that no file has.
void require_real_places(const Findings& findings, const Input& input);

/// A model of two ranks with all fields as the configuration declares them; the ranks divide the last
/// dimension of collective fields.
ModelDescription model_of(const Config& config);

/// Prints the reason on standard error and ends the program.
[[noreturn]] void end(const std::string& why);

/// The words of elements, attributes and values, of operators and their parameters, and of expressions.
std::vector<std::string> words_of_configurations();
std::vector<std::string> words_of_expressions();

}  // namespace pileus::testing
