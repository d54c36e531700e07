#include "expression/expression_tree.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "config/messages.h"
#include "config/substitution.h"
#include "core/suggest.h"
#include "expression/bin_edges.h"
#include "expression/expression_hints.h"
#include "expression/expression_text.h"
#include "expression/expression_words.h"
#include "expression/tree_builder.h"

namespace pileus::planning {
namespace {

constexpr int kDeepestNesting = 200;
constexpr int kMostOperands = 1000;

/// Reads the text in one pass of recursive descent. Each function returns the node that it has made.
class Parser {
 public:
  Parser(std::string_view text, Language language, std::span<const Declaration> operators)
      : text_(text, language), language_(language), operators_(operators) {}

  ExpressionTree parse() {
    TreeIndex result = language_ == Language::equation ? sum() : either();
    if (text_.next() == ')') text_.fail("there is no \"(\" for this \")\"");
    if (text_.next() == '|' && hint().empty())
      text_.fail("a condition stands inside of a reduction: \"mean[y,x](w | w > 0)\"");
    if (!text_.is_at_end()) fail_to_go_on("the end of the " + text_.whole());
    if (language_ == Language::condition) result = truth_of(result);
    return tree_.take(result);
  }

 private:
  [[noreturn]] void fail_to_go_on(const std::string& end) {
    const bool is_equality = language_ != Language::equation && text_.rest().starts_with("=");
    const std::string advice =
        is_equality && is_keyword_before(text_.text(), text_.at()) ? kReductionForm : hint();
    text_.fail("expected an operator or " + end + ", found " + text_.found() +
               (is_equality && advice.empty() ? "; equality is written \"==\" or \"eq\"" : advice));
  }
  bool may_compare() const { return language_ != Language::equation || takes_truth_; }
  std::string hint() const { return hint_at(text_.text(), text_.at(), may_compare()); }

  class Deeper {
   public:
    explicit Deeper(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kDeepestNesting)
        parser_.text_.fail("the " + parser_.text_.whole() + " is nested too deeply");
    }
    ~Deeper() { --parser_.depth_; }

   private:
    Parser& parser_;
  };

  TreeIndex number(double value, std::size_t begin) { return tree_.number(value, begin, text_.at()); }
  TreeIndex operation(Operation operation, std::vector<TreeIndex> operands, std::size_t begin) {
    return tree_.operation(operation, std::move(operands), begin, text_.at());
  }
  TreeIndex operation(Operation kind, TreeIndex left, TreeIndex right) {
    return operation(kind, std::vector{left, right}, tree_[left].begin);
  }
  TreeIndex opposite(TreeIndex one) {
    const TreeIndex zero = number(0, tree_[one].begin);
    return tree_.truth(operation(Operation::equal, one, zero));
  }

  /// What "and", "or", "not" and conditions take: a comparison, or in an expression a name that stands for
  /// one.
  TreeIndex truth_of(TreeIndex one) {
    const TreeNode& node = tree_[one];
    if (node.is_truth) return one;
    if (language_ != Language::expression || node.kind != TreeKind::name) {
      std::string written(text_.text().substr(node.begin, node.end - node.begin));
      written.erase(written.find_last_not_of(" \t\r\n") + 1);
      text_.fail_at(node.begin, quoted(written) + " is no comparison; write one here, for example \"w > 0\"");
    }
    const TreeIndex zero = number(0, node.begin);
    return tree_.truth(operation(Operation::not_equal, one, zero));
  }

  TreeIndex either() {
    TreeIndex left = both();
    while (text_.take_word("or")) {
      left = truth_of(left);
      const TreeIndex right = truth_of(both());
      const TreeIndex neither = tree_.truth(operation(Operation::multiply, opposite(left), opposite(right)));
      left = opposite(neither);
    }
    return left;
  }

