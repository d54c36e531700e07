#pragma once
// What is wrong with the number and the times of a step that a model is about to begin.

#include <cstdint>
#include <optional>
#include <string>

#include "client/call_order.h"
#include "core/step.h"

namespace pileus {

/// The largest index of a step.
inline constexpr std::int64_t kLastStep = std::int64_t{1} << 62;

/// `before`: the step before, null where it is the first one. `continued`: the step after which this run goes
/// on, if it goes on. Errors: UsageError with the call and what is wrong.
void require_step(Call call, const Step& step, const Step* before,
                  const std::optional<std::int64_t>& continued);

/// Times that are allowed and rarely meant, for a warning; "" if there is nothing to say. `before` as above.
std::string strange_times(const Step& step, const Step* before);

}  // namespace pileus
