#include "checkpoint/checkpoints.h"

#include <algorithm>

#include "core/error.h"
#include "core/error_text.h"
#include "core/log.h"
#include "messaging/frames.h"
#include "state/checkpoint_folders.h"

namespace pileus {
namespace {

constexpr std::string_view kAside = ".step-";

}  // namespace

Checkpoints::Checkpoints(Run run, Lanes lanes, Messages& messages, WholeFiles& files, CheckpointHost& host)
    : run_(std::move(run)),
      lanes_(lanes),
      messages_(messages),
      files_(files),
      host_(host),
      disk_(lanes.writers),
      strand_(lanes.workers) {}

CheckpointHome Checkpoints::home() const { return {run_.directory, run_.identity.component}; }

std::string Checkpoints::folder() const { return home().folder().string(); }

/// In the names of what is not complete: no other attempt and no other run has the same.
std::string Checkpoints::suffix() const {
  return "-" + run_.identity.id + "-" + std::to_string(run_.identity.attempt);
}

std::string Checkpoints::aside(std::int64_t step) const {
  return folder() + "/." + checkpoint_name(step) + suffix();
}

void Checkpoints::begin_run() {
  if (run_.self != 0) return;
  disk_.post([this] {
    try {
      for (const std::string& name : files_.list(folder())) {
        const bool is_of_before = name.find("-" + run_.identity.id + "-") != std::string::npos;
        if (!name.starts_with(kAside) || !is_of_before || name.ends_with(suffix())) continue;
        log::info("removing " + folder() + "/" + name + ", a checkpoint that was never complete");
        files_.remove_directory(folder() + "/" + name);
      }
      tidy();
    } catch (...) {
      log::warning(text_of_current_exception());
    }
  });
}

void Checkpoints::begin(const Step& step) {
  strand_.post([this, step] {
    own_[step.index] = {step, run_.keepers, {}, {}};
    if (run_.self != 0) return;
    Whole& whole = wholes_[step.index];
    whole.step = step;
    finish_if_complete(step.index);
  });
}

void Checkpoints::keep(std::int64_t step, std::vector<StateEntry> entries, std::string error) {
  auto shared = std::make_shared<std::vector<StateEntry>>(std::move(entries));
  strand_.post([this, step, shared, error = std::move(error)] {
    const auto found = own_.find(step);
    if (found == own_.end()) return;
    Own& own = found->second;
    std::ranges::move(*shared, std::back_inserter(own.entries));
    if (own.error.empty()) own.error = error;
    if (--own.missing > 0) return;
    auto complete = std::make_shared<Own>(std::move(own));
    own_.erase(found);
    if (!complete->error.empty()) return answer(step, {}, complete->error);
    lanes_.writers.submit([this, complete] { write_part(*complete); });
  });
}

/// On a writer lane.
void Checkpoints::write_part(const Own& own) {
  const std::int64_t step = own.step.index;
  NamedPart part;
  std::string error;
  try {
    if (run_.self == 0) host_.claim();
    const PartOutline outline = outline_of(own.entries);
    part = {outline.names, outline.summary};
    if (!run_.identity.component.empty())
      files_.make_directory(CheckpointHome(run_.directory).folder().string());
    files_.make_directory(folder());
    files_.make_directory(aside(step));
    files_.write_pieces(aside(step) + "/" + part_name(run_.self),
                        [&](const PutBytes& put) { put_part(outline, own.entries, put); });
    files_.sync_directory(aside(step));
  } catch (...) {
    error = text_of_current_exception();
  }
  answer(step, part, error);
}

void Checkpoints::answer(std::int64_t step, const NamedPart& part, const std::string& error) {
  Bytes frame;
  Encoder out(frame);
  out.put(ServerFrame::checkpoint_part);
  out.put(step);
  encode(part, out);
  out.put(std::string_view(error));
  messages_.send(0, std::move(frame));
}

void Checkpoints::take_part(ServerRank from, Decoder& in) {
  const auto step = in.get<std::int64_t>();
  const auto part = std::make_shared<NamedPart>(decode_named_part(in));
  const std::string error = in.get_text();
  if (from >= run_.servers) throw TransportError("a part of a checkpoint came from no server");
  strand_.post([this, from, step, part, error] {
    Whole& whole = wholes_[step];  // the other server's clock may be ahead
    whole.parts.resize(run_.servers);
    if (whole.parts[from]) return;
    whole.parts[from] = std::move(*part);
    if (whole.error.empty() && !error.empty())
      whole.error = run_.servers == 1 ? error : "server " + std::to_string(from) + ": " + error;
    ++whole.answers;
    finish_if_complete(step);
  });
}

void Checkpoints::finish_if_complete(std::int64_t step) {
  const auto found = wholes_.find(step);
  if (!found->second.step || found->second.answers < run_.servers) return;
  auto whole = std::make_shared<Whole>(std::move(found->second));
  wholes_.erase(found);
  finishing_.insert(step);
  disk_.post([this, step, whole] {
    finish(step, *whole);
    strand_.post([this, step] { finishing_.erase(step); });
  });
}

/// On a writer lane, when every server has answered: nobody writes into the folder any more.
void Checkpoints::finish(std::int64_t step, Whole& whole) {
  const std::string path = checkpoint_folder(home(), step).string();
  try {
    if (!whole.error.empty()) throw OutputError(whole.error);
    expect_all_parts(step);
    write_manifest(step, whole);
    remove_earlier(step);
    files_.rename_directory(aside(step), path);
  } catch (...) {
    return give_up(step, text_of_current_exception());
  }
  log::info("checkpoint of step " + std::to_string(step) + " is complete: " + path);
  host_.complete(*whole.step, path);
  try {
    prune();
  } catch (...) {
    log::warning(std::string("older checkpoints could not be removed: ") + text_of_current_exception());
  }
}

/// Another run or somebody may have cleaned up here.
void Checkpoints::expect_all_parts(std::int64_t step) {
  const std::vector<std::string> names = files_.list(aside(step));
  for (ServerRank server = 0; server < run_.servers; ++server) {
    if (std::ranges::find(names, part_name(server)) == names.end())
      throw OutputError(aside(step) + "/" + part_name(server) + " is no longer there");
  }
}

void Checkpoints::write_manifest(std::int64_t step, Whole& whole) {
  Manifest manifest;
  manifest.run = run_.identity.id;
  manifest.history = run_.identity.history;
  manifest.attempt = run_.identity.attempt;
  manifest.step = {whole.step->index, whole.step->time, whole.step->length};
  manifest.version = PILEUS_VERSION;
  manifest.configuration = run_.configuration;
  manifest.configuration_hash = run_.configuration_hash;
  manifest.options = run_.options;
  manifest.model_ranks = run_.model_ranks;
  std::vector<NamedPart> parts;
  for (auto& part : whole.parts) parts.push_back(std::move(*part));
  set_parts(manifest, std::move(parts));
  files_.write_whole(aside(step) + "/" + std::string(kManifestName), encode_manifest(manifest));
}

void Checkpoints::give_up(std::int64_t step, const std::string& why) {
  host_.given_up("the checkpoint of step " + std::to_string(step) + " was given up: " + why, step, why);
  try {
    files_.remove_directory(aside(step));
  } catch (...) {
    log::warning(text_of_current_exception());
  }
}

bool Checkpoints::is_of_this_run(std::int64_t step, std::optional<Manifest>& manifest) {
  try {
    manifest = read_manifest(files_, home(), step);
    return manifest->run == run_.identity.id;
  } catch (...) {
    return false;
  }
}

/// A run that continued from an earlier step comes to later ones again: what it has now is what counts.
void Checkpoints::remove_earlier(std::int64_t step) {
  const std::vector<std::string> names = files_.list(folder());
  if (std::ranges::find(names, checkpoint_name(step)) == names.end()) return;
  std::optional<Manifest> manifest;
  const std::string path = folder() + "/" + checkpoint_name(step);
  if (!is_of_this_run(step, manifest))
    throw OutputError(path + " is there already and is not of this run; move it away");
  remove(step);
}

/// In one instant: what is killed on the way leaves no checkpoint that lacks something.
void Checkpoints::remove(std::int64_t step) {
  const std::string going = aside(step) + "-removed";
  files_.rename_directory(folder() + "/" + checkpoint_name(step), going);
  files_.remove_directory(going);
}

/// Removes checkpoints of this run but the newest, and those of a future that an earlier attempt had. Those
/// of other runs stay.
void Checkpoints::prune() {
  std::vector<std::int64_t> mine;
  for (const std::string& name : files_.list(folder())) {
    const std::optional<std::int64_t> other = step_of_checkpoint(name);
    std::optional<Manifest> manifest;
    if (!other || !is_of_this_run(*other, manifest)) continue;
    const bool is_older = manifest->attempt < run_.identity.attempt;
    const bool is_stale = is_older && *other > run_.continued_after;
    if (is_stale) {
      remove(*other);
    } else {
      mine.push_back(*other);
    }
  }
  std::ranges::sort(mine);
  for (std::size_t i = 0; i + run_.kept < mine.size(); ++i) remove(mine[i]);
  tidy();
}

void Checkpoints::tidy() {
  std::set<std::int32_t> referred = {run_.identity.attempt};
  for (const std::string& name : files_.list(folder())) {
    const std::optional<std::int64_t> step = step_of_checkpoint(name);
    std::optional<Manifest> manifest;
    if (step && is_of_this_run(*step, manifest)) referred.insert(manifest->attempt);
  }
  host_.tidy(referred);
}

void Checkpoints::tell_waits(const std::shared_ptr<Waits>& waits) {
  waits->expect();
  strand_.post([this, waits] {
    for (const std::int64_t step : finishing_) {
      waits->add(Waits::About::checkpoints,
                 {"checkpoints on the disk",
                  {step},
                  "the checkpoint of step " + std::to_string(step) + " waits for the disk, to be complete"});
    }
    for (const auto& [step, whole] : wholes_) {
      std::vector<ServerRank> missing;
      for (ServerRank server = 0; server < run_.servers; ++server) {
        if (server >= whole.parts.size() || !whole.parts[server]) missing.push_back(server);
      }
      waits->add(Waits::About::checkpoints, {"checkpoint of step " + std::to_string(step),
                                             {step},
                                             "the checkpoint of step " + std::to_string(step) +
                                                 " waits for the part of " + numbered("server", missing)});
    }
    waits->answered();
  });
}

std::vector<std::string> Checkpoints::open_texts() const {
  std::vector<std::string> texts;
  for (const auto& [step, own] : own_) texts.push_back("the checkpoint of step " + std::to_string(step));
  for (const auto& [step, whole] : wholes_) {
    if (!own_.contains(step)) texts.push_back("the checkpoint of step " + std::to_string(step));
  }
  return texts;
}

}  // namespace pileus
