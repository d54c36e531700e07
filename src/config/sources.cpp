#include "config/sources.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "config/components.h"
#include "config/messages.h"
#include "config/namespaces.h"
#include "core/text_options.h"

namespace pileus {
namespace {

/// The deepest nesting of includes. Beyond it files include each other in circles that their names do not
/// show.
constexpr std::size_t kDeepestInclude = 32;
/// The most includes altogether, as a file may be included in many namespaces. No configuration needs more.
constexpr int kMostIncludes = 1000;
/// The most bytes of all files; a file that is included several times counts each time.
constexpr std::size_t kMostBytes = 4 * XmlDocument::kMaxBytes;

/// False if the root is something else altogether, so that there is no sense in reading on.
bool check_root(const XmlDocument& document, Findings& findings) {
  const ElementSchema& schema = configuration_schema().front();
  const std::string& name = document.root()->name;
  if (name == schema.name) return true;
  const std::vector<std::string> known = {schema.name};
  const std::string suggested = suggestion(name, known);
  findings.error(document.where(document.root()->at),
                 "the root element is " + in_quotes(name) +
                     (suggested.empty() ? "; put everything inside <" + schema.name + ">" : suggested));
  return !suggested.empty();
}

std::string normal(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}

class Inclusion {
 public:
  Inclusion(const Reading& shared, const FindInclude& find_include, const Dialects& dialects,
            const std::string& component, Config& config)
      : shared_(shared),
        find_include_(find_include),
        dialects_(dialects),
        component_(component),
        config_(config) {}

  Sources take() { return std::move(sources_); }

  /// Adds a file. `dialect` is what the user says about it, or "".
  void add(std::string text, const std::string& name, const std::string& dialect, std::string scope,
           std::vector<std::string> chain, const Options& options) {
    chain.push_back(name);
    const bool is_of_run = sources_.empty();
    sources_.push_back(
        std::make_unique<Source>(read(std::move(text), name, dialect, options), shared_, options));
    Source& source = *sources_.back();
    source.is_of_run = is_of_run;
    source.scope = std::move(scope);
    source.chain = std::move(chain);
    config_.is_broken_off = config_.is_broken_off || !source.document->is_complete();
    if (!source.root()) return;
    follow_all(source);
    (void)source.root()->children(kComponentElement);  // the names of all are checked
    const XmlElement* const part =
        chosen_component(*source.document, component_, is_of_run, shared_.findings);
    if (part == nullptr) return;
    config_.other_components = component_names(*source.document);
    std::erase(config_.other_components, component_);
    sources_.push_back(std::make_unique<Source>(source, *part));
    follow_all(*sources_.back());
  }

 private:
  void follow_all(const Source& source) {
    for (const ElementReader& include : source.root()->children("include")) {
      if (include.is_usable("file")) follow(include, source);
    }
  }

  std::unique_ptr<XmlDocument> read(std::string text, const std::string& name, const std::string& said,
                                    const Options& options) {
    const Dialect* const found = dialects_.of(text, said, options);
    if (!found)
      return std::make_unique<XmlDocument>(std::make_unique<std::string>(std::move(text)), name,
                                           shared_.findings);
    if (said.empty()) {
      shared_.findings.note({name}, "read in the dialect " + in_quotes(found->name) +
                                        ", because only such files hold what it holds; " +
                                        (sources_.empty() ? "--dialect strict" : "dialect=\"strict\"") +
                                        " reads it as strict XML");
    }
    const auto asks_for = [this](const std::string& key) {
      if (shared_.options_used) shared_.options_used->try_emplace(key, false);
    };
    const DialectReading reading{options, find_include_, shared_.findings, sources_.empty(), asks_for};
    return found->read(std::move(text), name, reading);
  }