  TreeIndex both() {
    TreeIndex left = not_or_comparison();
    while (text_.take_word("and")) {
      left = truth_of(left);
      const TreeIndex right = truth_of(not_or_comparison());
      left = tree_.truth(operation(Operation::multiply, left, right));
    }
    return left;
  }

  TreeIndex not_or_comparison() {
    const Deeper deeper(*this);
    if (!text_.take_word("not")) return comparison();
    return opposite(truth_of(not_or_comparison()));
  }

  /// Reads a comparison, or an equation without one.
  TreeIndex comparison() {
    const TreeIndex left = sum();
    const auto found_one = text_.take_comparison();
    if (!found_one) return left;
    const TreeIndex right = sum();
    const TreeIndex made = tree_.truth(operation(found_one->operation, found_one->is_swapped ? right : left,
                                                 found_one->is_swapped ? left : right));
    tree_[made].begin = tree_[left].begin;
    const std::size_t second_at = text_.at();
    if (text_.take_comparison()) {
      text_.go_to(second_at);
      text_.fail("a comparison cannot be compared again; write for example \"0 < w and w < 1\"");
    }
    return made;
  }

  TreeIndex sum() {
    TreeIndex left = product();
    for (;;) {
      if (text_.take('+')) {
        left = operation(Operation::add, left, product());
      } else if (text_.take('-')) {
        left = operation(Operation::subtract, left, product());
      } else {
        return left;
      }
    }
  }

  TreeIndex product() {
    TreeIndex left = unary();
    for (;;) {
      if (text_.take('*')) {
        if (text_.rest().starts_with('*')) text_.fail("a power is written \"^\", not \"**\"");
        left = operation(Operation::multiply, left, unary());
      } else if (text_.take('/')) {
        if (text_.rest().starts_with('=') && may_compare()) text_.fail_foreign(text_.at() - 1);
        left = operation(Operation::divide, left, unary());
      } else if (text_.take('%')) {
        left = operation(Operation::modulo, left, unary());
      } else {
        return left;
      }
    }
  }

  /// Reads signs, and behind them a power; the same may follow a ^.
  TreeIndex unary() {
    const Deeper deeper(*this);
    text_.next();
    const std::size_t begin = text_.at();
    if (text_.take('-')) return operation(Operation::negate, std::vector{unary()}, begin);
    if (text_.take('+')) return unary();
    const TreeIndex base = primary();
    return text_.take('^') ? operation(Operation::power, base, unary()) : base;
  }

  TreeIndex primary() {
    const char c = text_.next();
    if (c == '(') return in_parentheses();
    if (++operands_ > kMostOperands)
      text_.fail("more than " + std::to_string(kMostOperands) + " numbers, names and calls in one " +
                 text_.whole() + "; make parts of it diagnostics of their own");
    if (c == '{') return option();
    if (is_digit(c) || c == '.') return number_or_name();
    if (is_name_character(c)) return name_or_call();
    text_.fail("expected a number, a name or \"(\", found " + text_.found() + hint());
  }

  TreeIndex in_parentheses() {
    const std::size_t opened_at = text_.at();
    text_.take('(');
    const TreeIndex inner = value();
    close(opened_at);
    TreeNode& node = tree_[inner];
    if (node.kind == TreeKind::operation) {
      node.begin = opened_at;
      node.end = text_.at();
    }
    return inner;
  }

  /// Reads what may stand between parentheses.
  TreeIndex value() { return takes_truth_ || language_ != Language::equation ? either() : sum(); }
  TreeIndex argument(bool is_truth) {
    const bool before = std::exchange(takes_truth_, is_truth);
    const TreeIndex made = is_truth ? truth_of(either()) : value();
    takes_truth_ = before;
    return made;
  }

  void close(std::size_t opened_at) {
    if (text_.take(')')) return;
    if (!text_.is_at_end()) fail_to_go_on("\")\"");
    throw ExpressionError(opened_at, "this \"(\" is never closed");
  }

  TreeIndex option() {
    const std::size_t begin = text_.at();
    text_.take_option();
    return number(std::numeric_limits<double>::quiet_NaN(), begin);
  }

