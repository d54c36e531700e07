#pragma once
// The steps that a sweep does on every tile: for what is wanted in one step of the model, in an order that
// leaves few results on the way alive at a time.

#include <cstdint>
#include <optional>
#include <vector>

#include "sweeps/sweep_nodes.h"

namespace pileus {

/// Of one node: what is reduced of it.
struct SweepDemand {
  NodeIndex node = 0;
  bool is_summed = false, has_extremes = false;
  bool has_moments = false;  ///< of a product: the sums of its operands and of exact products are wanted
  friend bool operator==(const SweepDemand&, const SweepDemand&) = default;
};

/// Where a tile's numbers lie: in the field of an input, or in a register.
struct SweepPlace {
  bool is_field = false;
  std::uint32_t index = 0;  ///< of fields, or of registers
};

struct SweepStep {
  NodeIndex node = 0;
  SweepPlace left, right;
  std::optional<std::uint32_t> register_of_result = {};
  std::optional<std::uint32_t> sum = {};      ///< which of the sums takes it
  std::optional<std::uint32_t> range = {};    ///< which of the ranges takes it
  std::optional<std::uint32_t> moments = {};  ///< which of the moments takes its operands
};

struct SweepProgram {
  std::vector<ValueId> fields;
  std::vector<NodeIndex> field_nodes;  ///< likewise
  std::vector<bool> have_extremes;     ///< likewise; of others only magnitudes are wanted
  std::vector<NodeIndex> nodes;        ///< all that it needs, operands first
  std::vector<SweepStep> steps;
  std::vector<std::pair<std::uint32_t, double>> constants;  ///< and the registers that hold them
  std::uint32_t registers = 0;
  std::vector<NodeIndex> sums;
  std::vector<NodeIndex> moments;
  /// Those of the fields first, in their order: they say what is exact.
  std::vector<NodeIndex> ranges;
};

SweepProgram make_sweep_program(const SweepNodes& nodes, const std::vector<SweepDemand>& demands);

}  // namespace pileus
