#include "monc/tree.h"

#include <algorithm>

#include "config/messages.h"
#include "config/schema/schema.h"

namespace pileus::monc {
namespace {

const std::string& root_name() { return configuration_schema().front().name; }

bool is_section(std::string_view name) {
  // An include stands in a file here; MONC has #include at the top.
  return name != "include" && find_schema(root_name(), name) != nullptr;
}

/// True for an element that holds nothing, so that its end means nothing.
bool is_leaf(std::string_view name) {
  const auto& all = configuration_schema();
  const auto is_it = [&](const ElementSchema& one) { return one.name == name; };
  return std::ranges::any_of(all, is_it) && std::ranges::none_of(all, [&](const ElementSchema& one) {
           return is_it(one) && !content_names(one).empty();
         });
}

class Builder {
 public:
  Builder(const PlacedText& text, Findings& findings) : text_(text), findings_(findings) {
    tree_.root.name = root_name();
    tree_.root.is_complete = true;
    open_.push_back(&tree_.root);
  }

  Tree build(std::vector<Tag> tags) {
    for (Tag& tag : tags) {
      switch (tag.kind) {
        case Tag::Kind::comment: open_.back()->comments.push_back({std::move(tag.name), tag.at}); break;
        case Tag::Kind::start: start(std::move(tag)); break;
        case Tag::Kind::end: end(tag); break;
      }
    }
    while (open_.size() > 1) pop("");
    if (!roots_.empty()) never_closed(root_name(), roots_.back(), "");
    return std::move(tree_);
  }

 private:
  void start(Tag tag) {
    if (tag.name == root_name()) {
      close_before(tag, "<");
      if (tree_.root.at == 0) tree_.root.at = tag.at;
      for (XmlAttribute& one : tag.attributes) tree_.root.attributes.push_back(std::move(one));
      if (!tag.is_closed) roots_.push_back(tag.at);
      return;
    }
    if (is_section(tag.name)) close_before(tag, "<");
    if (open_.size() > XmlDocument::kMaxDepth) return;
    XmlElement& element = open_.back()->children.emplace_back();
    element.name = std::move(tag.name);
    element.at = tag.at;
    element.attributes = std::move(tag.attributes);
    element.is_complete = true;
    if (!tag.is_closed && !is_leaf(element.name)) {
      element.is_complete = false;
      open_.push_back(&element);
    }
  }

  void end(const Tag& tag) {
    if (tag.name == root_name()) {
      close_before(tag, "</");
      if (!roots_.empty()) return roots_.pop_back();
    }
    const auto is_it = [&](const XmlElement* one) { return one->name == tag.name; };
    const auto found = std::find_if(open_.rbegin(), open_.rend() - 1, is_it);
    if (found != open_.rend() - 1) {
      while (!is_it(open_.back())) pop(before(tag, "</"));
      open_.back()->is_complete = true;
      return open_.pop_back();
    }
    if (is_leaf(tag.name)) return;
    const std::vector<std::string> known = {open_.back()->name};
    const bool is_misspelt = open_.size() > 1 && !suggestion(tag.name, known).empty();
    // If the element is unknown, that has been reported or will be.
    findings_.error(text_.where(tag.at), "</" + shortened(tag.name) + "> ends no element that is open" +
                                             (is_misspelt ? suggestion(tag.name, known) : ""));
    if (!is_misspelt) return;
    open_.back()->is_complete = true;
    open_.pop_back();
  }

  /// " before </group> of line 3".
  std::string before(const Tag& tag, const char* begin) const {
    const std::string name = " before " + (begin + shortened(tag.name)) + ">";
    const Location place = text_.where(tag.at), opened = text_.where(open_.back()->at);
    const bool is_elsewhere = place.file == opened.file && place.line != opened.line;
    return name + (is_elsewhere ? " of line " + std::to_string(place.line) : "");
  }

  void close_before(const Tag& tag, const char* begin) {
    while (open_.size() > 1) pop(before(tag, begin));
  }

  void pop(const std::string& before) {
    never_closed(open_.back()->name, open_.back()->at, before);
    open_.pop_back();
  }

  void never_closed(const std::string& name, std::size_t at, const std::string& before) {
    findings_.error(text_.where(at), "<" + shortened(name) + "> is not closed" + before +
                                         "; it ends with </" + shortened(name) + ">");
    tree_.is_complete = false;
  }

  const PlacedText& text_;
  Findings& findings_;
  Tree tree_;
  std::vector<XmlElement*> open_;   ///< from the root to the innermost; only the last one's children still
                                    ///< grow
  std::vector<std::size_t> roots_;  ///< positions of the roots that are open
};

}  // namespace

Tree build_tree(std::vector<Tag> tags, const PlacedText& text, Findings& findings) {
  return Builder(text, findings).build(std::move(tags));
}

}  // namespace pileus::monc
