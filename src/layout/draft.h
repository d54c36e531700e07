#pragma once
// The Plan while it is being made: the data that the later stages of make_plan hand to each other.

#include <optional>
#include <vector>

#include "layout/grids.h"
#include "terms/terms.h"

namespace pileus::planning {

struct Draft {
  Graph graph;
  Grids grids;
  Shapes shapes;
  TermTable terms;
  std::vector<std::optional<TermIndex>> values;   ///< by node
  std::vector<std::optional<TermIndex>> written;  ///< by entry of the graph; Lowered explains it
  std::vector<bool> is_exact;                     ///< by entry of the graph
  std::vector<TermIndex> variable_terms;          ///< by variable of the plan
  std::vector<TermIndex> static_terms;            ///< by static variable of the plan
  std::vector<bool> is_static;                    ///< by node
  std::vector<NodeIndex> planned_fields;          ///< by field of the plan
  std::vector<std::string> definitions;           ///< see node_definitions
  Plan plan;
};

/// Which terms become values of the Plan, and what they are made of. These are fields, results of rules, and
/// sub-expressions that several of them share and that are worth a rule of their own.
struct KeptTerms {
  std::vector<bool> is_kept;                   ///< by term
  std::vector<std::vector<TermIndex>> inputs;  ///< by kept term, ascending
  std::vector<bool> is_everywhere;             ///< a `same` term that distributed or own rules use
};

// The later stages follow in their order.

/// Lays out files, schedules and variables. Errors: clashes of names, and declarations that the values do not
/// keep.
void lay_out_files(Draft& draft, Findings& findings);
/// Stands in cell_methods for the name of the time axis until that is known.
inline constexpr const char* kTimePlace = "{time}: ";
/// Describes the variable of `entry`, still without a name: type, attributes and storage.
/// Errors: attributes whose numbers its type does not have.
Variable describe_variable(const Draft& draft, const Entry& entry, TermIndex term,
                           const std::vector<Stage>& chain, Findings& findings);
/// Checks what each live diagnostic declares of itself against what its rules make.
void check_declarations(const Draft& draft, Findings& findings);
/// Notes diagnostics that are not computed and groups that no file includes. If there are errors, it notes
/// nothing, as they may be the reason.
void note_unused(const Graph& graph, Findings& findings);
/// Warns of what is allowed but probably not meant: fields that nothing needs, frequencies that do not divide
/// those of files, inputs of a rule that are rarely there at the same step, descriptions of dimensions that
/// no field has.
void advise(const Draft& draft, Findings& findings);

/// Spreads the files over the servers by what these have to do for their model ranks and for files.
void choose_owners(Draft& draft);
KeptTerms choose_kept_terms(const Draft& draft);
/// Chooses the server of each rooted term (architecture D14).
std::vector<ServerRank> choose_roots(const Draft& draft, const KeptTerms& kept, Findings& findings);
/// Writes values, rules, trees, groups and fields.
void emit_values(Draft& draft, const KeptTerms& kept, const std::vector<ServerRank>& roots);
/// Finds when each value is wanted: at the steps at which a variable or a rule that uses it is.
void spread_needs(Plan& plan);

}  // namespace pileus::planning
