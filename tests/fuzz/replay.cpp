// The main program of a fuzz target where there is no libFuzzer: runs it over its seeds, the files of the
// corpora that are named, and mutations of all of them; a crash or an exception that is not meant ends it.
//   NAME_replay [MUTATIONS] [FILE_OR_DIRECTORY…]
//   NAME_replay --write-seeds DIRECTORY
//   NAME_replay --write-words FILE      a dictionary for libFuzzer

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "exec/seeded_random.h"
#include "tests/fuzz/target.h"

namespace pileus::testing {
namespace {

std::string current;  ///< input under test, to be shown if it ends the program

void run(const std::string& input) {
  current = input;
  try {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  } catch (const std::exception& error) {
    std::ofstream("crash-replay", std::ios::binary) << current;
    std::fprintf(stderr, "an exception that is not meant: %s; its input is in crash-replay\n", error.what());
    std::exit(1);
  }
}

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> inputs(int count, char** arguments) {
  std::vector<std::string> all = seeds();
  for (int i = 0; i < count; ++i) {
    if (!std::filesystem::is_directory(arguments[i])) {
      all.push_back(read(arguments[i]));
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(arguments[i]))
      if (entry.is_regular_file()) all.push_back(read(entry.path()));
  }
  return all;
}

/// Changes, removes or doubles a few bytes, or takes some from the words or another input.
std::string mutated(std::string input, const std::vector<std::string>& others, SeededRandom& random) {
  static const std::vector<std::string> known = words();
  for (auto changes = 1 + random.below(4); changes > 0 && !input.empty(); --changes) {
    const std::size_t at = random.below(input.size());
    switch (random.below(known.empty() ? 5 : 6)) {
      case 0: input[at] = static_cast<char>(random.below(256)); break;
      case 1: input[at] = static_cast<char>(input[at] ^ (1 << random.below(8))); break;
      case 2: input.erase(at, 1 + random.below(8)); break;
      case 3: input.insert(at, input.substr(at, 1 + random.below(16))); break;
      case 5: input.insert(at, known[random.below(known.size())]); break;
      default: {
        const std::string& other = others[random.below(others.size())];
        input.resize(at);
        if (!other.empty()) input += other.substr(random.below(other.size()));
      }
    }
  }
  return input;
}

int write_seeds(const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  int number = 0;
  for (const std::string& seed : seeds())
    std::ofstream(directory / ("seed-" + std::to_string(number++)), std::ios::binary) << seed;
  return 0;
}

/// Writes a word on each line; \, " and all but printable ASCII are written as \xAB.
int write_words(const std::filesystem::path& file) {
  std::ofstream out(file, std::ios::binary);
  for (const std::string& word : words()) {
    out << '"';
    for (const char c : word) {
      const bool is_plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\x%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
      out << (is_plain ? std::string(1, c) : escaped);
    }
    out << "\"\n";
  }
  return out ? 0 : 1;
}

}  // namespace
}  // namespace pileus::testing

int main(int argc, char** argv) {
  using namespace pileus::testing;
  if (argc == 3 && std::string(argv[1]) == "--write-seeds") return write_seeds(argv[2]);
  if (argc == 3 && std::string(argv[1]) == "--write-words") return write_words(argv[2]);
  const long mutations = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 0;
  const std::vector<std::string> all = inputs(std::max(argc - 2, 0), argv + 2);
  pileus::SeededRandom random(1);
  for (const std::string& input : all) run(input);
  for (const std::string& input : seeds()) {
    for (std::size_t length = 0; length < std::min<std::size_t>(input.size(), 200); ++length)
      run(input.substr(0, length));
  }
  for (long i = 0; i < mutations; ++i) run(mutated(all[random.below(all.size())], all, random));
  std::printf("%zu inputs and %ld mutations: nothing but errors that are meant\n", all.size(), mutations);
}
