#include "core/usable_cores.h"

#include <gtest/gtest.h>
#include <sched.h>

namespace pileus {
namespace {

TEST(UsableCores, are_those_that_the_system_lets_the_process_use) {
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  int first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  const CoreSet before = usable_cores();

  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const CoreSet bound = usable_cores();
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);

  EXPECT_EQ(before.count, CPU_COUNT(&all));
  EXPECT_EQ(bound.count, 1);
  EXPECT_EQ(bound.identity == before.identity, before.count == 1);
  EXPECT_EQ(usable_cores().identity, before.identity);
}

}  // namespace
}  // namespace pileus
