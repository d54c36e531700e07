#include <algorithm>

#include "layout/draft.h"

namespace pileus::planning {
namespace {

/// Whether an operation costs more than reading its result again.
bool is_function(Operation operation) {
  switch (operation) {
    case Operation::power:
    case Operation::square_root:
    case Operation::exponential:
    case Operation::logarithm:
    case Operation::sine:
    case Operation::cosine:
    case Operation::modulo: return true;
    default: break;
  }
  const FunctionDeclaration* const function = declared_function(operation);
  return function != nullptr && !function->is_cheap;
}

bool is_nonlinear(const TermTable& terms, const Term& term) {
  if (is_function(term.operation) || term.operation == Operation::keep) return true;
  const bool is_quotient = term.operation == Operation::divide && !terms.constant_value(term.operands[1]);
  const bool is_product = term.operation == Operation::multiply && !terms.constant_value(term.operands[0]) &&
                          !terms.constant_value(term.operands[1]);
  return is_quotient || is_product;
}

/// Goes from the last term to the first, so that it sees every term after all that use it.
class KeptTermsChoice {
 public:
  explicit KeptTermsChoice(const Draft& draft)
      : draft_(draft), terms_(draft.terms), is_worth_a_rule_(terms_.size()), users_(terms_.size()) {
    kept_.is_kept.resize(terms_.size());
    kept_.inputs.resize(terms_.size());
    kept_.is_everywhere.resize(terms_.size());
  }

  KeptTerms choose() {
    for (TermIndex term = 0; term < terms_.size(); ++term) weigh(term);
    for (TermIndex term : draft_.variable_terms) kept_.is_kept[term] = true;
    for (TermIndex term : draft_.static_terms) kept_.is_kept[term] = true;
    for (std::size_t term = terms_.size(); term-- > 0;) visit(static_cast<TermIndex>(term));
    for (std::size_t term = terms_.size(); term-- > 0;) pass_everywhere(static_cast<TermIndex>(term));
    return std::move(kept_);
  }

 private:
  void weigh(TermIndex index) {
    const Term& term = terms_[index];
    if (term.kind != TermKind::operation) return;
    is_worth_a_rule_[index] = term.leaves->size() > 1 || is_nonlinear(terms_, term);
    for (TermIndex operand : term.operands) {
      if (is_worth_a_rule_[operand]) is_worth_a_rule_[index] = true;
    }
  }

  void visit(TermIndex index) {
    const Term& term = terms_[index];
    std::vector<TermIndex>& users = users_[index];
    std::sort(users.begin(), users.end());
    users.erase(std::unique(users.begin(), users.end()), users.end());
    if (term.kind == TermKind::constant || (users.empty() && !kept_.is_kept[index])) return;
    const bool is_whole = term.kind != TermKind::operation || !is_part_of_all(index, users);
    const bool is_shared = users.size() > 1 && is_worth_a_rule_[index];
    if (is_whole || is_shared) kept_.is_kept[index] = true;
    if (kept_.is_kept[index]) {
      for (TermIndex user : users) kept_.inputs[user].push_back(index);
      for (TermIndex operand : term.operands) users_[operand].push_back(index);
    } else {
      for (TermIndex operand : term.operands) {
        users_[operand].insert(users_[operand].end(), users.begin(), users.end());
      }
    }
  }

  /// Whether a term has a program: an equation does, and a local reduction whose input is computed on the
  /// way.
  static bool has_program(const Term& term) {
    return term.is_arithmetic() || (term.kind == TermKind::localreduce && term.operands.size() == 1);
  }

  /// Whether the programs of all its users should compute it, for each of their elements.
  bool is_part_of_all(TermIndex index, const std::vector<TermIndex>& users) const {
    const Term& term = terms_[index];
    return std::all_of(users.begin(), users.end(), [&](TermIndex user) {
      const Term& by = terms_[user];
      if (!has_program(by)) return false;
      const Term& input = by.kind == TermKind::localreduce ? terms_[by.operands.front()] : by;
      const bool is_repeated = term.dimensions.size() < input.dimensions.size();
      const bool is_sent = by.spread == Spread::rooted && term.spread == Spread::same;
      return !is_worth_a_rule_[index] || (!is_repeated && !is_sent);
    });
  }

  void pass_everywhere(TermIndex index) {
    const Term& term = terms_[index];
    std::sort(kept_.inputs[index].begin(), kept_.inputs[index].end());
    const bool is_fused = term.kind == TermKind::localreduce && !kept_.is_kept[term.operands.front()];
    const bool is_of_pairs = term.kind == TermKind::localreduce && term.operands.size() > 1;
    const bool takes_numbers = term.is_computed() || term.kind == TermKind::scale ||
                               term.kind == TermKind::sift || term.kind == TermKind::lag || is_fused ||
                               is_of_pairs;
    if (!kept_.is_kept[index] || !takes_numbers) return;
    const bool is_on_every_rank = term.spread == Spread::distributed || term.spread == Spread::own;
    if (!is_on_every_rank && !kept_.is_everywhere[index]) return;
    for (TermIndex input : kept_.inputs[index]) {
      if (terms_[input].spread == Spread::same) kept_.is_everywhere[input] = true;
    }
  }

  const Draft& draft_;
  const TermTable& terms_;
  std::vector<bool> is_worth_a_rule_;          ///< computing it twice costs more than keeping it
  std::vector<std::vector<TermIndex>> users_;  ///< kept terms whose programs need it
  KeptTerms kept_;
};

}  // namespace

KeptTerms choose_kept_terms(const Draft& draft) { return KeptTermsChoice(draft).choose(); }

}  // namespace pileus::planning
