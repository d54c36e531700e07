#include "layout/make_plan.h"

#include <map>
#include <set>

#include "layout/definition.h"
#include "layout/formula_terms.h"
#include "layout/given_checks.h"
#include "layout/grid_checks.h"
#include "layout/in_time/held_checks.h"
#include "layout/in_time/segments_checks.h"
#include "layout/in_time/triggers.h"
#include "layout/made_dimensions.h"
#include "layout/metadata.h"
#include "layout/projections.h"
#include "layout/storage/file_writers.h"
#include "plan/bundles.h"
#include "plan/extracts.h"
#include "plan/sha256.h"
#include "rules/given_nodes.h"

namespace pileus {
namespace planning {
namespace {

Draft start(const Config& config, Findings& findings) {
  Draft draft;
  draft.graph = resolve_names(config, findings);
  order_rules(draft.graph, findings);
  refuse_given_alone(draft.graph, findings);
  draft.grids = resolve_grids(draft.graph, findings);
  include_grids(draft.graph, draft.grids);
  include_formula_terms(draft.graph, findings);
  mark_live(draft.graph);
  return draft;
}

/// Finds mistakes in the descriptions of dimensions that can be found without a model.
void describe_imagined(const Config& config, std::vector<PlannedDimension>& dimensions) {
  std::map<std::string, const DimensionConfig*> said;
  for (const DimensionConfig& one : config.dimensions) said.try_emplace(one.name.value, &one);
  for (PlannedDimension& dimension : dimensions) {
    const auto found = said.find(dimension.name);
    if (found == said.end()) continue;
    dimension.axis = found->second->axis.value;
    dimension.standard_name = found->second->standard_name.value;
    dimension.units = found->second->units.value;
  }
}

/// The stages from shapes to files, which checking without a model and planning with one have in common.
void lay_out(Draft& draft, const std::vector<Spread>& spreads, Findings& findings) {
  draft.is_static = static_nodes(draft.graph);
  draft.definitions = node_definitions(draft.graph, spreads, draft.shapes);
  const std::size_t of_model = draft.shapes.dimensions.size();
  Lowered lowered = lower_rules(draft.graph, spreads, draft.shapes, draft.terms, findings);
  draft.values = std::move(lowered.values);
  draft.written = std::move(lowered.written);
  draft.is_exact = std::move(lowered.is_exact);
  describe_bins_of_grids(draft);
  if (draft.shapes.is_imagined) {
    describe_imagined(*draft.graph.config, draft.shapes.dimensions);
  } else {
    describe_made_dimensions(draft, of_model, findings);
  }
  describe_projections(draft, findings);
  check_declarations(draft, findings);
  check_grids(draft, findings);
  check_rules_in_time(draft, findings);
  check_held_fields(draft, findings);
  lay_out_files(draft, findings);
  choose_writers(draft, findings);
  plan_triggers(draft, findings);
}

void add_regions(Draft& draft) {
  draft.plan.regions = RankRegions(draft.shapes.regions.size());
  for (NodeIndex field : draft.planned_fields) draft.plan.regions.add(draft.shapes.regions.column(field));
}

/// The text of all files of the configuration; of tables, which are long and known to others, a hash.
std::string whole_text(const Config& config) {
  std::string text = config.text;
  std::set<std::string> names;
  for (const IncludedFile& file : config.included) {
    if (!names.insert(file.name).second) continue;
    text += file.name.ends_with(".json")
                ? "\n<!-- read: " + file.written + ", sha256 " + sha256(file.text) + " -->"
                : "\n<!-- included: " + file.name + " -->\n" + file.text;
  }
  return text;
}

void add_attributes(Plan& plan, const Config& config) {
  std::string options;
  for (const auto& [key, value] : config.options)
    options += (options.empty() ? "" : "; ") + key + "=" + value;
  const std::string text = whole_text(config);
  // The longest stands last, so that a person who prints the attributes sees the others first.
  plan.attributes = {{"pileus_version", std::string(PILEUS_VERSION)},
                     {"configuration_hash", sha256(text)},
                     {"options", options},
                     {"configuration", text}};
}

}  // namespace
}  // namespace planning

Plan make_plan(const Config& config, const ModelRanks& model, ServerRank servers, Findings& findings,
               std::vector<ServerRank> served_by) {
  using namespace planning;
  if (model.empty()) findings.error({}, "the model has no ranks");
  if (servers == 0) findings.error({}, "there is no server");
  if (model.empty() || servers == 0 || config.is_broken_off) return {};

  Draft draft = start(config, findings);
  draft.plan.layout = {static_cast<ClientRank>(model.size()), servers, std::move(served_by)};
  switch_off_missing(draft.graph, model, findings);
  mark_live(draft.graph);
  const std::vector<Spread> spreads = infer_spreads(draft.graph, findings);
  refuse_own_statics(draft.graph, spreads, findings);
  mark_live(draft.graph);
  draft.shapes = read_shapes(draft.graph, spreads, model, findings);
  draft.plan.time = choose_time(config, model, findings);
  describe_dimensions(config, draft.shapes.dimensions, findings);
  check_given(draft, findings);
  lay_out(draft, spreads, findings);
  if (findings.has_errors()) return std::move(draft.plan);

  choose_owners(draft);
  const KeptTerms kept = choose_kept_terms(draft);
  emit_values(draft, kept, choose_roots(draft, kept, findings));
  spread_needs(draft.plan);
  add_regions(draft);
  draft.plan.dimensions = std::move(draft.shapes.dimensions);
  draft.plan.points = std::move(draft.shapes.points);
  arrange_bundles(draft.plan);
  draft.plan.pushdown_budget_s = config.pushdown_budget_s.value_or(draft.plan.pushdown_budget_s);
  choose_extracts(draft.plan);
  add_attributes(draft.plan, config);
  draft.plan.checkpoints = {config.checkpoint.steps,
                            frequency_of(config.checkpoint.frequency, draft.plan.time),
                            config.checkpoint.wall_time_s, config.checkpoint.signals};
  return std::move(draft.plan);
}

void check_config(const Config& config, Findings& findings, bool with_advice) {
  using namespace planning;
  if (config.is_broken_off) return;
  Draft draft = start(config, findings);
  const std::vector<Spread> spreads = infer_spreads(draft.graph, findings);
  refuse_own_statics(draft.graph, spreads, findings);
  note_unused(draft.graph, findings);
  note_unused_grids(config, draft.grids, findings);
  mark_live(draft.graph);
  draft.shapes = imagine_shapes(draft.graph);
  draft.plan.time = choose_time(config, {}, findings);
  check_given(draft, findings);
  lay_out(draft, spreads, findings);
  if (with_advice) advise(draft, findings);
}

}  // namespace pileus
