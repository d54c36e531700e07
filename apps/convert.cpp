#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>

#include "apps/check.h"
#include "config/read_config.h"
#include "config/schema/schema.h"
#include "core/file_kind.h"
#include "monc/dialect.h"
#include "xml/write_xml.h"
#include "xml/xml_document.h"

namespace pileus::apps {
namespace {

/// False if the file cannot be written.
bool write(const std::string& text, const std::string& output) {
  if (output.empty()) {
    std::cout << text << std::flush;
    return std::cout.good();
  }
  if (const std::string_view kind = kind_if_no_file(output); !kind.empty() && kind != "a device") {
    std::cerr << output << ": cannot be written: it is " << kind
              << ", and no file; without -o the standard output is taken\n";
    return false;
  }
  std::ofstream file(output, std::ios::binary);
  file << text << std::flush;
  if (!file) std::cerr << output << ": cannot be written: " << std::strerror(errno) << '\n';
  return file.good();
}

/// Whether the text is strict XML with the root of a configuration, whatever it says; prints why it is not.
bool is_strict(const std::string& text, const std::string& file) {
  Findings findings;
  const XmlDocument document(std::make_unique<std::string>(text), file, findings);
  const std::string& expected = configuration_schema().front().name;
  if (document.is_complete() && document.root() && document.root()->name != expected)
    findings.error(document.where(document.root()->at), "the root element is not <" + expected + ">");
  if (!findings.has_errors()) return true;
  std::cerr << findings.text() << '\n'
            << file << ": is no strict XML of Pileus; if it is a file of MONC, add --dialect monc\n";
  return false;
}

/// Writes the text whatever check finds, so that the user can mend it there, and prints the findings.
int write_checked(const std::string& text, const std::string& output, ReadSettings settings) {
  if (!write(text, output)) return 2;
  settings.dialect = kStrict;
  const std::string name = output.empty() ? "standard output" : output;
  const Findings findings = findings_in(text, name, settings);
  int errors = 0;
  for (const Finding& finding : findings.sorted()) {
    // Options stay as they are written; the model gives them when it runs.
    if (finding.severity != Severity::error || finding.what.starts_with("no option ")) continue;
    std::cerr << findings.text(finding) << '\n';
    ++errors;
  }
  if (errors == 0) return 0;
  std::cerr << name << ": written, with " << errors << (errors == 1 ? " error" : " errors")
            << " that pileus check finds in it\n";
  return 1;
}

}  // namespace

int convert(const std::string& file, const std::string& output, const ReadSettings& settings) {
  const std::map<std::string, std::string> options(settings.options.begin(), settings.options.end());
  try {
    const std::string text = read_text_file(file);
    const Dialects dialects = all_dialects(settings.dialect);
    const Dialect* const dialect = dialects.of(text, options);
    if (!dialect) {
      if (!is_strict(text, file)) return 1;
      std::cerr << file
                << ": is strict XML, and written as it is; --dialect monc reads it as a file of MONC\n";
      return write_checked(text, output, settings);
    }
    Findings findings;
    const FindInclude find = includes_on_disk(presets_directory(), folders_of(settings.include_path));
    const auto document = dialect->read(text, file, {options, find, findings});
    if (!findings.all().empty()) std::cerr << findings.text() << '\n';
    if (findings.has_errors()) return 1;
    return write_checked(strict_text(*document), output, settings);
  } catch (const ConfigError& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}

}  // namespace pileus::apps
