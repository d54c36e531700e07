// The functions that bench/objects.py, shells.py and tracks.py call.

#include "measured_operator.h"

using pileus::operators::Index;

/// label[dimensions](w). Returns nanoseconds.
extern "C" double bench_label_ns(const char* dimensions, Index nx, Index ny, Index nz, const double* field,
                                 double* out) {
  return pileus::bench::measured_ns(
      "label", {{"dimensions", dimensions}, {"periodic", ""}, {"corners", "false"}, {"of", "label"}},
      {nx, ny, nz}, field, out);
}

/// shell[dimensions](w, within). Returns nanoseconds.
extern "C" double bench_shell_ns(const char* dimensions, const char* within, Index nx, Index ny, Index nz,
                                 const double* field, double* out) {
  return pileus::bench::measured_ns(
      "shell", {{"dimensions", dimensions}, {"periodic", ""}, {"corners", "false"}, {"within", within}},
      {nx, ny, nz}, field, out);
}

/// track[dimensions](w) of `steps` fields, one behind the other. Returns nanoseconds.
extern "C" double bench_track_ns(const char* dimensions, Index nx, Index ny, Index nz, Index steps,
                                 const double* fields, double* out) {
  using namespace pileus::operators;
  const Prepared prepared = pileus::bench::prepared_for(
      "track", {{"dimensions", dimensions}, {"periodic", ""}, {"corners", "false"}, {"of", "identity"}},
      {nx, ny, nz});
  const Region whole{{0, 0, 0}, {nx, ny, nz}};
  std::shared_ptr<const void> known;
  const double start = pileus::bench::thread_ns();
  for (Index s = 0; s < steps; ++s) {
    const std::vector<Part> inputs = {{Type::float64, fields + s * whole.size(), whole}};
    known = prepared.followed->follow(known.get(), {s, static_cast<double>(s)}, inputs);
    prepared.followed->compute(known.get(), inputs, {Type::float64, out + s * whole.size(), whole});
  }
  return pileus::bench::thread_ns() - start;
}
