// A run of many model ranks and servers in virtual time. scale.py calls it, and reads the JSON that it says.
//
//   scale profiles|fields RANKS SERVERS STEPS STEP_S DIRECTORY [LETTERS FIRST_S]
//
// profiles: each rank hands over 232 profiles of 60 levels that it has summed up itself.
// fields: each rank hands over four fields of 16 x 16 columns of 60 levels; servers make 15 profiles of them.
// LETTERS: a file for what is sent, one struct Sent after the other. Then all ranks begin their first step
// FIRST_S seconds after the run, and stay in step, as a model's halo swaps would hold them.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "client/client.h"
#include "core/log.h"
#include "disk/file_system.h"
#include "formats/netcdf/netcdf_format.h"
#include "plan/plan.h"
#include "server/server.h"
#include "world.h"

namespace {

using namespace pileus;
using scale::Account;
using scale::World;

constexpr Index kLevels = 60, kSide = 16;
constexpr int kProfiles = 232, kFields = 4;
constexpr int kRecordEvery = 10;

struct Case {
  bool has_fields = false;
  ClientRank ranks = 1;
  ServerRank servers = 1;
  int steps = 1;
  double step_s = 0.1;
  std::string directory;
  std::string letters;  ///< empty: they are not recorded
  double first_s = 0;   ///< when steps begin, where letters are recorded
};

std::string field_name(const Case& c, int f) { return (c.has_fields ? "f" : "sum_") + std::to_string(f); }

/// The expression of each diagnostic.
std::vector<std::string> diagnostics(const Case& c) {
  std::vector<std::string> all;
  if (!c.has_fields) {
    for (int f = 0; f < kProfiles; ++f) all.push_back("sum(" + field_name(c, f) + ")/1024");
    return all;
  }
  for (int f = 0; f < kFields; ++f) {
    for (const char* kind : {"mean", "var", "max"})
      all.push_back(std::string(kind) + "[y,x](" + field_name(c, f) + ")");
  }
  for (int f = 1; f < kFields; ++f) all.push_back("mean[y,x](f0*" + field_name(c, f) + ")");
  return all;
}

std::string configuration(const Case& c) {
  std::string xml = "<io-configuration>\n<data-definition name=\"state\" frequency=\"1\">\n";
  for (int f = 0; f < (c.has_fields ? kFields : kProfiles); ++f) {
    xml += "<field name=\"" + field_name(c, f) + "\"" +
           (c.has_fields ? " size=\"z,y,x\" collective=\"true\"/>\n" : " type=\"array\" size=\"z\"/>\n");
  }
  xml += "</data-definition>\n<data-handling>\n";
  const std::vector<std::string> all = diagnostics(c);
  for (std::size_t d = 0; d < all.size(); ++d)
    xml += "<diagnostic field=\"d" + std::to_string(d) + "\" expression=\"" + all[d] + "\"/>\n";
  xml += "</data-handling>\n<data-writing><file name=\"profiles.nc\" write_time_frequency=\"100000\">\n";
  for (std::size_t d = 0; d < all.size(); ++d) {
    xml += "<include field=\"d" + std::to_string(d) +
           "\" time_manipulation=\"averaged\" output_frequency=\"" + std::to_string(kRecordEvery) + "\"/>\n";
  }
  return xml + "</file></data-writing>\n</io-configuration>\n";
}

/// When what happened, in virtual time, and what was spent until then.
struct Times {
  double committed = 0, ended = 0;  ///< of the last rank
  double inside_s = 0;              ///< of the rank that spent most in Pileus, all steps together
};

/// Ranks lie side by side in x.
void be_model(const Case& c, World& world, Endpoint& endpoint, Peer server, ClientRank rank, Times& times) {
  Client client(endpoint, server, rank);
  client.dimension({"z", kLevels, {}, ""});
  const Index columns = kSide * static_cast<Index>(c.ranks);
  const std::vector<std::string> names =
      c.has_fields ? std::vector<std::string>{"z", "y", "x"} : std::vector<std::string>{"z"};
  Region region{{0}, {kLevels}};
  if (c.has_fields) {
    client.dimension({"y", kSide, {}, ""});
    client.dimension({"x", columns, {}, ""});
    region = {{0, 0, kSide * static_cast<Index>(rank)}, {kLevels, kSide, kSide}};
  }
  std::vector<int> fields;
  for (int f = 0; f < (c.has_fields ? kFields : kProfiles); ++f)
    fields.push_back(client.field({field_name(c, f), ElementType::float64, names, region}));
  client.commit();
  times.committed = std::max(times.committed, world.now());

  static const std::vector<double> values(static_cast<std::size_t>(kLevels * kSide * kSide), 290.0);
  double inside_s = 0;
  for (int step = 1; step <= c.steps; ++step) {
    const double together_s = c.letters.empty() ? 0 : c.first_s + c.step_s * (step - 1) - world.now();
    world.compute(std::max(0.0, together_s) + c.step_s);
    const double before = world.now();
    client.begin({step, static_cast<double>(step), 1}, step == c.steps);
    for (const int field : fields) client.put(field, values.data(), nullptr);
    client.end();
    inside_s += world.now() - before;
  }
  times.ended = std::max(times.ended, world.now());
  times.inside_s = std::max(times.inside_s, inside_s);
  client.finish();
}

/// Of all servers, the most of each.
struct Most {
  double lane_s = 0, tasks_s = 0, disk_s = 0;
  std::uint64_t received = 0, received_bytes = 0, sent = 0, sent_bytes = 0;
  std::int64_t memory_bytes = 0;
};

Most most_of(const World& world, const Case& c) {
  Most most;
  for (ServerRank server = 0; server < c.servers; ++server) {
    const Account& one = world.account(c.ranks + server);
    most.lane_s = std::max(most.lane_s, one.busy_s);
    most.tasks_s = std::max(most.tasks_s, one.task_s);
    most.disk_s = std::max(most.disk_s, one.disk_s);
    most.received = std::max(most.received, one.received);
    most.received_bytes = std::max(most.received_bytes, one.received_bytes);
    most.sent = std::max(most.sent, one.sent);
    most.sent_bytes = std::max(most.sent_bytes, one.sent_bytes);
    most.memory_bytes = std::max(most.memory_bytes, one.memory_bytes);
  }
  return most;
}

void print(const char* name, const Most& most) {
  std::printf(
      "\"%s\": {\"lane_s\": %.9f, \"tasks_s\": %.9f, \"disk_s\": %.9f, \"received\": %llu, "
      "\"received_bytes\": %llu, \"sent\": %llu, \"sent_bytes\": %llu, \"memory_bytes\": %lld},\n",
      name, most.lane_s, most.tasks_s, most.disk_s, static_cast<unsigned long long>(most.received),
      static_cast<unsigned long long>(most.received_bytes), static_cast<unsigned long long>(most.sent),
      static_cast<unsigned long long>(most.sent_bytes), static_cast<long long>(most.memory_bytes));
}

/// All servers of the run, which take turns in the world.
class Servers {
 public:
  Servers(const Case& c, World& world) : files_(posix_file_system()) {
    ServerSettings settings = settings_of(c, world);
    for (ServerRank server = 0; server < c.servers; ++server) {
      const Peer process = c.ranks + server;
      settings.self = server;
      endpoints_.push_back(world.endpoint(process));
      formats_.push_back(netcdf_format(*files_));
      Executor& workers = world.executor(process, &Account::task_s);
      Executor& disk = world.executor(process, &Account::disk_s);
      const MakeExecutors executors = [&workers, &disk](std::optional<std::int64_t>) {
        return ServerExecutors{workers, disk, disk, disk};
      };
      servers_.push_back(
          std::make_unique<Server>(settings, *endpoints_.back(), executors, *files_, *formats_.back()));
      world.add_actor(process, [one = servers_.back().get()] { return !one->is_finished() && one->poll(); });
    }
  }
  std::string errors() const { return servers_[0]->errors(); }

