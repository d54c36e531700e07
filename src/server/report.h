#pragma once
// What a run was: files, and the time that the model spent in Pileus. Each server knows its part; server 0
// joins them.

#include <string>
#include <vector>

#include "client/frames.h"
#include "core/encoder.h"
#include "output/file_owner.h"

namespace pileus {

struct RunReport {
  struct Client {
    ClientRank rank = 0;
    FinishFrame end;
  };
  std::vector<Client> clients;
  std::vector<PublishedFile> files;
  std::vector<std::string> errors;
  std::vector<std::string> warnings;

  void encode(Encoder& out) const;
  static RunReport decode(Decoder& in);
  void join(RunReport other);

  /// For people: a line a file, and the model's time in Pileus.
  std::string text() const;
  std::string error_text() const;

 private:
  std::string model_text() const;
};

}  // namespace pileus
