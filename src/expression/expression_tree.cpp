#include "expression/expression_tree.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <set>
#include <utility>

#include "config/messages.h"
#include "config/namespaces.h"
#include "config/substitution.h"
#include "core/suggest.h"
#include "expression/expression_hints.h"
#include "expression/expression_words.h"

namespace pileus::planning {
namespace {

constexpr int kDeepestNesting = 200;
constexpr int kMostOperands = 1000;

struct Comparison {
  std::string_view text;
  Operation operation;
  bool is_swapped;  ///< a > b is read as b < a
};
/// An operator stands after those that begin with it.
constexpr std::array<Comparison, 12> kComparisons = {{{"<=", Operation::less_equal, false},
                                                      {">=", Operation::less_equal, true},
                                                      {"==", Operation::equal, false},
                                                      {"!=", Operation::not_equal, false},
                                                      {"<", Operation::less, false},
                                                      {">", Operation::less, true},
                                                      {"le", Operation::less_equal, false},
                                                      {"ge", Operation::less_equal, true},
                                                      {"eq", Operation::equal, false},
                                                      {"ne", Operation::not_equal, false},
                                                      {"lt", Operation::less, false},
                                                      {"gt", Operation::less, true}}};

bool is_reduction(std::string_view word) { return find_reduction(word) != nullptr; }

/// Reads the text in one pass of recursive descent. Each function returns the node that it has made.
class Parser {
 public:
  Parser(std::string_view text, Language language) : text_(text), language_(language) {}

  ExpressionTree parse() {
    TreeIndex result = language_ == Language::equation ? sum() : either();
    if (next() == ')') fail("there is no \"(\" for this \")\"");
    if (next() == '|' && hint().empty())
      fail("a condition stands inside of a reduction: \"mean[y,x](w | w > 0)\"");
    if (at_ < text_.size()) fail_to_go_on("the end of the " + whole());
    if (language_ == Language::condition) result = truth_of(result);
    // The last node is the root.
    if (result != tree_.root()) tree_.nodes.push_back(tree_.nodes[result]);
    return std::move(tree_);
  }

 private:
  std::string whole() const {
    constexpr std::array kNames = {"equation", "condition", "expression"};
    return kNames[static_cast<std::size_t>(language_)];
  }
  [[noreturn]] void fail(const std::string& what) const { throw ExpressionError(at_, what); }
  [[noreturn]] void fail_to_go_on(const std::string& end) {
    const bool is_equality = language_ != Language::equation && text_.substr(at_).starts_with("=");
    const std::string advice = is_equality && is_keyword_before(text_, at_) ? kReductionForm : hint();
    fail("expected an operator or " + end + ", found " + found() +
         (is_equality && advice.empty() ? "; equality is written \"==\" or \"eq\"" : advice));
  }
  bool may_compare() const { return language_ != Language::equation || takes_truth_; }
  std::string hint() const { return hint_at(text_, at_, may_compare()); }

