#include "time/window.h"

namespace pileus {

std::unique_ptr<Window> make_window(Manipulation manipulation, bool is_exact, std::optional<double> missing) {
  switch (manipulation) {
    case Manipulation::instantaneous:
    case Manipulation::none: return make_last_sample(missing);
    case Manipulation::averaged:
      return is_exact ? make_exact_average(missing) : make_running_average(missing);
  }
  return nullptr;
}

}  // namespace pileus
