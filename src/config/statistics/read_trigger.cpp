#include "config/statistics/read_trigger.h"

#include <algorithm>
#include <utility>

#include "config/messages.h"
#include "config/number_file.h"

namespace pileus {
namespace {

constexpr const char* kUntil = "_until";

DiagnosticConfig condition_of(const Reading& reading, const ElementReader& element, const char* attribute,
                              Text name, const std::string& scope) {
  DiagnosticConfig out;
  out.where = element.where();
  out.field = std::move(name);
  out.scope = scope;
  out.expression = element.text(attribute);
  if (reading.find_file != nullptr) find_number_files(out.expression, *reading.find_file);
  out.metadata.units = {"1", element.where()};
  out.metadata.long_name = {"1 where " + out.expression.value, out.expression.where};
  return out;
}

void check_beginning(const ElementReader& element, const TriggerConfig& trigger) {
  const bool has_when = element.is_given("when"), has_event = element.is_given("event");
  constexpr std::size_t kLongestWord = 200;
  const std::string& word = trigger.event.value;
  if (has_event && (word.empty() || word.size() > kLongestWord || word.find('\n') != word.npos))
    element.error(trigger.event.where, "event: a word of the model has from 1 to " +
                                           std::to_string(kLongestWord) + " bytes on one line");
  if (has_when && has_event)
    element.error(trigger.event.where, element.label() + " has both when and event: write two triggers");
  if (!has_when && !has_event && !element.was_misspelt("when") && !element.was_misspelt("event"))
    element.error(element.where(), element.label() +
                                       " never begins: give it when=\"max[z,y,x](w) > 30\", or "
                                       "event=\"a word\" that the model sends by pileus_event");
  if (!has_when && element.is_given("until"))
    element.error(element.text("until").where, element.label() +
                                                   " begins with a word of the model, and until is for "
                                                   "conditions: say how long it lasts");
}

FileIncludeConfig include_of(const TriggerConfig& trigger, const Text& condition) {
  FileIncludeConfig include;
  include.field = include.name = condition;
  include.time_manipulation = {"none", trigger.where};
  include.where = trigger.where;
  include.scope = trigger.scope;
  return include;
}

}  // namespace

ReadTrigger read_trigger(const Reading& reading, const ElementReader& element, const std::string& scope) {
  ReadTrigger out;
  TriggerConfig& trigger = out.trigger;
  trigger.where = element.where();
  trigger.scope = scope;
  trigger.name = element.text("name");
  trigger.event = element.text("event");
  trigger.lasts = element.duration("lasts").value_or(Duration{});
  trigger.at_most_every = element.duration("at_most_every").value_or(Duration{});
  trigger.command = element.text("command");
  trigger.asks_for_checkpoint = element.boolean("checkpoint");
  trigger.file = element.text("file");
  check_beginning(element, trigger);
  if (!element.is_given("when")) return out;
  trigger.when = trigger.name;
  out.conditions.push_back(condition_of(reading, element, "when", trigger.when, scope));
  if (!element.is_given("until")) return out;
  trigger.until = {trigger.name.value + kUntil, trigger.name.where};
  out.conditions.push_back(condition_of(reading, element, "until", trigger.until, scope));
  return out;
}

std::vector<FileConfig> files_of_triggers(const std::vector<TriggerConfig>& triggers) {
  std::vector<FileConfig> files;
  for (const TriggerConfig& trigger : triggers) {
    if (trigger.when.value.empty()) continue;
    auto file =
        std::ranges::find(files, trigger.file.value, [](const FileConfig& one) { return one.name.value; });
    if (file == files.end()) {
      FileConfig made;
      made.name = {trigger.file.value, trigger.where};
      made.write_on_terminate = true;
      made.where = trigger.where;
      files.push_back(std::move(made));
      file = files.end() - 1;
    }
    file->includes.push_back(include_of(trigger, trigger.when));
    if (!trigger.until.value.empty()) file->includes.push_back(include_of(trigger, trigger.until));
  }
  return files;
}

}  // namespace pileus
