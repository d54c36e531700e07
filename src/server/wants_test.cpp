// Model ranks of several servers ask what the configuration wants, before they register.

#include <gtest/gtest.h>

#include "server/testing/simulated_run.h"

namespace pileus::testing {
namespace {

constexpr const char* kConfiguration = R"(<io-configuration>
  <data-definition name="state" frequency="{every}">
    <field name="w" type="array" data_type="double" size="x" collective="true"/>
  </data-definition>
  <data-writing>
    <file name="w.nc" write_time_frequency="4">
      <include field="w" time_manipulation="instantaneous" output_frequency="2"/>
    </file>
  </data-writing>
</io-configuration>
)";

void run_on(Client& client, ClientRank rank) {
  client.dimension({"x", 3, {}, ""});
  client.field({"w", ElementType::float64, {"x"}, {{rank}, {1}}});
  client.commit();
  for (std::int64_t step = 1; step <= 4; ++step) {
    const double value = static_cast<double>(step);
    client.begin({step, value, 1}, step == 4);
    if (client.wanted(0)) client.put(0, &value, nullptr);
    client.end();
  }
  client.finish();
}

SimulatedRun of_three_ranks(std::uint64_t seed, std::function<void(Client&, ClientRank)> model) {
  SimulatedRun run;
  run.configuration = kConfiguration;
  run.ranks = 3;
  run.servers = 2;
  run.seed = seed;
  run.model = std::move(model);
  return run;
}

TEST(WantsOfARun, are_the_same_on_all_ranks_whatever_the_order_of_messages) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const SimulatedResult result = simulate(of_three_ranks(seed, [](Client& client, ClientRank rank) {
      client.option("every", "2");
      for (int time = 0; time < 2; ++time) {
        const Wants wants = client.wants();
        ASSERT_EQ(wants.definitions.size(), 1U);
        EXPECT_EQ(wants.definitions[0].frequency, 2);
        ASSERT_EQ(wants.fields.size(), 1U);
        EXPECT_EQ(wants.fields[0].outputs, (std::vector<WantedOutput>{{2, 0}}));
      }
      run_on(client, rank);
    }));

    EXPECT_EQ(result.files.size(), 1U);
    EXPECT_EQ(result.errors, "");
  }
}

TEST(WantsOfARun, name_the_mistakes_on_all_ranks_and_the_run_may_go_on) {
  const SimulatedResult result = simulate(of_three_ranks(1, [](Client& client, ClientRank rank) {
    try {
      client.wants();
      ADD_FAILURE() << "the option is missing";
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("every"), std::string::npos) << error.what();
    }
    client.option("every", "1");
    run_on(client, rank);
  }));

  EXPECT_EQ(result.files.size(), 1U);
}

TEST(WantsOfARun, say_which_option_differs) {
  const SimulatedResult result = simulate(of_three_ranks(1, [](Client& client, ClientRank rank) {
    client.option("every", rank == 1 ? "2" : "1");
    client.wants();
  }));

  for (const std::string& error : result.model_errors)
    EXPECT_NE(error.find("look at \"every\""), std::string::npos) << error;
}

TEST(WantsOfARun, are_refused_where_only_some_ranks_ask) {
  for (ClientRank asking = 0; asking < 3; ++asking) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const SimulatedResult result = simulate(of_three_ranks(seed, [&](Client& client, ClientRank rank) {
        client.option("every", "1");
        if (rank == asking) client.wants();
        run_on(client, rank);
      }));

      for (const std::string& error : result.model_errors)
        EXPECT_NE(error.find("all of them ask, or none"), std::string::npos) << error;
    }
  }
}

/// Seven servers: 5 and 6 are below 1, which has no model ranks, as most have none.
SimulatedRun of_a_deep_tree(std::uint64_t seed, std::function<void(Client&, ClientRank)> model) {
  SimulatedRun run = of_three_ranks(seed, std::move(model));
  run.servers = 7;
  run.served_by = {0, 6, 5};
  return run;
}

TEST(WantsOfARun, come_to_ranks_whose_servers_are_far_down_the_tree) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const SimulatedResult result = simulate(of_a_deep_tree(seed, [](Client& client, ClientRank rank) {
      client.option("every", "2");
      for (int time = 0; time < 2; ++time) EXPECT_EQ(client.wants().definitions.at(0).frequency, 2);
      run_on(client, rank);
    }));

    EXPECT_EQ(result.files.size(), 1U);
    EXPECT_EQ(result.errors, "");
  }
}

TEST(WantsOfARun, are_refused_far_down_the_tree_where_only_some_ranks_ask) {
  for (ClientRank asking = 0; asking < 3; ++asking) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const SimulatedResult result = simulate(of_a_deep_tree(seed, [&](Client& client, ClientRank rank) {
        client.option("every", "1");
        if (rank == asking) client.wants();
        run_on(client, rank);
      }));

      for (const std::string& error : result.model_errors)
        EXPECT_NE(error.find("all of them ask, or none"), std::string::npos) << error;
    }
  }
}

}  // namespace
}  // namespace pileus::testing
