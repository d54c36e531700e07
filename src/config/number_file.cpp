#include "config/number_file.h"

#include <utility>

#include "config/known_numbers.h"
#include "config/messages.h"
#include "config/values.h"
#include "core/error.h"

namespace pileus {
namespace {

[[noreturn]] void refuse(const std::string& file, int line, const std::string& why) {
  Findings findings;
  findings.error({file, line, 0}, why);
  throw ConfigError(std::move(findings));
}

IncludedFile file_of(const Text& written, const FindInclude& find_file) {
  const std::string path(trimmed(std::string_view(written.value).substr(kFileOfNumbers.size())));
  return find_file(written.where.file, path);
}

std::string numbers_of_file(const Text& written, const FindInclude& find_file) {
  const IncludedFile file = file_of(written, find_file);
  const std::string_view text = file.text;
  std::string numbers;
  int line = 1;
  for (std::size_t from = 0; from < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    const std::string_view number = trimmed(text.substr(from, end - from));
    from = end + 1;
    if (number.empty() || number.front() == '#') continue;
    if (!parse_number(number)) refuse(file.name, line, "expected one number, not " + in_quotes(number));
    numbers += (numbers.empty() ? "" : " ") + std::string(number);
  }
  if (numbers.empty()) refuse(file.name, 0, "there is no number in it");
  return numbers;
}

}  // namespace

std::string put_file(Text& written, bool as_numbers, const FindInclude& find_file) {
  if (!written.value.starts_with(kFileOfNumbers))
    return as_numbers ? "" : "expected \"file:\" and the path of a file";
  try {
    written.value = as_numbers ? numbers_of_file(written, find_file) : file_of(written, find_file).text;
    return "";
  } catch (const ConfigError& error) {
    const Finding& why = error.findings().all().front();
    return (why.where.file.empty() ? "" : why.where.text() + ": ") + why.what;
  }
}

std::string put_known_file(Text& written, bool as_numbers, const Config& config) {
  return put_file(written, as_numbers, known_includes(config.included));
}

void find_number_files(const Text& expression, const FindInclude& find_file) {
  const std::string_view text = expression.value;
  for (std::size_t at = text.find(kFileOfNumbers); at != text.npos; at = text.find(kFileOfNumbers, at + 1)) {
    const char quote = at > 0 ? text[at - 1] : ' ';
    if (quote != '\'' && quote != '"') continue;
    const std::size_t from = at + kFileOfNumbers.size();
    try {
      (void)find_file(expression.where.file,
                      std::string(trimmed(text.substr(from, text.find(quote, from) - from))));
    } catch (const ConfigError&) {
      continue;
    }
  }
}

}  // namespace pileus
