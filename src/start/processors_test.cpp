#include "start/processors.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <set>

#include "core/testing/temporary_directory.h"
#include "core/usable_cores.h"

namespace pileus {
namespace {

using Processors = std::vector<std::int64_t>;

/// A machine as Linux shows it: sockets of domains of cores of threads. Cores are numbered socket by socket;
/// the second thread of core 3 of 16 is processor 19.
struct Machine {
  std::int64_t sockets = 1, domains = 1, cores = 1, threads = 1;  ///< of one of the larger each

  std::int64_t all_cores() const { return sockets * domains * cores; }
  std::int64_t size() const { return all_cores() * threads; }
  std::int64_t core_of(std::int64_t processor) const { return processor % all_cores(); }
  std::int64_t numa_of(std::int64_t processor) const { return core_of(processor) / cores; }
  std::int64_t socket_of(std::int64_t processor) const { return numa_of(processor) / domains; }
};

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text << "\n";
}

std::string list(const Processors& processors) {
  std::string text;
  for (const std::int64_t one : processors) text += (text.empty() ? "" : ",") + std::to_string(one);
  return text;
}

/// The files of the machine, without what the system leaves out of processors that are not online.
void write_files(const Machine& machine, const std::filesystem::path& system,
                 const std::set<std::int64_t>& off) {
  std::vector<Processors> of_core(machine.all_cores()), of_domain(machine.sockets * machine.domains);
  Processors online;
  for (std::int64_t one = 0; one < machine.size(); ++one) {
    if (off.contains(one)) continue;
    online.push_back(one);
    of_core[machine.core_of(one)].push_back(one);
    of_domain[machine.numa_of(one)].push_back(one);
  }
  write(system / "cpu" / "online", list(online));
  for (const std::int64_t one : online) {
    const auto topology = system / "cpu" / ("cpu" + std::to_string(one)) / "topology";
    write(topology / "physical_package_id", std::to_string(machine.socket_of(one)));
    write(topology / "thread_siblings_list", list(of_core[machine.core_of(one)]));
  }
  for (std::size_t domain = 0; domain < of_domain.size(); ++domain)
    write(system / "node" / ("node" + std::to_string(domain)) / "cpulist", list(of_domain[domain]));
  write(system / "node" / ("node" + std::to_string(of_domain.size())) / "cpulist", "");  // memory alone
  write(system / "node" / "online", "0");
}

template <class Of>
std::int64_t agreed(const Processors& processors, Of of) {
  std::set<std::int64_t> all;
  for (const std::int64_t one : processors) all.insert(of(one));
  return all.size() == 1 ? *all.begin() : kUnknown;
}

TEST(ProcessorList, is_read_as_linux_writes_it) {
  EXPECT_EQ(read_processor_list("0-3,8,10-11\n"), (Processors{0, 1, 2, 3, 8, 10, 11}));
  EXPECT_EQ(read_processor_list("7"), Processors{7});
  EXPECT_EQ(read_processor_list("\n"), Processors{});
  EXPECT_EQ(read_processor_list(""), Processors{});
}

TEST(ProcessorList, is_none_where_it_makes_no_sense) {
  for (const char* text : {"x", "1-", "-1", "3-1", "1,,2", "1,", ",1", "1 2", "0x3", "2,1", "1,1", "0-3,2",
                           "99999999999999999999", "0-99999999", "1-2-3", "+1"})
    EXPECT_EQ(read_processor_list(text), std::nullopt) << text;
}

TEST(PlaceOf, processors_is_where_all_of_them_lie) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const auto from_one = [&](unsigned most) { return static_cast<std::int64_t>(1 + random() % most); };
    const Machine machine{from_one(3), from_one(3), from_one(4), from_one(2)};
    const testing::TemporaryDirectory folder(testing::fast_directory());
    std::set<std::int64_t> off;
    for (std::int64_t one = 1; one < machine.size(); ++one)
      if (random() % 5 == 0) off.insert(one);
    write_files(machine, folder.path(), off);
    for (int repeat = 0; repeat < 8; ++repeat) {
      Processors mine;
      const std::int64_t most = from_one(static_cast<unsigned>(machine.size()));
      for (std::int64_t one = machine.size() - most; one < machine.size(); ++one)
        if (!off.contains(one) && random() % 3 > 0) mine.push_back(one);
      if (mine.empty()) continue;

      const RankPlace place = place_of(mine, folder.path());

      EXPECT_EQ(place.socket, agreed(mine, [&](auto one) { return machine.socket_of(one); })) << seed;
      EXPECT_EQ(place.numa, agreed(mine, [&](auto one) { return machine.numa_of(one); })) << seed;
      const bool is_bound = static_cast<std::int64_t>(mine.size() + off.size()) < machine.size();
      EXPECT_EQ(place.is_bound, is_bound) << seed;
      const std::int64_t core = agreed(mine, [&](auto one) { return machine.core_of(one); });
      EXPECT_EQ(place.core == kUnknown, !is_bound || core == kUnknown) << seed;
      if (place.core != kUnknown) {
        EXPECT_EQ(machine.core_of(place.core), core) << seed;
        EXPECT_LE(place.core, mine.front()) << seed;
      }
      EXPECT_EQ(place.processor, is_bound && mine.size() == 1 ? mine.front() : kUnknown) << seed;
    }
  }
}

