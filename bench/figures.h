#pragma once
// What the benchmarks in C++ report: a table on standard output and, with --json FILE, the same figures as
// JSON. figures.py does the same for those in Python. --quick asks for a run that only shows that it works.

#include <string>
#include <vector>

namespace pileus::bench {

struct Settings {
  std::string json_file;  ///< empty: no JSON
  bool is_quick = false;
};

/// Errors: prints the usage and ends the program with status 2.
Settings read_settings(int argc, char** argv);

class Figures {
 public:
  Figures(std::string bench, Settings settings);

  /// One figure: the median of `samples`, with their quartiles as its spread. REQUIRES: there are samples.
  void add(const std::string& name, const std::string& unit, std::vector<double> samples);
  /// Prints the table and writes the JSON. Returns the exit status of the program.
  int report() const;

 private:
  struct Figure {
    std::string name, unit;
    double median = 0, first_quartile = 0, third_quartile = 0;
    std::size_t repeats = 0;
  };
  bool write_json() const;

  std::string bench_;
  Settings settings_;
  std::vector<Figure> figures_;
};

}  // namespace pileus::bench
