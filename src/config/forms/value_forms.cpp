#include "config/forms/value_forms.h"

#include "config/messages.h"
#include "core/calendar.h"
#include "core/months.h"
#include "core/signals.h"

namespace pileus {
namespace {

const std::string kName = R"([A-Za-z0-9_.\-]+)";
const std::string kNumber = R"(-?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+\-]?[0-9]+)?)";
const std::string kPositive = R"(([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+\-]?[0-9]+)?)";
const std::string kZero = R"(-?(0+(\.0*)?|\.0+)([eE][+\-]?[0-9]+)?)";
const std::string kSeconds = kPositive + " ?(s|min|h|d)?";

/// A pattern for `item`s with commas between them, or nothing.
std::string list_of(const std::string& item) { return "(" + item + "( ?, ?" + item + ")*)?"; }

std::string one_of(const std::vector<std::string>& words) {
  std::string pattern;
  for (const std::string& word : words) pattern += (pattern.empty() ? "(" : "|") + word;
  return pattern + ")";
}

}  // namespace

ValueForm form_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::word:
    case ValueKind::text: return {"text", "text", ""};
    case ValueKind::stages:
      return {"stages",
              "stages in time, of which all but the last have their period: maximum over 1 d, averaged",
              "[a-z_]+ +over +[^,]+( *, *[a-z_]+ +over +[^,]+)*( *, *[a-z_]+)?"};
    case ValueKind::name: return {"name", "name", kName};
    case ValueKind::reference: return {"reference", "name, or namespace::name", "(" + kName + "::)*" + kName};
    case ValueKind::file_name:
      return {"file_name", "name of a file, folders of the run's before it", "[^./][^/]*(/[^./][^/]*)*"};
    case ValueKind::plain_file_name:
      return {"plain_file_name", "name of a file, without folders", "[^./][^/]*"};
    case ValueKind::references:
      return {"references", "names, separated by commas", list_of("(" + kName + "::)*" + kName)};
    case ValueKind::names: return {"dimensions", "names of dimensions, separated by commas", list_of(kName)};
    case ValueKind::order: return {"order", "names of dimensions, separated by commas", list_of(kName)};
    case ValueKind::boolean: return {"boolean", "true or false", "true|false"};
    case ValueKind::integer: return {"positive", "whole number from 1", "[0-9]*[1-9][0-9]*"};
    case ValueKind::level: return {"level", "whole number from 0 to 9", "0*[0-9]"};
    case ValueKind::bits: return {"bits", "whole number from 1 to 52", "0*([1-9]|[1-4][0-9]|5[0-2])"};
    case ValueKind::packed_bits:
      return {"packed_bits", "whole number from 1 to 32", "0*([1-9]|[12][0-9]|3[0-2])"};
    case ValueKind::places: return {"places", "whole number from -20 to 20", "-?0*(1?[0-9]|20)"};
    case ValueKind::error:
      return {"error", "absolute 0.01 K, or relative 1e-4",
              "absolute +" + kNumber + "( +[^ ].*)?|relative +" + kNumber};
    case ValueKind::calendar: return {"calendar", "calendar of CF", one_of(calendar_words())};
    case ValueKind::date:
      return {"date", "date such as 2000-01-01 00:00:00", "[0-9]{4}-[0-9]{2}-[0-9]{2}([ T].*)?"};
    case ValueKind::signals: {
      const std::string signal = one_of(signal_words());
      return {"signals", "signals, separated by blanks", signal + "( " + signal + ")*"};
    }
    case ValueKind::count: return {"count", "whole number from 0", "[0-9]+"};
    case ValueKind::counts: return {"counts", "whole numbers from 0, separated by commas", list_of("[0-9]+")};
    case ValueKind::number: return {"number", "number", kNumber};
    case ValueKind::numbers:
      return {"numbers", "numbers, separated by blanks, or file: and the path of a file with one a line",
              "file:.+|[ ,]*" + kNumber + "([ ,]+" + kNumber + ")*[ ,]*"};
    case ValueKind::table: return {"table", "file: and the path of a text file", "file:.+"};
    case ValueKind::duration:
      return {"duration", "time: seconds, or with s, min, h, d, month, season or year",
              kSeconds + "|[0-9]*[1-9][0-9]* ?(months?|years?)( from " + one_of(month_names()) +
                  ")?|[0-9]*[1-9][0-9]* ?seasons?"};
    case ValueKind::duration_or_0:
      return {"duration_or_0", "time: seconds, or with s, min, h, d, month, season or year; or 0",
              kZero + "|" + form_of(ValueKind::duration).pattern};
    case ValueKind::cadence:
      return {"cadence", "whole number of steps from 0, or time with s, min, h or d",
              "[0-9]+|" + kPositive + " ?(s|min|h|d)"};
    case ValueKind::wall_time: return {"wall_time", "time: seconds, or with s, min, h or d", kSeconds};
    case ValueKind::bytes:
      return {"bytes", "bytes, or with KiB, MiB or GiB", "[0-9]*[1-9][0-9]* ?(KiB|MiB|GiB)?"};
    case ValueKind::whole_path: return {"whole_path", "path that begins with /", "/.*"};
    case ValueKind::path: return {"path", "path of a file", ".+"};
    case ValueKind::attribute_value: return {"value", "text or number", ".+"};
    case ValueKind::expression: return {"expression", "expression", ".+"};
    case ValueKind::server: return {"server", "auto, or the number of a server from 0", "auto|[0-9]+"};
  }
  return {"text", "text", ""};
}

std::string form_in_words(const AttributeSchema& attribute) {
  if (attribute.kind == ValueKind::stages)
    return listed(attribute.words) + "; or stages such as maximum over 1 d, averaged";
  return attribute.kind == ValueKind::word ? listed(attribute.words) : form_of(attribute.kind).meaning;
}

}  // namespace pileus
