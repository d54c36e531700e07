// Takes any bytes as the registration of a model rank, and makes a Plan from it and that of a rank that is
// right.

#include "core/error.h"
#include "tests/fuzz/target.h"

namespace pileus::testing {

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  const ModelRanks model = small_run().model;
  for (std::size_t rank = 0; rank < model.size(); ++rank) {
    Bytes bytes;
    Encoder out(bytes);
    model[rank].encode(out);
    all.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return all;
}

std::vector<std::string> words() { return {}; }

}  // namespace pileus::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pileus::RunDescription run = pileus::testing::small_run();
  pileus::Findings findings;
  try {
    pileus::Decoder in(std::as_bytes(std::span(data, size)));
    const pileus::RankDescription right = run.model[0];
    run.model = {};
    run.model.add(right);
    run.model.add(pileus::RankDescription::decode(in));
    plan_run(run, 2, findings);
  } catch (const pileus::ConfigError&) {
  } catch (const pileus::TransportError&) {
  }
  return 0;
}
