// Any text as an equation.

#include "plan/expression.h"
#include "tests/fuzz/target.h"

namespace pileus::testing {

std::vector<std::string> seeds() {
  return {"a+b",       "-x^2",          "2*(w - dt^2/3) % 4", "a*-b/--c", "1.5e-3*x_1",
          "((((a))))", "a / b / c^d^e", "1e308*1e308 - 0.1",  "ns::w + 1"};
}

}  // namespace pileus::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    pileus::planning::parse_expression({reinterpret_cast<const char*>(data), size});
  } catch (const pileus::planning::ExpressionError& error) {
    if (error.offset() > size) __builtin_trap();  // where the caret stands
  }
  return 0;
}
