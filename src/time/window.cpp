#include "time/window.h"

namespace pileus {

std::unique_ptr<Window> make_window(Manipulation manipulation, bool is_exact) {
  switch (manipulation) {
    case Manipulation::instantaneous:
    case Manipulation::none: return make_last_sample();
    case Manipulation::averaged: return is_exact ? make_exact_average() : make_running_average();
  }
  return nullptr;
}

}  // namespace pileus
