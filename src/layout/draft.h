#pragma once
// The Plan while it is made: what the later stages of make_plan hand to each other.

#include <optional>
#include <vector>

#include "rules/terms.h"

namespace pileus::planning {

struct Draft {
  Graph graph;
  Shapes shapes;
  TermTable terms;
  std::vector<std::optional<TermIndex>> values;   ///< by node
  std::vector<std::optional<TermIndex>> written;  ///< by entry of the graph: see Lowered
  std::vector<bool> is_exact;                     ///< by entry of the graph
  std::vector<TermIndex> variable_terms;          ///< by variable of the plan
  std::vector<TermIndex> static_terms;            ///< by static variable of the plan
  std::vector<bool> is_static;                    ///< by node
  std::vector<NodeIndex> planned_fields;          ///< by field of the plan
  std::vector<std::string> definitions;           ///< node_definitions
  Plan plan;
};

/// Which terms become values of the Plan, and of what: fields, results of rules, and sub-expressions that
/// occur in several of them and are worth a rule of their own.
struct KeptTerms {
  std::vector<bool> is_kept;                   ///< by term
  std::vector<std::vector<TermIndex>> inputs;  ///< by kept term, ascending
  std::vector<bool> is_everywhere;             ///< a `same` term that distributed or own rules use
};

// The later stages, in their order.

/// Files, schedules and variables; errors are clashes of names and declarations that the values do not keep.
void lay_out_files(Draft& draft, Findings& findings);
/// In cell_methods, for the name of the time axis until that is known.
inline constexpr const char* kTimePlace = "{time}: ";
/// A variable of `entry`, without a name: type, attributes and storage.
/// Errors: attributes whose numbers its type does not have.
Variable describe_variable(const Draft& draft, const Entry& entry, TermIndex term, Manipulation manipulation,
                           Findings& findings);
/// What each live diagnostic declares of itself, against what its rules make.
void check_declarations(const Draft& draft, Findings& findings);
/// Diagnostics that are not computed, groups that no file includes; nothing where there are errors, which may
/// be why.
void note_unused(const Graph& graph, Findings& findings);
/// What is right and probably not meant: fields that nothing needs, frequencies that do not go into those of
/// files, inputs of a rule that meet rarely, descriptions of dimensions that no field has.
void advise(const Draft& draft, Findings& findings);

/// Balances the owners of files over the servers by the bytes per model second that they take.
void choose_owners(Draft& draft);
KeptTerms choose_kept_terms(const Draft& draft);
/// The server of each rooted term (architecture D14).
std::vector<ServerRank> choose_roots(const Draft& draft, const KeptTerms& kept, Findings& findings);
/// Writes values, rules, trees, groups and fields.
void emit_values(Draft& draft, const KeptTerms& kept, const std::vector<ServerRank>& roots);
/// When each value is wanted: at the steps that a variable or a rule that uses it wants.
void spread_needs(Plan& plan);

}  // namespace pileus::planning
