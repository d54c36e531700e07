#include "time/static_record.h"

#include <memory>

#include "time/manipulations/last_sample.h"

namespace pileus {

Record static_record(const Plan& plan, std::size_t index, const Region& region, const Sample& sample) {
  const std::unique_ptr<Window> window = make_last_sample(true, plan[plan.statics[index].value].missing);
  window->add(sample, 0);
  Record record;
  record.variable = VariableId(index);
  record.region = region;
  record.value = window->take_record();
  return record;
}

}  // namespace pileus