  TreeIndex number_or_name() {
    const std::size_t begin = text_.at();
    const std::optional<double> value = text_.take_number();
    return value ? number(*value, begin) : name_or_call();
  }

  TreeIndex name_or_call() {
    const std::size_t begin = text_.at();
    std::string word = text_.take_name();
    const std::size_t end = text_.at();
    const bool is_call = text_.next() == '(' || text_.next() == '[';
    if (is_call) return call(word, begin);
    text_.go_to(begin);
    if (language_ != Language::equation && is_word_operator(word))
      text_.fail("expected a number, a name or \"(\", found " + quoted(word));
    text_.go_to(end);
    return tree_.name(std::move(word), begin, end);
  }

  TreeIndex call(const std::string& word, std::size_t begin) {
    const Deeper deeper(*this);
    const ExpressionFunction* const function = find_function(word);
    if (!function && !is_reduction(word)) return application(word, begin);
    const bool is_one = text_.take('[');
    std::vector<TreeNode::Word> dimensions;
    if (is_one) {
      if (!is_reduction(word))
        text_.fail_at(begin, quoted(word) + " is no reduction: it takes no dimensions");
      dimensions = text_.take_dimensions();
    }
    text_.next();
    const std::size_t opened_at = text_.at();
    if (!text_.take('(')) text_.fail("expected \"(\" after " + quoted(word) + ", found " + text_.found());
    std::vector<TreeIndex> arguments = {argument(word == "where")};
    TreeNode node;
    bool is_named = false;
    while (text_.take(',')) {
      if (take_named(word, node)) {
        is_named = true;
      } else if (is_named) {
        text_.fail("what has no name stands before \"weight=\", \"by=\" and \"edges=\"");
      } else {
        arguments.push_back(argument(false));
      }
    }
    const bool is_elementwise =
        function && !is_one && !is_named && (!function->takes_more || arguments.size() > 1);
    if (is_elementwise) return finish_function(*function, std::move(arguments), begin, opened_at);
    node.operands = std::move(arguments);
    node.dimensions = std::move(dimensions);
    node.begin = begin;
    return finish_reduction(word, std::move(node), opened_at);
  }

  /// Reads the parameters of an operator.
  TreeIndex application(const std::string& word, std::size_t begin) {
    const auto found = std::ranges::find_if(
        operators_, [&](const Declaration& one) { return one.name == word && stands_in_expressions(one); });
    if (found == operators_.end() || language_ != Language::expression)
      text_.fail_unknown(word, begin,
                         language_ == Language::expression ? operator_meant(word, operators_) : "");
    TreeNode node;
    node.kind = TreeKind::application;
    node.word = word;
    node.begin = begin;
    if (text_.take('[')) node.dimensions = text_.take_dimensions();
    text_.next();
    const std::size_t opened_at = text_.at();
    if (!text_.take('(')) text_.fail("expected \"(\" after " + quoted(word) + ", found " + text_.found());
    do node.arguments.push_back(parameter(*found, node.arguments));
    while (text_.take(','));
    if (text_.next() == '|' && !found->takes_condition())
      text_.fail("a condition restricts a reduction, and " + quoted(word) + " is none");
    if (text_.take('|')) node.condition = truth_of(either());
    close(opened_at);
    return tree_.add(std::move(node), text_.at());
  }

  TreeNode::Argument parameter(const Declaration& operation, const std::vector<TreeNode::Argument>& before) {
    text_.next();
    const std::size_t begin = text_.at();
    const ParameterDeclaration& declared = text_.take_parameter(operation, before);
    TreeNode::Argument made{{declared.name, begin}, {}, {}};
    if (declared.kind == ParameterKind::name) {
      made.value = argument(false);
    } else {
      made.text = text_.take_text(declared.kind);
    }
    return made;
  }

