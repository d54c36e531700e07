// What analysis waits for and what it cost, in words.

#include <algorithm>

#include "server/analysis.h"

namespace pileus {

void Analysis::tell_waits(const std::shared_ptr<Waits>& waits) {
  std::map<std::int64_t, std::vector<ClientRank>> behind;  // by the step that lacks
  std::vector<ClientRank> ahead, at_clock;
  for (const auto& [rank, client] : clients_) {
    if (client.is_finished || client.has_failed) continue;
    if (const auto missing = client.steps.first_missing()) {
      behind[*missing].push_back(rank);
    } else {
      (client.early.empty() ? at_clock : ahead).push_back(rank);
    }
  }
  const std::string clock =
      clock_step_ < 0 ? "has not begun its first step" : "is at step " + std::to_string(clock_step_);
  for (const auto& [step, ranks] : behind) {
    waits->add(Waits::About::model, numbered("model rank", ranks) + " sent nothing of step " +
                                        std::to_string(step) + "; model rank 0 " + clock);
  }
  if (!ahead.empty()) {
    waits->add(Waits::About::model,
               numbered("model rank", ahead) + " went ahead of model rank 0, which " + clock);
  }
  if (!at_clock.empty() && !clock_end_) {
    waits->add(Waits::About::model, "model rank 0 " + clock + ", and " + numbered("model rank", at_clock) +
                                        " sent all of it: the model's next step has not come");
  }
  for (std::size_t t = 0; t < branches_.size(); ++t) {
    Branch& branch = branches_[t];
    waits->expect();
    branch.strand->post([&branch, waits, name = plan_[plan_.trees[t].communications[0]].name] {
      std::vector<std::int64_t> steps = branch.reduction->open_steps();
      // What is deferred is not waited for before a record needs it.
      const std::int64_t needed = branch.due.empty() ? INT64_MIN : branch.due.back();
      if (branch.is_deferred) std::erase_if(steps, [&](std::int64_t step) { return step > needed; });
      if (!steps.empty()) {
        waits->add(
            Waits::About::reductions,
            name + ": step " + std::to_string(steps[0]) + " waits for " + branch.progress.missing(steps[0]) +
                (steps.size() == 1 ? "" : ", and " + std::to_string(steps.size() - 1) + " later steps too"));
      }
      waits->answered();
    });
  }
}

std::vector<std::pair<std::string, Cost>> Analysis::costs() const {
  std::vector<Cost> rules = root_.costs(), variables(plan_.variables.size());
  root_windows_.add_costs(variables);
  for (const auto& [rank, client] : clients_) client.stream->add_costs(rules, variables);

  std::vector<std::pair<std::string, Cost>> costs;
  for (std::size_t r = 0; r < rules.size(); ++r) costs.emplace_back(plan_.rules[r].name, rules[r]);
  for (std::size_t t = 0; t < branches_.size(); ++t) {
    const auto& communications = plan_.trees[t].communications;
    const std::string others =
        communications.size() == 1 ? "" : " and " + std::to_string(communications.size() - 1) + " with it";
    costs.emplace_back(plan_[communications[0]].name + others, branches_[t].cost);
  }
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const Variable& variable = plan_.variables[v];
    costs.emplace_back("\"" + variable.name + "\" of file \"" + plan_[variable.file].name + "\" over time",
                       variables[v]);
  }
  std::erase_if(costs, [](const auto& cost) { return cost.second.runs == 0; });
  return costs;
}

std::vector<std::string> Analysis::open_texts() const {
  std::vector<std::string> texts;
  for (const auto& [step, cut] : cuts_) {
    texts.push_back("the state after step " + std::to_string(step) + " (" + std::to_string(cut.missing) +
                    (cut.missing == 1 ? " stream" : " streams") + " did not get there)");
  }
  for (const auto& [rank, client] : clients_) {
    for (const std::string& text : client.stream->open_texts()) texts.push_back(text);
  }
  for (std::size_t t = 0; t < branches_.size(); ++t) {
    const Rule& first = plan_[plan_.trees[t].communications[0]];
    for (const std::string& key : branches_[t].reduction->open_keys())
      texts.push_back(first.name + ": " + key);
  }
  if (root_.has_open_steps()) texts.push_back("results of steps that were never complete");
  return texts;
}

}  // namespace pileus
