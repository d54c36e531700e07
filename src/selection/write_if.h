#pragma once

namespace pileus {

/// When a record is written: if it is further from the last one that was.
struct WriteIf {
  bool is_largest = false;      ///< the largest difference counts; else the root of the mean of squares
  bool is_relative = false;     ///< to the same of the record that was written
  double most = 0;              ///< up to which the other stands for it
  double at_least_every_s = 0;  ///< of the model's time; 0: never for that reason
  bool is_per_chunk = false;    ///< each chunk of the file is written or not, whatever the others are
  friend bool operator==(const WriteIf&, const WriteIf&) = default;
};

}  // namespace pileus
