#pragma once
// The disk of several hosts, which at a kill keeps only what was synced by the host that wrote it: names that
// were not synced are gone, files are what they were at the last sync of each writer. For tests of what
// survives; one machine cannot show it otherwise. What the file library writes past this counts as written
// by the host that reserved space for the file. One thread.

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "disk/passing_files.h"

namespace pileus::testing {

class DroppingDisk {
 public:
  using Host = unsigned;

  /// Its hand on the disk. Lives as long as the disk.
  FileSystem& of_host(Host host) {
    auto& hand = hosts_[host];
    if (!hand) hand = std::make_unique<HostFiles>(*this, host);
    return *hand;
  }

  /// All hosts lose power.
  void kill() {
    for (auto& [path, file] : files_) {
      if (!file.has_name) {
        std::filesystem::remove(path);
        continue;
      }
      std::ofstream(path, std::ios::binary)
          .write(reinterpret_cast<const char*>(file.on_disk.data()), std::ssize(file.on_disk));
      file.unsynced.clear();
    }
    std::erase_if(files_, [](const auto& file) { return !file.second.has_name; });
  }

 private:
  struct Extent {
    std::uint64_t offset = 0;
    std::size_t length = 0;
  };
  struct File {
    Bytes on_disk;
    bool has_name = false;
    Host maker = 0;  ///< whose library writes it
    std::map<Host, std::vector<Extent>> unsynced;
  };

  static Bytes content(const std::string& path) {
    Bytes bytes(std::filesystem::file_size(path));
    std::ifstream(path, std::ios::binary).read(reinterpret_cast<char*>(bytes.data()), std::ssize(bytes));
    return bytes;
  }

  void sync(const std::string& path, Host host) {
    const auto found = files_.find(path);
    if (found == files_.end()) return;
    File& file = found->second;
    const Bytes now = content(path);
    Bytes disk = file.on_disk;
    if (host == file.maker) {
      disk = now;
      for (const auto& [other, extents] : file.unsynced) {
        if (other == host) continue;
        for (const Extent& extent : extents) copy(file.on_disk, disk, extent);
      }
    } else {
      disk.resize(std::max(disk.size(), now.size()));
      for (const Extent& extent : file.unsynced[host]) copy(now, disk, extent);
    }
    file.on_disk = std::move(disk);
    file.unsynced.erase(host);
  }
  /// What lies beyond the end of `from` is zero.
  static void copy(const Bytes& from, Bytes& to, const Extent& extent) {
    if (extent.offset >= to.size()) return;
    const std::size_t length = std::min<std::size_t>(extent.length, to.size() - extent.offset);
    Bytes bytes(length);
    if (extent.offset < from.size())
      std::memcpy(bytes.data(), from.data() + extent.offset, std::min(length, from.size() - extent.offset));
    std::memcpy(to.data() + extent.offset, bytes.data(), length);
  }

  class HostFiles : public PassingFiles {
   public:
    HostFiles(DroppingDisk& disk, Host host) : disk_(disk), host_(host) {}

    std::unique_ptr<PartFile> open_parts(const std::string& path) override {
      return std::make_unique<Hand>(disk_, host_, path, PassingFiles::open_parts(path));
    }
    void reserve(const std::string& path, std::uint64_t first, std::uint64_t length) override {
      disk_.files_[path].maker = host_;
      PassingFiles::reserve(path, first, length);
    }
    void publish(const std::string& temporary, const std::string& final_name, bool replace) override {
      PassingFiles::publish(temporary, final_name, replace);
      auto node = disk_.files_.extract(temporary);
      disk_.files_.erase(final_name);
      node.key() = final_name;
      File& file = disk_.files_.insert(std::move(node)).position->second;
      file.has_name = true;
      disk_.sync(final_name, host_);
    }
    void remove(const std::string& path) override {
      PassingFiles::remove(path);
      disk_.files_.erase(path);
    }
    void write_pieces(const std::string& path, const GiveBytes& give) override {
      PassingFiles::write_pieces(path, give);
      File& file = disk_.files_[path];
      file.maker = host_;
      disk_.sync(path, host_);
    }
    void rename_directory(const std::string& path, const std::string& final_name) override {
      sync_directory(path);
      PassingFiles::rename_directory(path, final_name);
      std::map<std::string, File> moved;
      for (auto& [name, file] : disk_.files_) {
        const bool is_inside = name.starts_with(path + "/");
        moved[is_inside ? final_name + name.substr(path.size()) : name] = std::move(file);
      }
      disk_.files_ = std::move(moved);
    }
    void remove_directory(const std::string& path) override {
      PassingFiles::remove_directory(path);
      std::erase_if(disk_.files_, [&](const auto& file) { return file.first.starts_with(path + "/"); });
    }
    void sync_directory(const std::string& path) override {
      PassingFiles::sync_directory(path);
      for (auto& [name, file] : disk_.files_) {
        if (std::filesystem::path(name).parent_path() == std::filesystem::path(path)) file.has_name = true;
      }
    }

   private:
    DroppingDisk& disk_;
    Host host_;
  };

  class Hand : public PartFile {
   public:
    Hand(DroppingDisk& disk, Host host, std::string path, std::unique_ptr<PartFile> file)
        : disk_(disk), host_(host), path_(std::move(path)), file_(std::move(file)) {}
    void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
      file_->write_at(offset, bytes);
      disk_.files_[path_].unsynced[host_].push_back({offset, bytes.size()});
    }
    void sync() override {
      file_->sync();
      disk_.sync(path_, host_);
    }

   private:
    DroppingDisk& disk_;
    Host host_;
    std::string path_;
    std::unique_ptr<PartFile> file_;
  };

  std::map<Host, std::unique_ptr<FileSystem>> hosts_;
  std::map<std::string, File> files_;
};

}  // namespace pileus::testing