  /// Reads "weight = ...", "by = ..." or "edges = ...", if one stands here.
  bool take_named(const std::string& reduction, TreeNode& node) {
    text_.next();
    for (const char* const name : {"weight", "by", "edges"}) {
      const std::string_view word = name;
      if (!is_named_argument(text_.rest(), word)) continue;
      const ExpressionReduction* const found = find_reduction(reduction);
      if (found == nullptr || (word == "weight" && !found->takes_weight))
        text_.fail(quoted(reduction) + " takes no " + name);
      std::optional<TreeIndex>& value = word == "weight" ? node.weight : node.by;
      if (word == "edges" ? !node.edges.text.empty() : value.has_value())
        text_.fail(quoted(name) + " is given twice");
      text_.take_name();
      text_.take('=');
      if (word != "edges") value = argument(false);
      if (word == "edges") node.edges = text_.take_literal();
      return true;
    }
    return false;
  }

  static std::string quoted(std::string_view word) { return in_quotes(word); }

  TreeIndex finish_function(const ExpressionFunction& function, std::vector<TreeIndex> arguments,
                            std::size_t begin, std::size_t opened_at) {
    const std::string word(function.word);
    if (language_ == Language::expression && text_.next() == '|')
      text_.fail("a condition restricts a reduction, and " + quoted(word) + " is none");
    close(opened_at);
    const bool takes_more = function.takes_more;
    if (takes_more ? arguments.size() < function.arguments : arguments.size() != function.arguments) {
      text_.fail_at(begin, quoted(word) + " takes " + std::to_string(function.arguments) +
                               (function.arguments == 1 ? " argument" : " arguments") +
                               (takes_more ? " or more" : "") + ", not " + std::to_string(arguments.size()));
    }
    if (!takes_more) {
      const bool is_truth = function.operation == Operation::select && tree_[arguments[1]].is_truth &&
                            tree_[arguments[2]].is_truth;
      const TreeIndex made = operation(function.operation, std::move(arguments), begin);
      tree_[made].is_truth = is_truth;
      return made;
    }
    TreeIndex left = arguments.front();
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      left = operation(function.operation, {left, arguments[i]}, begin);
    }
    return left;
  }

  TreeIndex finish_reduction(const std::string& word, TreeNode node, std::size_t opened_at) {
    if (language_ != Language::expression) {
      text_.fail_at(node.begin,
                    quoted(word) + " is a reduction, and this " + text_.whole() +
                        " is computed element by element; write <diagnostic expression=\"...\"> for it");
    }
    node.kind = TreeKind::reduction;
    node.word = word;
    require_whole_bins(node);
    if (text_.next() == '|' && text_.rest().starts_with("||")) text_.fail_foreign(text_.at());
    if (text_.take('|')) node.condition = truth_of(either());
    if (node.condition && text_.next() == ',')
      text_.fail("a condition stands last: \"mean[y,x](w, weight=area | w > 0)\"");
    close(opened_at);
    const std::size_t wanted = find_reduction(word)->arguments;
    const std::size_t count = node.operands.size();
    if (count != wanted) {
      text_.fail_at(node.begin, quoted(word) + " takes " + (wanted == 1 ? "one argument" : "two arguments") +
                                    ", not " + std::to_string(count) +
                                    (count > wanted && node.dimensions.empty() ? kReductionForm : ""));
    }
    node.is_truth = word == "any" || word == "all";
    if (node.is_truth) node.operands.front() = truth_of(node.operands.front());
    return tree_.add(std::move(node), text_.at());
  }

  ExpressionText text_;
  Language language_;
  std::span<const Declaration> operators_;
  int depth_ = 0;
  int operands_ = 0;
  bool takes_truth_ = false;  ///< parentheses of an equation may hold comparisons: those of a condition in it
  TreeBuilder tree_;
};

}  // namespace

ExpressionTree parse_tree(std::string_view text, Language language, std::span<const Declaration> operators) {
  return Parser(text, language, operators).parse();
}

}  // namespace pileus::planning
