#include "inputs/declared/served_inputs.h"

#include <algorithm>

#include "config/messages.h"
#include "units/units.h"

namespace pileus {
namespace {

std::string shape_text(const std::vector<InputDimension>& dimensions) {
  std::string text;
  for (auto one = dimensions.rbegin(); one != dimensions.rend(); ++one)
    text += (text.empty() ? "" : ", ") + one->name + " " + std::to_string(one->size);
  return "(" + text + ")";
}

std::vector<InputDimension> dimensions_of(const ModelInput& input) {
  std::vector<InputDimension> dimensions;
  for (std::size_t d = 0; d < input.dimensions.size(); ++d)
    dimensions.push_back({input.dimensions[d], input.sizes[d]});
  return dimensions;
}

/// Which of the model's dimensions each of the file's is; -1: it has one value, and the model leaves it out.
/// Empty: they do not go together.
std::optional<std::vector<int>> matching(const std::vector<InputDimension>& file,
                                         const std::vector<InputDimension>& model) {
  std::vector<int> of_model;
  std::size_t next = 0;
  for (const InputDimension& one : file) {
    if (next < model.size() && model[next].size == one.size) {
      // A single value that the model has too, or the same number of values.
      of_model.push_back(static_cast<int>(next++));
    } else if (one.size == 1) {
      of_model.push_back(-1);
    } else {
      return std::nullopt;
    }
  }
  if (next < model.size()) return std::nullopt;
  return of_model;
}

/// Whether both have the same names in another order.
bool is_turned(std::vector<InputDimension> a, std::vector<InputDimension> b) {
  std::ranges::sort(a, {}, &InputDimension::name);
  std::ranges::sort(b, {}, &InputDimension::name);
  return std::ranges::equal(a, b, {}, &InputDimension::name, &InputDimension::name);
}

class Match {
 public:
  Match(const PlannedInput& planned, const ModelInput& input, const ReadInputLinks& read_links,
        Findings& findings)
      : planned_(planned), input_(input), read_links_(read_links), findings_(findings) {}

  std::shared_ptr<const ServedInput> served() {
    auto served = std::make_shared<ServedInput>();
    served->input = input_;
    served->header = planned_.header;
    served->may_lack = planned_.may_lack;
    served->header.times.clear();
    served->header.bounds.clear();
    planned_.weights.empty() ? give_part(*served) : give_links(*served);
    give_units(*served);
    check_type();
    const bool are_floats =
        planned_.header.is_float && planned_.weights.empty() && served->factor == 1 && served->offset == 0;
    served->brought = {planned_.axis, planned_.axis.is_static() ? 0 : planned_.ahead,
                       are_floats ? ElementType::float32 : ElementType::float64,
                       planned_.header.file + ": " + planned_.header.variable};
    return served;
  }

 private:
  void error(const std::string& what) {
    findings_.error(planned_.where, "input " + in_quotes(planned_.name) + ": " + what);
  }

  void give_part(ServedInput& served) {
    const std::vector<InputDimension> model = dimensions_of(input_);
    const auto of_model = matching(planned_.header.dimensions, model);
    if (!of_model) {
      const bool turned = is_turned(planned_.header.dimensions, model);
      return error(planned_.header.file + ": its variable " + in_quotes(planned_.header.variable) + " has " +
                   shape_text(planned_.header.dimensions) + " beside time, and the model takes " +
                   shape_text(model) + ", slowest first" +
                   (turned ? "; bring its dimensions into this order (ncpdq, xarray's transpose)" : ""));
    }
    for (const int d : *of_model)
      served.part.add(d < 0 ? IndexSet(0, 1) : input_.region.along(static_cast<std::size_t>(d)));
  }

