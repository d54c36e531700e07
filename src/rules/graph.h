#pragma once
// The configuration with its names resolved: fields and rules as nodes that refer to each other by number.
// The stages of make_plan fill it in one after the other; outside this room only the check of units reads
// it.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/messages.h"
#include "core/clock_values.h"
#include "core/error.h"
#include "core/reduction.h"
#include "expression/expression.h"
#include "expression/written_places.h"
#include "plan/plan.h"

namespace pileus::planning {

using NodeIndex = std::size_t;
using DiagnosticIndex = std::size_t;

enum class NodeKind : std::uint8_t {
  field,
  localreduce,
  arithmetic,
  reduction,
  broadcast,
  sift,
  apply,
  regrid,
  given,  ///< coordinates, or what the clock says
  lag     ///< what a field or the clock was some hand-overs before
};

/// Where a rule names one of its inputs.
struct Use {
  NodeIndex node = 0;
  Location where;
  std::string name;        ///< as it is written there
  bool is_spread = false;  ///< a reduced value that is wanted wherever the others are
};

/// A field, or the result of a rule.
struct Node {
  NodeKind kind = NodeKind::field;
  std::string name;  ///< of a field with its namespaces
  Location where;    ///< of the name of the field, or of the rule

  const FieldConfig* field = nullptr;  ///< of a field
  std::size_t group = 0;   ///< of a field: index of its data-definition; of a lag: whose hand-overs
  std::string registered;  ///< of a field: as the model calls it

  const RuleConfig* rule = nullptr;          ///< of a rule
  DiagnosticIndex diagnostic = 0;            ///< of a rule
  std::vector<Use> inputs;                   ///< of arithmetic: by index of expression.names; of a
                                             ///< covariance: the field and what it is taken with
  Expression expression;                     ///< of arithmetic
  bool is_filter = false;                    ///< the expression is a condition, on the last of the inputs
  Reduction reduction = Reduction::sum;      ///< of localreduce and reduction
  std::vector<Text> dimensions;              ///< of localreduce and sift; empty: all
  std::vector<double> edges;                 ///< of localreduce: of its bins, by the last of its inputs
  std::optional<std::uint64_t> root;         ///< of reduction; empty: auto
  bool goes_to_all = false;                  ///< a reduction whose result every server gets
  const Declaration* declaration = nullptr;  ///< of an operator that prepares itself
  std::optional<ClockValue> clock;           ///< of given; empty: coordinates of the dimension `name`
  std::int64_t back = 0;                     ///< of a lag: how many hand-overs
  bool is_of_expression = false;             ///< a part of an expression, or the whole of it

  bool is_off = false;   ///< it, or something before it, is wrong or not there
  bool is_live = false;  ///< something that is written needs it

  bool is_field() const { return kind == NodeKind::field; }
  /// Whether the result lies where its inputs do.
  bool is_computed() const { return kind == NodeKind::arithmetic || kind == NodeKind::apply; }
};

/// A field or diagnostic that a file includes, groups resolved into their members.
struct Entry {
  std::size_t file = 0;  ///< index into Config::files
  const FileIncludeConfig* include = nullptr;
  Text name;
  NodeIndex node = 0;
  std::optional<DiagnosticIndex> diagnostic;  ///< absent for a field
  bool is_of_grid = false;  ///< a coordinate or the like, which is there if something of its grid is
};

struct Graph {
  const Config* config = nullptr;
  std::vector<Node> nodes;  ///< fields first, in the order of the configuration
  std::size_t field_count = 0;
  std::vector<std::optional<NodeIndex>> results;  ///< by diagnostic: the node that has its value
  std::vector<Entry> entries;                     ///< in the order of the configuration
  std::vector<bool> is_group_included;            ///< by group of the configuration
  std::vector<NodeIndex> order;                   ///< rules, every one after those whose results it takes
  std::deque<RuleConfig> made_rules;              ///< of nodes of expressions
  std::deque<FileIncludeConfig> made_includes;    ///< of entries that no file names
  mutable WrittenPlaces places = {};              ///< in the configuration

  const DiagnosticConfig& diagnostic_of(const Node& node) const {
    return config->diagnostics[node.diagnostic];
  }
};

inline std::string quoted(const std::string& name) { return in_quotes(name); }
/// What an entry means, with its namespaces.
std::string full_name_of(const Graph& graph, const Entry& entry);
/// `rule "VWP_mean_g" of diagnostic "VWP_mean"` or `field "w"`.
std::string described(const Graph& graph, NodeIndex node);

/// Adds an error unless there is one at the same place already: one mistake, one message.
void report(Findings& findings, const Location& where, std::string what);

/// Where byte `offset` of `text` stands in the configuration.
inline Location inside(const Graph& graph, const Text& text, std::size_t offset) {
  return graph.places.inside(*graph.config, text, offset);
}

// The stages that need no model, in their order.

/// Finds what every name means, and parses the equations.
Graph resolve_names(const Config& config, Findings& findings);
/// Fills in `order`. A cycle is an error; its rules are off.
void order_rules(Graph& graph, Findings& findings);
/// Switches off what depends on something that is off, and marks as live what a file needs.
void mark_live(Graph& graph);
/// By node: whether its value never changes, as it is made of static fields alone.
std::vector<bool> static_nodes(const Graph& graph);
/// Static fields of which each rank holds its own value are off: no continuation on other ranks has those.
/// Errors: their names.
void refuse_own_statics(Graph& graph, const std::vector<Spread>& spreads, Findings& findings);
/// Who holds each node's value (architecture D15). Nodes whose uses contradict each other are reported and
/// off.
std::vector<Spread> infer_spreads(Graph& graph, Findings& findings);

}  // namespace pileus::planning
