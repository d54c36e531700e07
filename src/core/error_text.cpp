#include "core/error_text.h"

#include <exception>
#include <new>

namespace pileus {

std::string text_of_current_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return "not enough memory";
  } catch (const std::exception& error) {
    const std::string text = error.what();
    return text.empty() ? "an exception without a text" : text;
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

}  // namespace pileus
