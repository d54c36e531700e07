#include "time/continued_windows.h"

#include <algorithm>
#include <set>

namespace pileus {
namespace {

constexpr const char* kAxis = "axis";

std::string axis_key(const Plan& plan, ScheduleId schedule) {
  return plan[plan[schedule].file].name + '\n' + plan[schedule].dimension;
}

/// "\"w\" of file \"a.nc\""
std::string named(const std::string& key) {
  const std::size_t end = key.find('\n');
  return "\"" + key.substr(end + 1) + "\" of file \"" + key.substr(0, end) + "\"";
}

/// The definition and the cursor, as an axis's entry has them.
struct KeptAxis {
  std::string definition;
  Bytes cursor;
  std::map<std::string, std::string> variables;  ///< how each is made
};

KeptAxis decode_axis(const Bytes& bytes) {
  Decoder in(bytes);
  KeptAxis axis;
  axis.definition = in.get_text();
  const auto cursor = in.get_raw(in.get_length(1));
  axis.cursor.assign(cursor.begin(), cursor.end());
  for (std::size_t i = in.get_length(2 * sizeof(std::uint64_t)); i > 0; --i) {
    const std::string variable = in.get_text();
    axis.variables[variable] = in.get_text();
  }
  return axis;
}

}  // namespace

std::string window_key(const Plan& plan, VariableId variable, std::size_t window) {
  const std::string key = plan[plan[variable].file].name + '\n' + plan[variable].name;
  return window == 0 ? key : key + '\n' + std::to_string(window);
}

std::string first_window_key(const std::string& key) {
  return key.substr(0, key.find('\n', key.find('\n') + 1));
}

StateEntry axis_entry(const Plan& plan, ScheduleId schedule, const ScheduleCursor& cursor) {
  StateEntry entry{kAxis, axis_key(plan, schedule), {}, {}};
  Encoder out(entry.bytes);
  out.put(std::string_view(cursor.definition()));
  Bytes bytes;
  Encoder cursor_out(bytes);
  cursor.encode(cursor_out);
  out.put(static_cast<std::uint64_t>(bytes.size()));
  out.put_raw(bytes);
  std::vector<const Variable*> variables;
  for (const Variable& variable : plan.variables) {
    if (variable.schedule == schedule) variables.push_back(&variable);
  }
  out.put(static_cast<std::uint64_t>(variables.size()));
  for (const Variable* variable : variables) {
    out.put(std::string_view(variable->name));
    out.put(std::string_view(variable->definition));
  }
  return entry;
}

Bytes encode_window(const std::optional<WindowState>& state, std::int64_t absent_samples) {
  Bytes bytes;
  Encoder out(bytes);
  out.put(absent_samples);
  out.put(state.has_value());
  if (state) state->encode(out);
  return bytes;
}

ContinuedWindows::ContinuedWindows(const Plan& plan, const StateEntries& entries, double after_s)
    : plan_(plan), entries_(entries), after_s_(after_s), goes_on_(plan.variables.size(), false) {
  std::vector<std::string> others = entries.keys(kAxis);
  for (std::size_t s = 0; s < plan.schedules.size(); ++s) {
    const ScheduleId id(s);
    const std::string key = axis_key(plan, id);
    std::erase(others, key);
    ScheduleCursor cursor = make_cursor(plan, id, after_s);
    const auto found = entries.find(kAxis, key);
    if (found.empty()) {
      warnings_.push_back("axis " + named(key) + " is new: it begins afresh");
      continue;
    }
    const KeptAxis kept = decode_axis(found[0].bytes);
    Decoder in(kept.cursor);
    if (!cursor.restore(in)) {
      warnings_.push_back("axis " + named(key) + " begins afresh: it was \"" + kept.definition +
                          "\" and is \"" + cursor.definition() + "\"");
      continue;
    }
    cursors_.emplace(id, std::move(cursor));
    for (std::size_t v = 0; v < plan.variables.size(); ++v) {
      const Variable& variable = plan.variables[v];
      if (variable.schedule != id) continue;
      const auto made = kept.variables.find(variable.name);
      goes_on_[v] = made != kept.variables.end() && made->second == variable.definition;
      if (goes_on_[v]) continue;
      warnings_.push_back("variable " + named(window_key(plan, VariableId(v))) +
                          (made == kept.variables.end() ? " is new" : " is made in another way") +
                          ": it begins afresh");
    }
  }
  for (const std::string& key : others) warnings_.push_back("axis " + named(key) + " is not continued");
  std::set<std::string> variables;
  for (const std::string& key : entries.keys(kWindowKind)) variables.insert(first_window_key(key));
  for (const std::string& key : variables) {
    const auto is_known = [&](const Variable& variable) {
      return window_key(plan, VariableId(static_cast<std::size_t>(&variable - plan.variables.data()))) == key;
    };
    if (std::ranges::none_of(plan.variables, is_known))
      warnings_.push_back("the window of variable " + named(key) + " is not continued");
  }
}

ScheduleCursor ContinuedWindows::cursor(ScheduleId schedule) const {
  const auto found = cursors_.find(schedule);
  return found != cursors_.end() ? found->second : make_cursor(plan_, schedule, after_s_);
}

ContinuedWindows::Taken ContinuedWindows::pieces(VariableId variable, const Region& region,
                                                 std::size_t window) const {
  Taken taken;
  if (!goes_on_[variable.index] || region.size() == 0) return taken;
  for (const StateEntry& entry : entries_.find(kWindowKind, window_key(plan_, variable, window))) {
    if (entry.region.rank() != region.rank()) throw TransportError("a window has a region of another rank");
    if (common(entry.region, region).size() == 0) continue;
    Decoder in(entry.bytes);
    taken.absent_samples = std::max(taken.absent_samples, in.get<std::int64_t>());
    if (in.get<std::uint8_t>() == 0) continue;
    const WindowState state = WindowState::decode(in);
    if (state.extents != entry.region.count) throw TransportError("a window has the shape of another region");
    taken.pieces.push_back(cut_for(state, entry.region, region));
  }
  return taken;
}

std::vector<std::string> ContinuedWindows::warnings() const { return warnings_; }

}  // namespace pileus
