#pragma once
// Checkpoints ask the server for what is declared here, and get the state of files through it.

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/checkpoints.h"
#include "core/error_list.h"
#include "description/run_description.h"
#include "hooks/publish_hooks.h"
#include "publishing/owner/continued_files.h"
#include "server/news.h"
#include "state/folder_lock.h"

namespace pileus {

class CheckpointCare : public CheckpointHost {
 public:
  /// REQUIRES: what is passed outlives it, but for the description.
  CheckpointCare(const RunDescription& description, const News& news, ErrorList& errors, FileSystem& files,
                 FolderLock& lock)
      : directory_(description.directory),
        run_(description.identity.id),
        component_(description.identity.component),
        news_(news),
        errors_(errors),
        files_(files),
        lock_(lock) {}

  void given_up(const std::string& text, std::int64_t step, const std::string& why) override {
    errors_.add(text);
    news_.checkpoint_failed(step, why);
  }
  void complete(const Step& step, const std::string& path) override { news_.checkpoint_complete(step, path); }
  void tidy(const std::set<std::int32_t>& referred) override {
    remove_leftovers(directory_, run_, referred, files_);
  }
  void claim() override { lock_.take({directory_, component_}, run_); }

 private:
  std::string directory_, run_, component_;
  const News& news_;
  ErrorList& errors_;
  FileSystem& files_;
  FolderLock& lock_;
};

/// The way of the state of files: it goes on when all commands that were started before have ended. A run
/// that continues does not start them again.
class StateAfterHooks : public StateSink {
 public:
  /// REQUIRES: both outlive it.
  StateAfterHooks(PublishHooks& hooks, StateSink& next) : hooks_(hooks), next_(next) {}

  void keep(std::int64_t step, std::vector<StateEntry> entries, std::string error) override {
    auto shared = std::make_shared<std::vector<StateEntry>>(std::move(entries));
    hooks_.after_those_so_far([&next = next_, step, shared, error = std::move(error)] {
      next.keep(step, std::move(*shared), error);
    });
  }

 private:
  PublishHooks& hooks_;
  StateSink& next_;
};

}  // namespace pileus
