// The meaning of MONC's files: for each difference between MONC's language and strict XML, the strict form
// with the same meaning, and the finding about it. What is of files or of times has tests of its own.

#include "monc/test_meaning.h"

namespace pileus::testing {
namespace {

TEST(MoncMeaning, of_truth_values_only_the_word_true_is_true) {
  expect_means(data("<field name=\"w\" type=\"array\" optional=.true./>"),
               data("<field name='w' type='array' optional='false'/>"),
               "1:79: warning: optional=\".true.\" is false: only the word true is true in MONC's "
               "files; did you mean \"true\"?");
}

TEST(MoncMeaning, a_scalar_has_neither_size_nor_parts) {
  expect_means(
      data("<field name=\"t\" type=scalar size=\"z\" collective=true/>"),
      data("<field name='t' type='scalar'/>"),
      "1:75: note: size has no meaning for a scalar\nio.xml:1:89: note: collective has no meaning for "
      "a scalar");
}

TEST(MoncMeaning, a_group_is_found_without_its_namespace) {
  expect_means(data(kW, " namespace=\"n\"") + group("g", "<member name=\"w\"/>", " namespace=\"n\"") +
                   file("<include group=\"g\"" + kWithNone),
               data(kW, " namespace='n'") + group("g", "<member name='w'/>", " namespace='n'") +
                   file("<include group='n::g'" + kWithNone, kMoncs),
               "");
}

TEST(MoncMeaning, a_group_that_is_not_there_is_left_out_with_a_warning) {
  expect_means(
      data(kW) + group("winds", "<member name=\"w\"/>") +
          file("<include group=\"wind\"" + kWithNone + "<include field=\"w\"" + kWithNone),
      data(kW) + group("winds", "<member name='w'/>") + file("<include field='w'" + kWithNone, kMoncs),
      "3:85: warning: no group \"wind\"; did you mean \"winds\"?; nothing is written for it, where MONC "
      "would stop");
}

TEST(MoncMeaning, what_is_declared_twice_counts_once) {
  expect_means(data(kW + "\n<field name=\"w\" type=\"scalar\"/>") + group("g", "<member name=\"w\"/>") +
                   group("g", "<member name=\"w\"/>"),
               data(kW) + group("g", "<member name='w'/>"),
               "2:14: warning: a second field \"w\" is not read; the first is at io.xml:1:54\nio.xml:4:14: "
               "warning: a second group \"g\" is not read; the first is at io.xml:3:14");
}

TEST(MoncMeaning, time_and_step_are_fields_of_every_group) {
  expect_means(
      data(kW) + group("g", "<member name=\"w\"/><member name=\"time\"/><member name=\"timestep\"/>"),
      data(kW + "<field name='time' type='scalar' data_type='double'/><field name='timestep' "
                "type='scalar' data_type='integer'/>") +
          group("g", "<member name='w'/><member name='time'/><member name='timestep'/>"),
      "");
}

TEST(MoncMeaning, coordinates_are_written_once) {
  expect_means(data("<field name=\"z\" type=\"array\" size=\"z\"/>" + kW) +
                   group("g", "<member name=\"z\"/><member name=\"w\"/>"),
               data("<field name='z' type='array' size='z'/>" + kW) + group("g", "<member name='w'/>"),
               "2:31: note: \"z\" is written as the coordinate of the dimension \"z\", as the model "
               "registers it, and not a "
               "second time");
}

TEST(MoncMeaning, slices_are_counted_from_1) {
  const auto sliced = [](const std::string& index) {
    return data("<field name=\"u\" type=\"array\" size=\"z,y,x\" collective=\"true\"/>") +
           "<data-handling><diagnostic field=\"s\" type=\"array\" size=\"y,x\"><operator "
           "name=\"field_slicer\" "
           "result=\"s\" field=\"u\" dimension=\"z\" index=\"" +
           index + "\"/></diagnostic></data-handling>";
  };
  expect_means(sliced("3"), sliced("2"), "");
  EXPECT_EQ(read_monc(sliced("0")).said(),
            "io.xml:2:134: error: index=\"0\": expected a whole number, from 1 in MONC's files");
}

TEST(MoncMeaning, a_size_that_follows_from_the_operator_names_the_dimension) {
  const auto coarse = [](const std::string& before, const std::string& behind) {
    return data("<field name=\"u\" type=\"array\" size=\"y,x\" collective=\"true\"/>") +
           "<data-handling><diagnostic field=\"c\" type=\"array\"" + before +
           "><operator name=\"field_coarsener\" result=\"c\" field=\"u\" dimension=\"y,x\" period=\"2,2\"" +
           behind + "/></diagnostic></data-handling>";
  };
  expect_means(coarse(" size=\"y-auto,x-auto\" collective=true", ""), coarse("", " named_by=\"size\""), "");
  expect_means(coarse(" size=\"y_3,x_16\"", ""), coarse(" size='y_3,x_16'", " named_by=\"size\""), "");
  expect_means(coarse(" size=\"y_part,x\"", ""), coarse(" size='y_part,x'", ""), "");
}

TEST(MoncMeaning, a_size_of_auto_that_no_operator_makes_is_named) {
  const std::string fields = data("<field name=\"u\" type=\"array\" size=\"y,x\" collective=\"true\"/>");
  const std::string rules =
      "><operator name=\"arithmetic\" result=\"c\" equation=\"u+1.\"/></diagnostic></data-handling>";
  const std::string diagnostic = "<data-handling><diagnostic field=\"c\" type=\"array\"";

  expect_means(
      fields + diagnostic + " size=\"y,x-auto\"" + rules, fields + diagnostic + rules,
      "2:57: warning: size=\"y,x-auto\": no field_coarsener makes this diagnostic, so that MONC does "
      "not know the size of -auto; here the size follows from the rules");
}

TEST(MoncMeaning, notes_where_pileus_is_right) {
  const auto diagnostic = [](const std::string& rules) {
    return data("<field name=\"u\" type=\"array\" size=\"y,x\" collective=\"true\"/>") +
           "<data-handling><diagnostic field=\"m\" type=\"scalar\">\n" + rules +
           "</diagnostic></data-handling>";
  };
  const std::string mean =
      "<operator name=\"localreduce\" operator=\"sum\" field=\"u\" result=\"l\"/>\n<communication "
      "name=\"reduction\" "
      "operator=\"mean\" field=\"l\" result=\"m\" root=\"auto\"/>\n";
  expect_means(diagnostic(mean), diagnostic(mean),
               "4:43: note: the mean is weighted by the values that the parts stand for; MONC divides by the "
               "number of model ranks, which is wrong where they hold parts of different sizes");
  const std::string sum = "<operator name=\"arithmetic\" equation=\"u-u+(u+u)\" result=\"m\"/>\n";
  expect_means(diagnostic(sum), diagnostic(sum),
               "3:42: note: a - b + c is (a - b) + c here; MONC computes a - (b + c)");
  const std::string rest = "<operator name=\"arithmetic\" equation=\"u+u*u%2.\" result=\"m\"/>\n";
  expect_means(diagnostic(rest), diagnostic(rest),
               "3:44: note: a % b has the sign of b here; MONC computes mod(a, b), which has that of a\n"
               "io.xml:3:44: note: a * b % c is (a * b) % c here; MONC computes a * (b % c)");
  for (const std::string equation : {"u+u-u", "(u-u)+u", "1e-3+u", "u%2.*u", "u*(u%2.)", "u*u+u%2."}) {
    const std::string same = "<operator name=\"arithmetic\" equation=\"" + equation + "\" result=\"m\"/>";
    const std::size_t rest = equation.find('%');
    const std::string sign =
        "3:" + std::to_string(39 + rest) +
        ": note: a % b has the sign of b here; MONC computes mod(a, b), which has that of a";
    expect_means(diagnostic(same), diagnostic(same), rest == std::string::npos ? "" : sign);
  }
}

TEST(MoncMeaning, numbers_without_a_point_are_hundredths_in_monc) {
  const auto diagnostic = [](const std::string& equation) {
    return data("<field name=\"u2\" type=\"scalar\"/>") +
           "<data-handling><diagnostic field=\"m\" type=\"scalar\">\n<operator name=\"arithmetic\" "
           "equation=\"" +
           equation + "\" result=\"m\"/></diagnostic></data-handling>";
  };

  expect_means(diagnostic("u2*100"), diagnostic("u2*100"),
               "3:42: note: 100 is 100 here; MONC reads it as 1.00, because it has no point: write 100.0");
  expect_means(diagnostic("(2*u2)"), diagnostic("(2*u2)"),
               "3:40: note: 2 is 2 here; MONC reads it as 0.02, because it has no point: write 2.0");
  expect_means(diagnostic("u2*0+{n}*2.+1e-3"), diagnostic("u2*0+{n}*2.+1e-3"), "", {{"n", "32"}});
}

TEST(MoncMeaning, a_size_that_differs_from_the_rules_by_the_name_of_the_vertical_alone_is_theirs) {
  const auto diagnostic = [](const std::string& size) {
    return data("<field name='p' type='array' size='zn,y,x'/>") +
           "<data-handling><diagnostic field='m' type='array' size='" + size +
           "'>\n<operator name='arithmetic' result='m' equation='p+1.'/></diagnostic></data-handling>";
  };

  expect_means(diagnostic("z,y,x"), diagnostic("zn,y,x"),
               "2:57: warning: its rules make values along \"zn\", which is read instead of \"z\": MONC "
               "compares lengths, and not names");
}

TEST(MoncMeaning, tracers_are_split_by_their_names) {
  const std::string fields = data("<field name='tracer' type='array' size='z,y,x,tfields'/>");
  const std::string written = file("<include field='tracer'" + kWithNone);

  const auto result = read_newer(fields + written, {{"tracer_names", "traj_x,rad1"}});

  ASSERT_EQ(result.config.files.size(), 1U);
  ASSERT_EQ(result.config.files[0].includes.size(), 2U);
  EXPECT_EQ(result.config.files[0].includes[1].field.value, "tracer_rad1");
  EXPECT_NE(read_newer(fields + written).said().find("for which the option tracer_names is needed"),
            std::string::npos);
}

TEST(MoncMeaning, a_field_with_q_fields_is_one_variable_for_each) {
  const Options options = {{"q_field_names", "vapour, rain_mass"}};
  const std::string q =
      "<field name=\"q\" type=\"array\" data_type=\"double\" size=\"z,y,x,qfields\" collective=\"true\"/>";
  const std::string n = " namespace=\"n\"";
  const auto slice = [](const std::string& name, int index) {
    return "<diagnostic field='" + name +
           "' size='z,y,x'><operator name='field_slicer' field='q' dimension='qfields' "
           "index='" +
           std::to_string(index) + "' result='" + name + "'/></diagnostic>";
  };
  expect_means(data(q, n) + group("g", "<member name=\"q\"/>", n) + file("<include group=\"g\"" + kWithNone),
               data(q, n) + group("g", "<member name='q_vapour'/><member name='q_rain_mass'/>", n) +
                   file("<include group='n::g'" + kWithNone, kMoncs) + "<data-handling namespace='n'>" +
                   slice("q_vapour", 0) + slice("q_rain_mass", 1) + "</data-handling>",
               "", options);
}

TEST(MoncMeaning, without_names_of_q_fields_they_are_written_together_and_a_note_says_so) {
  const std::string q = "<field name=\"q\" type=\"array\" size=\"z,y,x,qfields\" collective=\"true\"/>";
  expect_means(
      data(q), data(q),
      "1:41: note: \"q\" and other fields with the dimension qfields are written whole: MONC writes one "
      "variable for each q field, for which the option q_field_names is needed, such as "
      "\"vapour,cloud_liquid_mass\"");
}

TEST(MoncMeaning, the_last_server_configuration_counts) {
  const auto servers = [](int number) {
    return "<server-configuration><thread_pool number=\"" + std::to_string(number) +
           "\"/></server-configuration>";
  };
  expect_means(
      servers(100) + servers(10), servers(10),
      "1:73: note: this <server-configuration> counts, and not that of io.xml:1:1: the last one does in "
      "MONC");
}

std::string located(const std::string& rule) {
  return data(
             "<field name=\"peak\" type=\"array\" size=\"z\"/><field name=\"at\" type=\"array\" "
             "size=\"z\"/>") +
         "<data-handling><diagnostic field=\"w_at\" type=\"array\" data_type=\"double\">"
         "<communication name=\"allreduction\" operator=\"max\" field=\"peak\" result=\"top\"/>" +
         rule + "</diagnostic></data-handling>";
}

TEST(MoncMeaning, a_location_is_that_of_the_rank_that_has_the_value_of_all) {
  expect_means(located("<operator name=\"reductionlocation\" input=\"at, top,peak\" result=\"w_at\"/>"),
               located("<operator name='arithmetic' equation='where(peak == top, at, -1)' result='w_at'/>"),
               "");
}

TEST(MoncMeaning, a_location_without_its_three_names_is_an_error) {
  for (const char* const input : {"at,top", "at,,peak", "at,top,peak,", ""}) {
    const auto result = read_monc(located("<operator name=\"reductionlocation\" input=\"" +
                                          std::string(input) + "\" result=\"w_at\"/>"));
    EXPECT_NE(result.said().find("error: input=\"" + std::string(input) +
                                 "\": expected three names between commas: the location on a rank, the value "
                                 "of all ranks, the value on a rank"),
              std::string::npos)
        << result.said();
  }
}

}  // namespace
}  // namespace pileus::testing