 private:
  static ServerSettings settings_of(const Case& c, const World& world) {
    ServerSettings settings;
    settings.configuration = c.directory + "/scale.xml";
    settings.directory = c.directory;
    settings.now = [&world] {
      const std::chrono::duration<double> seconds(world.now());
      return std::chrono::steady_clock::time_point(
          std::chrono::duration_cast<std::chrono::nanoseconds>(seconds));
    };
    for (ClientRank rank = 0; rank < c.ranks; ++rank) settings.clients.push_back(rank);
    for (ServerRank server = 0; server < c.servers; ++server) settings.servers.push_back(c.ranks + server);
    return settings;
  }

  std::unique_ptr<FileSystem> files_;
  std::vector<std::unique_ptr<FileFormat>> formats_;
  std::vector<std::unique_ptr<Endpoint>> endpoints_;
  std::vector<std::unique_ptr<Server>> servers_;
};

int run(const Case& c) {
  std::ofstream(c.directory + "/scale.xml") << configuration(c);
  World world(c.ranks + c.servers, {});
  std::vector<scale::Sent> letters;
  if (!c.letters.empty()) world.record(letters);
  const Servers servers(c, world);
  Times times;
  const Layout layout{c.ranks, c.servers};
  std::vector<std::unique_ptr<Endpoint>> of_ranks;
  for (ClientRank rank = 0; rank < c.ranks; ++rank) {
    of_ranks.push_back(world.endpoint(rank));
    world.add_fiber(rank, [&, rank] {
      be_model(c, world, *of_ranks[rank], c.ranks + layout.server_of(rank), rank, times);
    });
  }
  world.run();
  if (!servers.errors().empty()) {
    std::cerr << servers.errors() << '\n';
    return 1;
  }
  if (!c.letters.empty()) {
    if (times.committed > c.first_s) throw std::runtime_error("the ranks were not ready by FIRST_S");
    std::ofstream(c.letters, std::ios::binary)
        .write(reinterpret_cast<const char*>(letters.data()),
               static_cast<std::streamsize>(letters.size() * sizeof(scale::Sent)));
  }
  std::printf("{\"ranks\": %u, \"servers\": %u, \"steps\": %d,\n", c.ranks, c.servers, c.steps);
  print("servers", most_of(world, c));
  std::printf("\"start_s\": %.9f, \"inside_s\": %.9f, \"after_model_s\": %.9f}\n", times.committed,
              times.inside_s, world.now() - times.ended);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if ((words.size() != 6 && words.size() != 8) || (words[0] != "profiles" && words[0] != "fields")) return 2;
  Case c;
  c.has_fields = words[0] == "fields";
  c.ranks = static_cast<ClientRank>(std::atoi(words[1].c_str()));
  c.servers = static_cast<ServerRank>(std::atoi(words[2].c_str()));
  c.steps = std::atoi(words[3].c_str());
  c.step_s = std::atof(words[4].c_str());
  c.directory = words[5];
  if (words.size() == 8) {
    c.letters = words[6];
    c.first_s = std::atof(words[7].c_str());
  }
  if (c.ranks < 1 || c.servers < 1 || c.steps < 1 || c.step_s < 0) return 2;
  log::set_level(log::Level::error);
  try {
    return run(c);
  } catch (const std::exception& error) {
    std::cerr << "scale: " << error.what() << '\n';
    return 1;
  }
}
