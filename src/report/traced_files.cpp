#include "report/traced_files.h"

namespace pileus {
namespace {

/// From its making to its end.
class DiskSpan {
 public:
  DiskSpan(Trace& trace, const char* name, const std::string& path)
      : trace_(trace), name_(name), path_(path) {}
  ~DiskSpan() { trace_.span("disk", name_, began_, Trace::Clock::now(), path_); }
  DiskSpan(const DiskSpan&) = delete;
  DiskSpan& operator=(const DiskSpan&) = delete;

 private:
  Trace& trace_;
  const char* name_;
  const std::string& path_;
  Trace::Clock::time_point began_ = Trace::Clock::now();
};

class TracedParts : public PartFile {
 public:
  TracedParts(std::unique_ptr<PartFile> inner, std::string path, Trace& trace)
      : inner_(std::move(inner)), path_(std::move(path)), trace_(trace) {}

  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    const DiskSpan span(trace_, "write", path_);
    inner_->write_at(offset, bytes);
  }
  void write_pieces_at(std::uint64_t offset, std::span<const std::span<const std::byte>> pieces) override {
    const DiskSpan span(trace_, "write", path_);
    inner_->write_pieces_at(offset, pieces);
  }
  void sync() override {
    const DiskSpan span(trace_, "sync", path_);
    inner_->sync();
  }

 private:
  std::unique_ptr<PartFile> inner_;
  std::string path_;
  Trace& trace_;
};

class TracedFiles : public FileSystem {
 public:
  TracedFiles(FileSystem& inner, Trace& trace) : inner_(inner), trace_(trace) {}

  void write_whole(const std::string& path, std::span<const std::byte> bytes) override {
    const DiskSpan span(trace_, "write whole", path);
    inner_.write_whole(path, bytes);
  }
  void append_lines(const std::string& path, std::string_view lines) override {
    const DiskSpan span(trace_, "append lines", path);
    inner_.append_lines(path, lines);
  }
  Bytes read_whole(const std::string& path) override { return inner_.read_whole(path); }
  void make_directory(const std::string& path) override { inner_.make_directory(path); }
  void rename_directory(const std::string& path, const std::string& final_name) override {
    const DiskSpan span(trace_, "publish", final_name);
    inner_.rename_directory(path, final_name);
  }
  std::vector<std::string> list(const std::string& directory) override { return inner_.list(directory); }
  void remove_directory(const std::string& path) override { inner_.remove_directory(path); }
  void sync_directory(const std::string& path) override {
    const DiskSpan span(trace_, "sync", path);
    inner_.sync_directory(path);
  }
  std::unique_ptr<ScratchFile> open_scratch(const std::string& directory) override {
    return inner_.open_scratch(directory);
  }
  std::unique_ptr<PartFile> open_parts(const std::string& path) override {
    return std::make_unique<TracedParts>(inner_.open_parts(path), path, trace_);
  }
  std::unique_ptr<SourceFile> open_source(const std::string& path) override {
    return inner_.open_source(path);
  }
  void reserve(const std::string& path, std::uint64_t first, std::uint64_t length) override {
    const DiskSpan span(trace_, "reserve", path);
    inner_.reserve(path, first, length);
  }
  void give_back(const std::string& path, std::uint64_t first, std::uint64_t length) override {
    const DiskSpan span(trace_, "give back", path);
    inner_.give_back(path, first, length);
  }
  void publish(const std::string& temporary, const std::string& final_name, bool replace) override {
    const DiskSpan span(trace_, "publish", final_name);
    inner_.publish(temporary, final_name, replace);
  }
  void remove(const std::string& path) override { inner_.remove(path); }
  bool exists(const std::string& path) override { return inner_.exists(path); }
  bool bears_positioned_writes(const std::string& directory) override {
    return inner_.bears_positioned_writes(directory);
  }

 private:
  FileSystem& inner_;
  Trace& trace_;
};

}  // namespace

std::unique_ptr<FileSystem> make_traced_files(FileSystem& files, Trace& trace) {
  return std::make_unique<TracedFiles>(files, trace);
}

}  // namespace pileus
