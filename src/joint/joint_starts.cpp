#include "joint/joint_starts.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include "core/error_text.h"

namespace pileus {
namespace {

/// For so long the command waits for another one that makes the same component: the end of the job waits for
/// it.
constexpr int kPatience_s = 600;

/// A word of a shell's, whatever is in it.
std::string quoted_word(const std::string& word) {
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

}  // namespace

std::string path_of_tool() {
  namespace fs = std::filesystem;
  if (const char* const given = std::getenv("PILEUS_TOOL"); given != nullptr && *given != '\0') return given;
  std::error_code ignored;
  std::vector<fs::path> folders = {fs::read_symlink("/proc/self/exe", ignored).parent_path()};
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&path_of_tool), &info) != 0 && info.dli_fname != nullptr) {
    const fs::path library = fs::absolute(info.dli_fname, ignored).parent_path();
    for (const char* const up : {"../bin", "../../bin"}) folders.push_back(library / up);
  }
  for (const fs::path& folder : folders) {
    if (fs::is_regular_file(folder / "pileus", ignored))
      return (folder / "pileus").lexically_normal().string();
  }
  return "pileus";
}

void JointStarts::start(const std::vector<std::string>& readers) {
  for (const std::string& reader : readers) {
    {
      const std::lock_guard lock(mutex_);
      const auto [command, is_new] = running_.try_emplace(reader);
      if (!is_new) command->second.is_due_again = true;
      if (!is_new) continue;
    }
    submit(reader);
  }
}

void JointStarts::submit(const std::string& reader) {
  writers_.submit([this, reader] {
    try {
      const std::string command = quoted_word(path_of_tool()) + " join " + quoted_word(job_.configuration) +
                                  " --quiet --wait " + std::to_string(kPatience_s) + " --component " +
                                  quoted_word(reader) + " --directory";
      const Processes::Number process = processes_.start(command, job_.directory, {});
      const std::lock_guard lock(mutex_);
      running_.at(reader).process = process;
    } catch (...) {
      ended(reader, text_of_current_exception());
    }
  });
}

void JointStarts::end(const std::vector<std::string>& readers) {
  {
    const std::lock_guard lock(mutex_);
    ++notes_;
  }
  writers_.submit([this, readers] {
    try {
      RunNote note = job_.note;
      note.has_ended = true;
      write_run_note(files_, {job_.directory, job_.component}, note);
    } catch (...) {
      failed_("components that read its files do not learn of the end of this one: " +
              text_of_current_exception());
    }
    start(readers);
    const std::lock_guard lock(mutex_);
    --notes_;
  });
}

bool JointStarts::poll() {
  std::map<std::string, std::string> done;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [reader, command] : running_) {
      if (command.process < 0) continue;
      if (const auto how = processes_.ended(command.process)) done.emplace(reader, *how);
    }
  }
  for (const auto& [reader, how] : done) ended(reader, how);
  return !done.empty();
}

void JointStarts::ended(const std::string& reader, const std::string& how) {
  if (!how.empty()) {
    failed_("component " + reader + ", which is made of files of this one: pileus join: " + how +
            "; what lacks is made when it is called again");
  }
  {
    const std::lock_guard lock(mutex_);
    const auto command = running_.find(reader);
    const bool is_due_again = command->second.is_due_again;
    running_.erase(command);
    if (!is_due_again) return;
    running_.try_emplace(reader);
  }
  submit(reader);
}

bool JointStarts::is_idle() const {
  const std::lock_guard lock(mutex_);
  return running_.empty() && notes_ == 0;
}

void JointStarts::tell_waits(Waits& waits) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [reader, command] : running_) {
    std::string text = "pileus join for component " + reader + " has not ended";
    if (command.process >= 0) text += " (process " + std::to_string(command.process) + ")";
    waits.add(Waits::About::commands, {"component " + reader, {command.process}, std::move(text)});
  }
}

}  // namespace pileus
