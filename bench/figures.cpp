#include "figures.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <thread>
#include <utility>

namespace pileus::bench {
namespace {

/// "Intel(R) Xeon(R) Processor, 2 cores"
std::string machine() {
  std::ifstream cpus("/proc/cpuinfo");
  std::string line, model = "unknown processor";
  while (std::getline(cpus, line)) {
    if (!line.starts_with("model name") || line.find(':') == std::string::npos) continue;
    model = line.substr(std::min(line.find(':') + 2, line.size()));
    break;
  }
  return model + ", " + std::to_string(std::thread::hardware_concurrency()) + " cores";
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

}  // namespace

Settings read_settings(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--quick") {
      settings.is_quick = true;
    } else if (argument == "--json" && i + 1 < argc) {
      settings.json_file = argv[++i];
    } else {
      std::fprintf(stderr, "unknown argument \"%s\"\nUsage: %s [--quick] [--json FILE]\n", argument.c_str(),
                   argv[0]);
      std::exit(2);
    }
  }
  return settings;
}

Figures::Figures(std::string bench, Settings settings)
    : bench_(std::move(bench)), settings_(std::move(settings)) {}

void Figures::add(const std::string& name, const std::string& unit, std::vector<double> samples) {
  std::ranges::sort(samples);
  const std::size_t n = samples.size();
  figures_.push_back({name, unit, samples[n / 2], samples[n / 4], samples[3 * n / 4], n});
}

int Figures::report() const {
  std::printf("%s on %s; median (first to third quartile)\n", bench_.c_str(), machine().c_str());
  for (const Figure& f : figures_)
    std::printf("%-44s %12.4g (%.4g to %.4g) %s, %zu repeats\n", f.name.c_str(), f.median, f.first_quartile,
                f.third_quartile, f.unit.c_str(), f.repeats);
  if (settings_.json_file.empty() || write_json()) return 0;
  std::fprintf(stderr, "cannot write %s\n", settings_.json_file.c_str());
  return 1;
}

bool Figures::write_json() const {
  std::ofstream out(settings_.json_file);
  out << std::setprecision(9) << "{\"bench\": " << quoted(bench_) << ", \"machine\": " << quoted(machine())
      << ", \"figures\": [";
  const char* separator = "\n";
  for (const Figure& f : figures_) {
    out << separator << "  {\"name\": " << quoted(f.name) << ", \"value\": " << f.median
        << ", \"unit\": " << quoted(f.unit) << ", \"spread\": [" << f.first_quartile << ", "
        << f.third_quartile << "], \"repeats\": " << f.repeats << "}";
    separator = ",\n";
  }
  out << "]}\n";
  out.close();
  return out.good();
}

}  // namespace pileus::bench
