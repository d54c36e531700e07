#pragma once
// A configuration as one input of a fuzz target, which is readable and can be written by hand: the text of
// the file itself, and of others that it may include.

#include <string>
#include <string_view>

#include "core/model_description.h"
#include "monc/test_support.h"

namespace pileus::testing {

/// What stands behind a line "%%% PATH" is the file PATH; behind "%%% --set", KEY=VALUE in a line each,
/// options.
struct Input {
  static constexpr const char* kMain = "io.xml";

  Texts files;
  Options options;

  explicit Input(std::string_view text);
  const std::string& text() const { return files.at(kMain); }
};

/// The catalogue without the operators of libraries: no input decides what code is loaded.
const Catalogue& catalogue();

/// Ends the program where a finding stands at a place that no file has.
void require_real_places(const Findings& findings, const Input& input);

/// A model of two ranks that has all fields as the configuration declares them, the last dimension of those
/// that are collective divided.
ModelDescription model_of(const Config& config);

/// Says why on standard error.
[[noreturn]] void end(const std::string& why);

/// The words of elements, attributes and values, of operators and their parameters, and of expressions.
std::vector<std::string> words_of_configurations();
std::vector<std::string> words_of_expressions();

}  // namespace pileus::testing