  void follow(const ElementReader& include, const Source& from) {
    const Text file = include.text("file");
    if (++includes_ > kMostIncludes) {
      if (includes_ == kMostIncludes + 1)
        include.error(file.where, "more than " + std::to_string(kMostIncludes) +
                                      " files are included, those that are in others counted each time; "
                                      "include fewer");
      return;
    }
    if (bytes_ > kMostBytes) return;
    const auto found = find(include, from);
    if (!found) return;
    bytes_ += found->text.size();
    if (bytes_ > kMostBytes) {
      include.error(file.where, "with this file all have more than " + std::to_string(kMostBytes >> 20) +
                                    " MiB together: this is not a configuration");
      return;
    }
    const auto is_it = [&](const std::string& one) { return normal(one) == normal(found->name); };
    const auto first = std::find_if(from.chain.begin(), from.chain.end(), is_it);
    if (first != from.chain.end() || from.chain.size() > kDeepestInclude) {
      std::string chain;
      for (auto one = first; one != from.chain.end(); ++one) chain += *one + " includes ";
      include.error(file.where,
                    first == from.chain.end()
                        ? "files are included in files more than " + std::to_string(kDeepestInclude) + " deep"
                        : "the file includes itself: " + chain + found->name);
      return;
    }
    const std::string inner = include.is_usable("namespace") ? include.text("namespace").value : "";
    const std::string scope = inner.empty() ? from.scope : full_name(from.scope, inner);
    const auto [before, is_new] = included_.try_emplace({normal(found->name), scope}, file.where);
    if (!is_new) {
      include.error(file.where, in_quotes(file.value) + " is included at " + before->second.text() +
                                    " already; remove one of the two, or give it a namespace");
      return;
    }
    shared_.findings.trace(found->name, include.where());
    add(found->text, found->name, include.text("dialect").value, scope, from.chain,
        options_of(include, from, found->text));
  }

  /// Those of `from`, and in their place what the include sets.
  static Options options_of(const ElementReader& include, const Source& from, const std::string& text) {
    Options options = from.options;
    if (!include.is_usable("set")) return options;
    const Text said = include.text("set");
    const std::vector<std::string> all = options_in(text);
    const bool may_be_any = includes_files(text);
    std::set<std::string> known(all.begin(), all.end()), set;
    for (const std::string& key : period_keys()) known.erase(key);
    for (const auto& [key, value] : settings_of(said.value)) {
      if (key.empty() || !value) {
        include.error(said.where, "set=" + in_quotes(said.value) +
                                      ": expected \"key=value\", and a \";\" between two of them");
        return options;
      }
      if (!set.insert(key).second)
        include.error(said.where, "set=" + in_quotes(said.value) + " gives " + key + " twice");
      if (!may_be_any && !known.contains(key)) {
        include.error(said.where, in_quotes(include.text("file").value) + " has no option {" + key + "}" +
                                      suggestion(key, all));
      }
      options[key] = *value;
    }
    return options;
  }

  std::optional<IncludedFile> find(const ElementReader& include, const Source& from) {
    const Text file = include.text("file");
    if (!include.is_usable("file")) return {};
    try {
      return find_include_(from.chain.back(), file.value);
    } catch (const ConfigError& error) {
      const Finding& why = error.findings().all().front();
      include.error(file.where, (why.where.file.empty() ? "" : why.where.file + " ") + why.what);
      return {};
    }
  }

  const Reading& shared_;
  const FindInclude& find_include_;
  const Dialects& dialects_;
  const std::string& component_;
  Config& config_;
  Sources sources_;
  int includes_ = 0;
  std::size_t bytes_ = 0;
  std::map<std::pair<std::string, std::string>, Location> included_;  ///< by file and namespace
};

}  // namespace

Source::Source(std::shared_ptr<const XmlDocument> the_document, const Reading& shared, Options its_options)
    : document(std::move(the_document)),
      options(std::move(its_options)),
      reading{document.get(),  shared.catalogue,    options,         shared.allow_missing_options,
              shared.findings, shared.options_used, shared.find_file} {
  if (!document->root() || !check_root(*document, shared.findings)) return;
  root_ = std::make_unique<ElementReader>(reading, *document->root(), configuration_schema().front());
}

Source::Source(const Source& whole, const XmlElement& the_part)
    : document(whole.document),
      reading(whole.reading),
      is_of_run(true),
      part(&the_part),
      scope(whole.scope),
      chain(whole.chain) {
  const ElementSchema& root = configuration_schema().front();
  root_ = std::make_unique<ElementReader>(reading, the_part, *find_schema(root.name, kComponentElement));
}

FindInclude kept_in(Config& config, const FindInclude& find_include) {
  return [&config, &find_include](const std::string& from, const std::string& written) {
    if (!find_include) {
      Findings findings;
      findings.error({}, "files cannot be included here");
      throw ConfigError(std::move(findings));
    }
    IncludedFile found = find_include(from, written);
    const auto is_known = [&](const IncludedFile& one) {
      return one.from == found.from && one.written == found.written;
    };
    if (std::ranges::none_of(config.included, is_known)) config.included.push_back(found);
    return found;
  };
}

Sources read_sources(std::string_view text, const std::string& file_name, const Reading& shared,
                     const FindInclude& find_include, const Dialects& dialects, const std::string& component,
                     Config& config) {
  Inclusion inclusion(shared, find_include, dialects, component, config);
  inclusion.add(std::string(text), file_name, dialects.chosen, "", {}, shared.options);
  return inclusion.take();
}

}  // namespace pileus