  char next() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (next() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  /// The whole word, or whole character of UTF-8, at this place.
  std::string found() const {
    if (at_ == text_.size()) return "the end of the " + whole();
    const auto goes_on = [&](char c) {
      return is_name_character(text_[at_]) ? is_name_character(c)
                                           : (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    };
    std::size_t end = at_ + 1;
    while (end < text_.size() && goes_on(text_[end])) ++end;
    const std::string word(text_.substr(at_, end - at_));
    return quoted(word) + (word == "\u2212" || word == "\u2013" ? "; a minus is written \"-\"" : "");
  }

  class Deeper {
   public:
    explicit Deeper(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kDeepestNesting)
        parser_.fail("the " + parser_.whole() + " is nested too deeply");
    }
    ~Deeper() { --parser_.depth_; }

   private:
    Parser& parser_;
  };

  bool take_word(std::string_view word) {
    next();
    if (!text_.substr(at_).starts_with(word)) return false;
    const bool is_name = is_name_character(word.front());
    const std::size_t end = at_ + word.size();
    if (is_name && end < text_.size() && is_name_character(text_[end])) return false;
    at_ = end;
    return true;
  }

  TreeIndex add(TreeNode node) {
    node.end = at_;
    tree_.nodes.push_back(std::move(node));
    return tree_.root();
  }
  TreeIndex number(double value, std::size_t begin) {
    TreeNode node;
    node.number = value;
    node.begin = begin;
    return add(std::move(node));
  }
  TreeIndex operation(Operation operation, std::vector<TreeIndex> operands, std::size_t begin) {
    TreeNode node;
    node.kind = TreeKind::operation;
    node.operation = operation;
    node.operands = std::move(operands);
    node.begin = begin;
    return add(std::move(node));
  }
  TreeIndex operation(Operation kind, TreeIndex left, TreeIndex right) {
    return operation(kind, std::vector{left, right}, tree_.nodes[left].begin);
  }
  TreeIndex truth(TreeIndex node) {
    tree_.nodes[node].is_truth = true;
    return node;
  }
  TreeIndex opposite(TreeIndex one) {
    const TreeIndex zero = number(0, tree_.nodes[one].begin);
    return truth(operation(Operation::equal, one, zero));
  }

  /// What "and", "or", "not" and conditions take: a comparison, or in an expression a name that stands for
  /// one.
  TreeIndex truth_of(TreeIndex one) {
    const TreeNode& node = tree_.nodes[one];
    if (node.is_truth) return one;
    if (language_ != Language::expression || node.kind != TreeKind::name) {
      std::string written(text_.substr(node.begin, node.end - node.begin));
      written.erase(written.find_last_not_of(" \t\r\n") + 1);
      fail_at(node.begin, quoted(written) + " is no comparison; write one here, for example \"w > 0\"");
    }
    const TreeIndex zero = number(0, node.begin);
    return truth(operation(Operation::not_equal, one, zero));
  }

  TreeIndex either() {
    TreeIndex left = both();
    while (take_word("or")) {
      left = truth_of(left);
      const TreeIndex right = truth_of(both());
      const TreeIndex neither = truth(operation(Operation::multiply, opposite(left), opposite(right)));
      left = opposite(neither);
    }
    return left;
  }

  TreeIndex both() {
    TreeIndex left = not_or_comparison();
    while (take_word("and")) {
      left = truth_of(left);
      const TreeIndex right = truth_of(not_or_comparison());
      left = truth(operation(Operation::multiply, left, right));
    }
    return left;
  }

  TreeIndex not_or_comparison() {
    const Deeper deeper(*this);
    if (!take_word("not")) return comparison();
    return opposite(truth_of(not_or_comparison()));
  }

  /// Reads a comparison, or an equation without one.
  TreeIndex comparison() {
    const TreeIndex left = sum();
    const auto found_one = take_comparison();
    if (!found_one) return left;
    const TreeIndex right = sum();
    const TreeIndex made = truth(operation(found_one->operation, found_one->is_swapped ? right : left,
                                           found_one->is_swapped ? left : right));
    tree_.nodes[made].begin = tree_.nodes[left].begin;
    const std::size_t second_at = at_;
    if (take_comparison()) {
      at_ = second_at;
      fail("a comparison cannot be compared again; write for example \"0 < w and w < 1\"");
    }
    return made;
  }

  const Comparison* take_comparison() {
    const char c = next();
    if ((c == '<' || c == '=') && !foreign_operator(text_.substr(at_), true).first.empty()) fail_foreign(at_);
    for (const Comparison& one : kComparisons) {
      if (take_word(one.text)) return &one;
    }
    return nullptr;
  }

  TreeIndex sum() {
    TreeIndex left = product();
    for (;;) {
      if (take('+')) {
        left = operation(Operation::add, left, product());
      } else if (take('-')) {
        left = operation(Operation::subtract, left, product());
      } else {
        return left;
      }
    }
  }

  TreeIndex product() {
    TreeIndex left = unary();
    for (;;) {
      if (take('*')) {
        if (at_ < text_.size() && text_[at_] == '*') fail("a power is written \"^\", not \"**\"");
        left = operation(Operation::multiply, left, unary());
      } else if (take('/')) {
        if (at_ < text_.size() && text_[at_] == '=' && may_compare()) fail_foreign(at_ - 1);
        left = operation(Operation::divide, left, unary());
      } else if (take('%')) {
        left = operation(Operation::modulo, left, unary());
      } else {
        return left;
      }
    }
  }

  /// Reads signs, and behind them a power; the same may follow a ^.
  TreeIndex unary() {
    const Deeper deeper(*this);
    next();
    const std::size_t begin = at_;
    if (take('-')) return operation(Operation::negate, std::vector{unary()}, begin);
    if (take('+')) return unary();
    const TreeIndex base = primary();
    return take('^') ? operation(Operation::power, base, unary()) : base;
  }

  TreeIndex primary() {
    const char c = next();
    if (c == '(') return in_parentheses();
    if (++operands_ > kMostOperands)
      fail("more than " + std::to_string(kMostOperands) + " numbers, names and calls in one " + whole() +
           "; make parts of it diagnostics of their own");
    if (c == '{') return option();
    if (is_digit(c) || c == '.') return number_or_name();
    if (is_name_character(c)) return name_or_call();
    fail("expected a number, a name or \"(\", found " + found() + hint());
  }

  TreeIndex in_parentheses() {
    const std::size_t opened_at = at_;
    take('(');
    const TreeIndex inner = value();
    close(opened_at);
    TreeNode& node = tree_.nodes[inner];
    if (node.kind == TreeKind::operation) {
      node.begin = opened_at;
      node.end = at_;
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
    if (take(')')) return;
    if (at_ < text_.size()) fail_to_go_on("\")\"");
    throw ExpressionError(opened_at, "this \"(\" is never closed");
  }

  TreeIndex option() {
    const std::size_t begin = at_, end = text_.find('}', at_);
    if (end == std::string_view::npos) fail("this \"{\" is never closed");
    at_ = end + 1;
    return number(std::numeric_limits<double>::quiet_NaN(), begin);
  }

  TreeIndex number_or_name() {
    const char* const first = text_.data() + at_;
    const char* const last = text_.data() + text_.size();
    double value = 0;
    const auto [end, problem] = std::from_chars(first, last, value);
    const bool is_whole = end == last || !(is_name_character(*end) || *end == '.');
    if (end != first && is_whole) {
      if (problem != std::errc{}) {
        fail("the number " + quoted({first, end}) + " is beyond the range of double precision");
      }
      const std::size_t begin = at_;
      at_ += static_cast<std::size_t>(end - first);
      return number(value, begin);
    }
    const char* const word_end = std::find_if_not(first, last, is_name_character);
    if (word_end == first || (word_end < last && *word_end == '.')) {
      const char* const all =
          std::find_if_not(first, last, [](char c) { return is_name_character(c) || c == '.'; });
      const char* const dot = std::find_if(first, all, [&](const char& at) {
        return at == '.' &&
               !foreign_operator({&at, static_cast<std::size_t>(last - &at)}, true).first.empty();
      });
      if (dot != all) fail_foreign(static_cast<std::size_t>(dot - text_.data()));
      const bool is_of_fortran =
          word_end != last && std::find_if(first, all, [](char c) { return c == 'd' || c == 'D'; }) != all;
      fail(quoted({first, all}) + " is neither a number nor a name" +
           (is_of_fortran ? "; an exponent is written \"e\": 1.5e0" : ""));
    }
    return name_or_call();
  }

  std::string word_with_namespaces() {
    std::size_t end = at_;
    for (;;) {
      while (end < text_.size() && is_name_character(text_[end])) ++end;
      const std::size_t next = end + kNamespaceMark.size();
      const bool goes_on = text_.substr(end).starts_with(kNamespaceMark) && next < text_.size() &&
                           is_name_character(text_[next]);
      if (!goes_on) break;
      end = next;
    }
    std::string word(text_.substr(at_, end - at_));
    at_ = end;
    return word;
  }

  TreeIndex name_or_call() {
    const std::size_t begin = at_;
    std::string word = word_with_namespaces();
    const std::size_t end = at_;
    const bool is_call = next() == '(' || next() == '[';
    if (is_call) return call(word, begin);
    at_ = begin;
    if (language_ != Language::equation && is_word_operator(word))
      fail("expected a number, a name or \"(\", found " + quoted(word));
    at_ = end;
    TreeNode node;
    node.kind = TreeKind::name;
    node.word = std::move(word);
    node.begin = begin;
    return add(std::move(node));
  }

  [[noreturn]] void fail_at(std::size_t place, const std::string& what) const {
    throw ExpressionError(place, what);
  }
  [[noreturn]] void fail_foreign(std::size_t place) const {
    const auto [theirs, ours] = foreign_operator(text_.substr(place), true);
    fail_at(place, quoted(theirs) + " is written " + quoted(ours));
  }

  TreeIndex call(const std::string& word, std::size_t begin) {
    const Deeper deeper(*this);
    const ExpressionFunction* const function = find_function(word);
    if (!function && !is_reduction(word)) fail_unknown(word, begin);
    const bool is_one = take('[');
    std::vector<TreeNode::Word> dimensions;
    if (is_one) {
      if (!is_reduction(word)) fail_at(begin, quoted(word) + " is no reduction: it takes no dimensions");
      dimensions = dimension_names();
    }
    next();
    const std::size_t opened_at = at_;
    if (!take('(')) fail("expected \"(\" after " + quoted(word) + ", found " + found());
    std::vector<TreeIndex> arguments = {argument(word == "where")};
    while (take(',')) arguments.push_back(argument(false));
    const bool is_elementwise = function && !is_one && (!function->takes_more || arguments.size() > 1);
    if (is_elementwise) return finish_function(*function, std::move(arguments), begin, opened_at);
    return finish_reduction(word, std::move(arguments), std::move(dimensions), begin, opened_at);
  }

  [[noreturn]] void fail_unknown(const std::string& word, std::size_t begin) const {
    const bool with_reductions = language_ == Language::expression;
    std::string list;
    for (const std::string& one : function_words(with_reductions)) list += (list.empty() ? "" : ", ") + one;
    const std::string_view way = written_otherwise(word);
    if (!way.empty()) fail_at(begin, "there is no function " + quoted(word) + "; write " + quoted(way));
    if (is_index(text_, at_)) {
      fail_at(begin,
              "there is no function " + quoted(word) +
                  "; a field cannot be indexed in an expression: the operator field_slicer takes a part "
                  "of it");
    }
    const std::string meant = function_meant(word, with_reductions);
    const std::string advice = meant.empty() ? "" : did_you_mean(meant);
    fail_at(begin,
            "there is no function " + quoted(word) + (advice.empty() ? "; there are " + list : advice));
  }

  static std::string quoted(std::string_view word) { return in_quotes(word); }

  std::vector<TreeNode::Word> dimension_names() {
    std::vector<TreeNode::Word> names;
    std::set<std::string> known;
    do {
      next();
      const std::size_t begin = at_;
      const std::size_t option_end = text_.substr(at_).starts_with("{") ? text_.find('}', at_) : at_;
      if (option_end == std::string_view::npos) fail("this \"{\" is never closed");
      if (option_end != at_) at_ = option_end + 1;
      while (at_ < text_.size() && (is_name_character(text_[at_]) || text_[at_] == '-' || text_[at_] == '.'))
        ++at_;
      if (at_ == begin) fail("expected the name of a dimension, found " + found());
      const std::string name(text_.substr(begin, at_ - begin));
      if (!name.starts_with('{') && !known.insert(name).second)
        fail_at(begin, "dimension " + quoted(name) + " is named twice");
      names.push_back({name, begin});
    } while (take(','));
    if (!take(']')) fail("expected \",\" or \"]\", found " + found());
    return names;
  }

  TreeIndex finish_function(const ExpressionFunction& function, std::vector<TreeIndex> arguments,
                            std::size_t begin, std::size_t opened_at) {
    const std::string word(function.word);
    if (language_ == Language::expression && next() == '|')
      fail("a condition restricts a reduction, and " + quoted(word) + " is none");
    close(opened_at);
    const bool takes_more = function.takes_more;
    if (takes_more ? arguments.size() < function.arguments : arguments.size() != function.arguments) {
      fail_at(begin, quoted(word) + " takes " + std::to_string(function.arguments) +
                         (function.arguments == 1 ? " argument" : " arguments") +
                         (takes_more ? " or more" : "") + ", not " + std::to_string(arguments.size()));
    }
    if (!takes_more) {
      const bool is_truth = function.operation == Operation::select && tree_.nodes[arguments[1]].is_truth &&
                            tree_.nodes[arguments[2]].is_truth;
      const TreeIndex made = operation(function.operation, std::move(arguments), begin);
      tree_.nodes[made].is_truth = is_truth;
      return made;
    }
    TreeIndex left = arguments.front();
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      left = operation(function.operation, {left, arguments[i]}, begin);
    }
    return left;
  }

  TreeIndex finish_reduction(const std::string& word, std::vector<TreeIndex> arguments,
                             std::vector<TreeNode::Word> dimensions, std::size_t begin,
                             std::size_t opened_at) {
    if (language_ != Language::expression) {
      fail_at(begin, quoted(word) + " is a reduction, and this " + whole() +
                         " is computed element by element; write <diagnostic expression=\"...\"> for it");
    }
    TreeNode node;
    node.kind = TreeKind::reduction;
    node.word = word;
    node.begin = begin;
    node.dimensions = std::move(dimensions);
    if (next() == '|' && text_.substr(at_).starts_with("||")) fail_foreign(at_);
    if (take('|')) node.condition = truth_of(either());
    close(opened_at);
    const std::size_t wanted = find_reduction(word)->arguments;
    if (arguments.size() != wanted) {
      fail_at(begin, quoted(word) + " takes " + (wanted == 1 ? "one argument" : "two arguments") + ", not " +
                         std::to_string(arguments.size()) +
                         (arguments.size() > wanted && node.dimensions.empty() ? kReductionForm : ""));
    }
    node.is_truth = word == "any" || word == "all";
    if (node.is_truth) arguments.front() = truth_of(arguments.front());
    node.operands = std::move(arguments);
    return add(std::move(node));
  }

  std::string_view text_;
  Language language_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int operands_ = 0;
  bool takes_truth_ = false;  ///< parentheses may hold comparisons though this is an equation, as it is part
                              ///< of a condition
  ExpressionTree tree_;
};

}  // namespace

ExpressionTree parse_tree(std::string_view text, Language language) { return Parser(text, language).parse(); }

}  // namespace pileus::planning
