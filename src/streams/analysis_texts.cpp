// What analysis waits for and what it cost, in words.

#include <algorithm>
#include <set>

#include "streams/analysis.h"

namespace pileus {

namespace {

/// Of one subject: what is behind these is not told apart.
constexpr std::size_t kMostNumbers = 1000;

std::string step_text(std::int64_t step) { return "step " + std::to_string(step); }

std::string later_steps(std::size_t count) {
  if (count == 0) return "";
  return ", and " + std::to_string(count) + (count == 1 ? " later step too" : " later steps too");
}

}  // namespace

void Analysis::tell_waits(const std::shared_ptr<Waits>& waits) {
  tell_model_waits(*waits);
  for (std::size_t t = 0; t < branches_.size(); ++t) {
    if (branches_[t].place.is_member) tell_branch_waits(t, waits);
  }
  tell_cut_waits(waits);
}

void Analysis::tell_model_waits(Waits& waits) {
  std::map<std::int64_t, std::vector<ClientRank>> behind;  // by the first step that lacks
  std::set<std::int64_t> steps;                            // that lack
  std::vector<ClientRank> ahead, at_clock;
  for (const auto& [rank, client] : clients_) {
    if (client.is_finished || client.has_failed) continue;
    const std::vector<std::int64_t> missing = client.steps.missing(kMostNumbers);
    steps.insert(missing.begin(), missing.end());
    if (!missing.empty()) {
      behind[missing.front()].push_back(rank);
    } else {
      (client.early.empty() ? at_clock : ahead).push_back(rank);
    }
  }
  const std::string clock =
      clock_step_ < 0 ? "has not begun its first step" : "is at " + step_text(clock_step_);
  if (!behind.empty()) {
    std::string text;
    for (const auto& [step, ranks] : behind)
      text +=
          (text.empty() ? "" : ", ") + numbered("model rank", ranks) + " sent nothing of " + step_text(step);
    waits.add(Waits::About::model,
              {"model ranks behind", {steps.begin(), steps.end()}, text + "; model rank 0 " + clock});
  }
  if (!ahead.empty()) {
    waits.add(Waits::About::model,
              {"model rank 0",
               {clock_step_},
               numbered("model rank", ahead) + " went ahead of model rank 0, which " + clock});
  }
  if (!at_clock.empty() && !clock_end_) {
    waits.note(Waits::About::model, "model rank 0 " + clock + ", and " + numbered("model rank", at_clock) +
                                        " sent all of it: the model's next step has not come");
  }
}

/// What lacks at a step of a tree: of ranks that have sent it, this server has not got to it.
std::string Analysis::lacking(const Branch& branch, std::int64_t step,
                              const std::map<ClientRank, std::int64_t>& sent_through) const {
  std::vector<ClientRank> absent, here;
  for (const ClientRank rank : branch.progress.missing_ranks(step))
    (sent_through.at(rank) >= step ? here : absent).push_back(rank);
  const std::vector<ServerRank> servers = branch.progress.missing_servers(step);
  const std::string of = branch.fields.empty() ? "" : branch.fields + " of ";
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : " and for ") + part; };
  if (!absent.empty()) add(of + numbered("model rank", absent));
  if (!here.empty()) add("the analysis of " + of + numbered("model rank", here) + " in this server");
  if (!servers.empty()) add(numbered("server", servers));
  return text.empty() ? "results of other servers" : text;
}

void Analysis::tell_branch_waits(std::size_t tree, const std::shared_ptr<Waits>& waits) {
  std::map<ClientRank, std::int64_t> sent_through;
  for (const auto& [rank, client] : clients_) {
    const std::vector<std::int64_t> missing = client.steps.missing(1);
    sent_through[rank] = missing.empty() ? clock_step_ : missing.front() - 1;
  }
  waits->expect();
  branches_[tree].strand->post([this, tree, waits, sent_through = std::move(sent_through)] {
    const Branch& branch = branches_[tree];
    std::vector<std::int64_t> steps = branch.reduction->open_steps();
    // What is deferred is not waited for before a record needs it.
    const std::int64_t needed = branch.due.empty() ? INT64_MIN : branch.due.back();
    if (branch.is_deferred) std::erase_if(steps, [&](std::int64_t step) { return step > needed; });
    if (!steps.empty()) {
      std::string text = plan_[plan_.trees[tree].communications[0]].name + ": " + step_text(steps[0]) +
                         " waits for " + lacking(branch, steps[0], sent_through) +
                         later_steps(steps.size() - 1);
      steps.resize(std::min(steps.size(), kMostNumbers));
      waits->add(Waits::About::reductions,
                 {"tree " + std::to_string(tree), std::move(steps), std::move(text)});
    }
    waits->answered();
  });
}

void Analysis::tell_cut_waits(const std::shared_ptr<Waits>& waits) {
  std::map<ClientRank, std::int64_t> marked;
  for (const auto& [rank, client] : clients_) {
    if (!client.is_finished && !client.has_failed) marked[rank] = client.marked;
  }
  waits->expect();
  cuts_strand_.post([this, waits, marked = std::move(marked)] {
    Wait wait{"the states of streams", {}, ""};
    for (const auto& [step, cut] : cuts_) wait.numbers.push_back(step);
    if (!wait.numbers.empty()) {
      const auto& [step, cut] = *cuts_.begin();
      std::vector<ClientRank> absent;
      for (const auto& [rank, last] : marked) {
        if (last < step) absent.push_back(rank);
      }
      wait.text = "the checkpoint of " + step_text(step) + " waits for " +
                  (absent.empty() ? std::to_string(cut.missing) + " streams of this server to get there"
                                  : numbered("model rank", absent) + " to end that step");
      waits->add(Waits::About::checkpoints, std::move(wait));
    }
    waits->answered();
  });
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

std::size_t Analysis::window_bytes() const {
  std::size_t bytes = root_windows_.most_bytes();
  for (const auto& [rank, client] : clients_) bytes += client.stream->window_bytes();
  return bytes;
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
