#pragma once
// Published things as bytes, whether they are files or folders of files.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "formats/netcdf/input_file.h"

namespace pileus::testing {

/// What readers find in a file that refers to those of servers, whose bytes follow from the layout.
inline std::string values_in(const std::filesystem::path& path) {
  const netcdf::InputFile file(path);
  std::vector<std::string> names = file.variables();
  std::ranges::sort(names);
  std::string all = file.text("", "missing_parts") + "\n";
  for (const std::string& name : names) {
    all += name + "(";
    std::size_t size = 1;
    for (const std::string& dimension : file.dimension_names(name)) all += dimension + " ";
    for (const Index length : file.shape(name)) {
      all += std::to_string(length) + " ";
      size *= static_cast<std::size_t>(length);
    }
    all += ") units " + file.text(name, "units") + ": ";
    const auto type = file.type(name);
    if (!type || size == 0) continue;
    std::vector<std::byte> bytes(size * size_bytes(*type));
    file.read(name, -1, bytes);
    all.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return all;
}

/// Of a folder: the names of its files, each with what it holds.
inline std::string published_bytes(const std::filesystem::path& path) {
  const auto content = [](const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  if (!std::filesystem::is_directory(path)) {
    std::string bytes = content(path);
    return bytes.find(".parts/") == bytes.npos ? bytes : values_in(path);
  }
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) names.insert(std::filesystem::relative(entry.path(), path));
  }
  std::string all;
  for (const std::string& name : names) all += name + "\n" + content(path / name) + "\n";
  return all;
}

/// Files are published, and folders that are called so; in the folder of a run there is one for checkpoints.
inline bool may_be_published(const std::filesystem::directory_entry& entry) {
  return entry.is_regular_file() || entry.path().filename().string().find(".zarr") != std::string::npos;
}

/// A configuration whose files are NetCDF, with stores of Zarr in their place.
inline std::string with_stores(std::string text) {
  const auto replace_all = [&](const std::string& what, const std::string& by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
      text.replace(at, what.size(), by);
  };
  replace_all(".nc\"", ".zarr\"");
  replace_all("deflate=", "zstd=");
  return text;
}

/// An include of ContinuedOutput that other formats have no place for.
inline constexpr const char* kApart =
    R"(<include field="w" name="apart" time_manipulation="none" per="chunk" write_if="max 3"/>)";

/// Likewise, with files of GRIB, whose fields have planes and parameters.
inline std::string with_messages(std::string text) {
  const auto replace_all = [&](const std::string& what, const std::string& by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
      text.replace(at, what.size(), by);
  };
  replace_all(".nc\"", ".grib2\"");
  replace_all("deflate=\"1\"", "bits_per_value=\"11\"");
  replace_all(" write_if=\"rms relative 0.5\" at_least_every=\"7 s\"", "");
  replace_all(" write_if=\"max 1e99\"", "");
  replace_all(kApart, "");
  replace_all("<include field=\"dt\" time_manipulation=\"none\"/>", "");
  replace_all("<io-configuration>", "<io-configuration><time epoch=\"2001-12-31\"/>");
  replace_all("size=\"z,y,x\"", "size=\"z,y,x\" grib=\"wz\"");
  replace_all("size=\"y,x\"", "size=\"y,x\" grib=\"0.192.1\"");
  replace_all("<diagnostic field=\"w_anomaly\"", "<diagnostic field=\"w_anomaly\" grib=\"0.192.2\"");
  return text;
}

/// Likewise, with a file for each server.
inline std::string with_parts(std::string text) {
  const auto replace_all = [&](const std::string& what, const std::string& by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
      text.replace(at, what.size(), by);
  };
  replace_all("<file name=", "<file parts=\"server\" name=");
  replace_all(" write_if=\"rms relative 0.5\" at_least_every=\"7 s\"", "");
  replace_all(" write_if=\"max 1e99\"", "");
  replace_all(kApart, "");
  return text;
}

/// Likewise, with files that two servers write.
inline std::string with_writers(std::string text) {
  const std::string what = "<file name=", by = "<file writers=\"2\" name=";
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

/// In the format of this name.
inline std::string in_format(const std::string& format, const std::string& text) {
  if (format == "parts") return with_parts(text);
  if (format == "writers") return with_writers(text);
  if (format == "zarr_writers") return with_writers(with_stores(text));
  return format == "zarr" ? with_stores(text) : format == "grib2" ? with_messages(text) : text;
}

}  // namespace pileus::testing