  /// The fastest dimensions of both are those of points, as many as the weights say; the others are the same.
  void give_links(ServedInput& served) {
    const std::vector<InputDimension> model = dimensions_of(input_);
    const std::vector<InputDimension>& file = planned_.header.dimensions;
    std::string refused;
    for (const auto& [of_file, of_model] :
         {std::pair<std::size_t, std::size_t>{2, 2}, {1, 2}, {2, 1}, {1, 1}}) {
      const bool is_possible =
          of_file <= file.size() && of_model <= model.size() &&
          std::ranges::equal(std::span(file).subspan(of_file), std::span(model).subspan(of_model), {},
                             &InputDimension::size, &InputDimension::size);
      if (!is_possible) continue;
      try {
        return link(served, of_file, of_model);
      } catch (const UsageError& problem) {
        if (refused.empty()) refused = problem.what();
      }
    }
    if (refused.empty())
      refused =
          planned_.header.file + ": its variable " + in_quotes(planned_.header.variable) + " has " +
          shape_text(file) + " beside time, and the model takes " + shape_text(model) +
          ", slowest first: but for one or two dimensions of points, which weights join, these are the same";
    error(refused);
  }

  /// Errors: UsageError where the weights are those of other sizes.
  void link(ServedInput& served, std::size_t of_file, std::size_t of_model) {
    std::vector<Index> source,
        target(input_.sizes.begin(), input_.sizes.begin() + static_cast<std::ptrdiff_t>(of_model));
    for (std::size_t d = 0; d < of_file; ++d) source.push_back(planned_.header.dimensions[d].size);
    Region held;
    for (std::size_t d = 0; d < of_model; ++d) held.add(input_.region.along(d));
    auto links =
        std::make_shared<InputLinks>(input_links(planned_.weights, source, target, held, read_links_));
    served.part = links->box;
    for (std::size_t d = of_model; d < input_.sizes.size(); ++d) {
      served.part.add(input_.region.along(d));
      served.layers *= static_cast<std::size_t>(input_.region.count[d]);
    }
    served.links = std::move(links);
  }

  void give_units(ServedInput& served) {
    const std::string& file = planned_.header.units;
    if (input_.units.empty() || file.empty() || input_.units == file) return;
    try {
      const UnitChange change = change_of_units(file, input_.units);
      served.factor = change.factor;
      served.offset = change.offset;
    } catch (const UsageError& problem) {
      error(planned_.header.file + ": its variable " + in_quotes(planned_.header.variable) + " is in " +
            in_quotes(file) + ", and the model takes it in " + in_quotes(input_.units) + ": " +
            problem.what());
    }
  }

  void check_type() {
    if (input_.type == ElementType::float64 || input_.type == ElementType::float32) return;
    const std::string type = "the model takes it as " + std::string(name(input_.type));
    if (!planned_.weights.empty())
      error(type + ", which is not regridded: leave out weights");
    else if (!planned_.header.is_whole)
      error(type + ", and " + planned_.header.file + " has no whole numbers of it");
    else if (planned_.axis.is_linear() && !planned_.axis.is_static())
      error(type + R"(, which cannot be interpolated: say interpolate="none")");
    else if (planned_.may_lack)
      error(type + R"(, which has no NaN: leave out missing="nan")");
  }

  const PlannedInput& planned_;
  const ModelInput& input_;
  const ReadInputLinks& read_links_;
  Findings& findings_;
};

}  // namespace

std::vector<std::shared_ptr<const ServedInput>> served_inputs(std::span<const PlannedInput> planned,
                                                              std::span<const ModelInput> registered,
                                                              const ReadInputLinks& read_links) {
  std::vector<std::shared_ptr<const ServedInput>> all;
  Findings findings;
  for (const ModelInput& input : registered) {
    const auto found = std::ranges::find(planned, input.name, &PlannedInput::name);
    all.push_back(found == planned.end() ? nullptr : Match(*found, input, read_links, findings).served());
  }
  if (findings.has_errors()) throw ConfigError(findings);
  return all;
}

std::vector<std::string> unused_inputs(std::span<const PlannedInput> planned,
                                       std::span<const ModelInput> registered) {
  std::vector<std::string> names, texts;
  for (const ModelInput& input : registered) names.push_back(input.name);
  for (const PlannedInput& one : planned) {
    if (std::ranges::find(names, one.name) != names.end()) continue;
    texts.push_back(one.where.text() + ": the model asks for no input " + in_quotes(one.name) +
                    suggestion_or_known(one.name, names));
  }
  return texts;
}

}  // namespace pileus
