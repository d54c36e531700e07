#include "time/window.h"

namespace pileus {

std::unique_ptr<Window> make_window(Manipulation manipulation, bool is_exact, std::optional<double> missing) {
  switch (manipulation) {
    case Manipulation::instantaneous:
    case Manipulation::none: return make_last_sample(missing);
    case Manipulation::averaged:
      return is_exact ? make_exact_average(missing) : make_running_average(missing);
    case Manipulation::accumulated:
      return is_exact ? make_exact_integral(missing) : make_running_integral(missing);
    case Manipulation::minimum: return make_minimum(missing);
    case Manipulation::maximum: return make_maximum(missing);
    case Manipulation::variance:
      return is_exact ? make_exact_variance(missing) : make_running_variance(missing);
  }
  return nullptr;
}

}  // namespace pileus