TEST(PlaceOf, both_hyper_threads_of_a_core_is_that_core) {
  const testing::TemporaryDirectory folder(testing::fast_directory());
  write_files({.cores = 2, .threads = 2}, folder.path(), {});  // cores 0, 2 and 1, 3

  EXPECT_EQ(place_of(Processors{1, 3}, folder.path()).core, 1);
  EXPECT_EQ(place_of(Processors{3}, folder.path()).core, 1);
  EXPECT_EQ(place_of(Processors{3}, folder.path()).processor, 3);
  EXPECT_EQ(place_of(Processors{0, 3}, folder.path()).core, kUnknown);
}

TEST(PlaceOf, any_processor_is_not_bound) {
  const testing::TemporaryDirectory folder(testing::fast_directory());
  write_files({.cores = 2}, folder.path(), {});

  EXPECT_EQ(place_of(Processors{0, 1}, folder.path()), (RankPlace{.socket = 0, .numa = 0}));
}

TEST(PlaceOf, processors_without_files_is_nowhere) {
  const testing::TemporaryDirectory folder(testing::fast_directory());

  EXPECT_EQ(place_of(Processors{0, 1}, folder.path()), RankPlace{});
  EXPECT_EQ(place_of({}, folder.path()), RankPlace{});
}

TEST(PlaceOf, each_file_that_is_missing_or_nonsense_takes_away_what_it_says_alone) {
  const std::string topology = "cpu/cpu1/topology/";
  const RankPlace whole{.socket = 0, .numa = 0, .core = 1, .processor = 1, .is_bound = true};
  RankPlace no_socket = whole, no_core = whole, no_domain = whole, unbound = whole;
  no_socket.socket = no_core.core = no_domain.numa = unbound.core = unbound.processor = kUnknown;
  unbound.is_bound = false;
  const std::vector<std::pair<std::string, RankPlace>> files = {{topology + "physical_package_id", no_socket},
                                                                {topology + "thread_siblings_list", no_core},
                                                                {"node/node0/cpulist", no_domain},
                                                                {"cpu/online", unbound}};
  for (const auto& [name, expected] : files) {
    for (const char* text : {"", "-1", "one", "\xff\xfe", "99999999999999999999"}) {
      const testing::TemporaryDirectory folder(testing::fast_directory());
      write_files({.cores = 2}, folder.path(), {});
      ASSERT_EQ(place_of(Processors{1}, folder.path()), whole);
      std::ofstream(folder.path(name)) << text;

      EXPECT_EQ(place_of(Processors{1}, folder.path()), expected) << name << ": " << text;
    }
    const testing::TemporaryDirectory folder(testing::fast_directory());
    write_files({.cores = 2}, folder.path(), {});
    std::filesystem::remove(folder.path(name));
    EXPECT_EQ(place_of(Processors{1}, folder.path()), expected) << name;
  }
}

TEST(PlaceOf, this_process_makes_sense_on_this_machine) {
  const std::vector<std::int64_t> mine = usable_cores().numbers;
  ASSERT_FALSE(mine.empty());

  const RankPlace place = place_of(std::vector{mine.front()});

  EXPECT_LE(place.core, mine.front());
  EXPECT_EQ(place.processor, place.is_bound ? mine.front() : kUnknown);
}

}  // namespace
}  // namespace pileus
