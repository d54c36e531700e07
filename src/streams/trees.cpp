#include "streams/trees.h"

#include "core/error.h"

namespace pileus {

Trees::Trees(const Plan& plan, ServerRank self, bool defers, Executor& workers, Messages& messages,
             ErrorList& errors, RootStream& root)
    : plan_(plan), deferral_(plan) {
  for (std::size_t tree = 0; tree < plan.trees.size(); ++tree) {
    branches_.push_back(std::make_unique<TreeBranch>(plan, tree, self, defers && deferral_.is_deferred(tree),
                                                     workers, messages, errors, root));
  }
}

void Trees::add(ClientRank client, std::size_t tree, std::int64_t step, std::unique_ptr<TreeValues> values) {
  branches_[tree]->contribute(client, step, std::move(values));
}

void Trees::end(ClientRank client, std::int64_t last_step) {
  for (std::size_t tree = 0; tree < branches_.size(); ++tree) {
    if (plan_.contributes(client, plan_.trees[tree])) branches_[tree]->end_client(client, last_step);
  }
}

void Trees::advance(const StepFacts& facts, const StepHold& hold) {
  const std::vector<bool>& is_due = deferral_.due(facts.step, facts.actions);
  for (std::size_t tree = 0; tree < branches_.size(); ++tree)
    branches_[tree]->advance(facts.step.index, facts.kind->has_tree[tree], is_due[tree], hold);
}

void Trees::hurry(std::int64_t step) {
  for (const auto& branch : branches_) branch->hurry(step);
}

void Trees::end_clock() {
  for (const auto& branch : branches_) branch->end_clock();
}

void Trees::take(ServerRank from, Decoder& in, std::shared_ptr<const void> message) {
  const auto tree = in.get<std::uint32_t>();
  if (tree >= branches_.size()) throw TransportError("a reduction came for a tree that does not exist");
  branches_[tree]->receive(from, Decoder(in.rest()), std::move(message));
}

void Trees::tell_waits(const std::shared_ptr<Waits>& waits,
                       const std::map<ClientRank, std::int64_t>& sent_through) const {
  for (const auto& branch : branches_) branch->tell_waits(waits, sent_through);
}

std::vector<std::string> Trees::open_texts() const {
  std::vector<std::string> texts;
  for (const auto& branch : branches_) {
    for (std::string& text : branch->open_texts()) texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<std::pair<std::string, Cost>> Trees::costs() const {
  std::vector<std::pair<std::string, Cost>> costs;
  for (const auto& branch : branches_) costs.push_back(branch->cost());
  return costs;
}

}  // namespace pileus
