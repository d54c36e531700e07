// median, percentile_05 and so on: of the samples that stand for some of the window, each by itself.

#include "time/manipulations/list.h"
#include "time/percentiles/percentile_window.h"

namespace pileus {
namespace {

template <int kPercent>
std::unique_ptr<Window> make_percentile(bool, std::optional<double> missing) {
  return std::make_unique<PercentileWindow>(kPercent / 100.0, missing);
}

std::uint64_t element_bytes() { return PercentileWindow::kElementBytes; }

template <int kPercent>
ManipulationDeclaration declared(const char* name, const char* help, const char* cell_method = nullptr) {
  return {
      .name = name,
      .help = help,
      .cell_method = cell_method,
      .record_of = RecordOf::output_period,
      .keeps_type = false,
      .make_window = make_percentile<kPercent>,
      .element_bytes = element_bytes,
      .note =
          "exact of up to 128 samples; of more the middle of one of at most 128 classes by first bits: "
          "within (r + 1) / 128 of itself where samples of one sign differ by a factor of 2^r, (r + 1) / 64 "
          "with "
          "both signs, and within 1/127 of their range between two powers of 2",
      .origin = UnitOrigin::kept,
  };
}

}  // namespace

const ManipulationDeclaration& manipulations::median() {
  static const ManipulationDeclaration declaration =
      declared<50>("median", "Median of the samples that stand for some of the output period.", "median");
  return declaration;
}

#define PILEUS_PERCENTILE(percent, number)                                                               \
  const ManipulationDeclaration& manipulations::percentile_##percent() {                                 \
    static const ManipulationDeclaration declaration = declared<number>(                                 \
        "percentile_" #percent,                                                                          \
        "Percentile of the samples that stand for some of the output period: " #number " % are below."); \
    return declaration;                                                                                  \
  }
PILEUS_PERCENTILE(01, 1)
PILEUS_PERCENTILE(05, 5)
PILEUS_PERCENTILE(10, 10)
PILEUS_PERCENTILE(25, 25)
PILEUS_PERCENTILE(75, 75)
PILEUS_PERCENTILE(90, 90)
PILEUS_PERCENTILE(95, 95)
PILEUS_PERCENTILE(99, 99)
#undef PILEUS_PERCENTILE

}  // namespace pileus
