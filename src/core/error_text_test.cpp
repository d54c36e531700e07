#include "core/error_text.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

namespace pileus {
namespace {

template <class Thrown>
std::string text_of(const Thrown& thrown) {
  try {
    throw thrown;
  } catch (...) {
    return text_of_current_exception();
  }
}

/// A text that is empty stands for success in many places.
TEST(TextOfException, is_there_for_every_type) {
  EXPECT_EQ(text_of(std::runtime_error("it rains")), "it rains");
  EXPECT_EQ(text_of(std::runtime_error("")), "an exception without a text");
  EXPECT_EQ(text_of(std::bad_alloc()), "not enough memory");
  EXPECT_EQ(text_of(7), "an exception that is no std::exception");
}

}  // namespace
}  // namespace pileus
