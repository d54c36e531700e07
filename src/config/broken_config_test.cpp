// Broken configurations, and the exact findings about each: the place, the mistake, and what was meant.

#include <gtest/gtest.h>

#include "config/config_test_support.h"
#include "config/messages.h"
#include "core/manipulation.h"

namespace pileus::testing {
namespace {

struct Broken {
  std::string name;  ///< a sentence
  std::string text;
  std::string expected;  ///< all findings, without "io.xml:" and ": error:"
};

void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.text; }

std::string said_about(const std::string& text) {
  std::string out = read(text, {{"x_size", "64"}, {"every", "-1"}, {"path", "../a.nc"}}).text();
  auto remove = [&](const std::string& part) {
    for (std::size_t at; (at = out.find(part)) != out.npos;) out.erase(at, part.size());
  };
  remove("io.xml:");
  remove(": error:");
  return out;
}

class BrokenConfig : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenConfig, says_exactly) { EXPECT_EQ(said_about(GetParam().text), GetParam().expected); }

std::string test_name(const ::testing::TestParamInfo<Broken>& info) { return info.param.name; }

/// A configuration with `inside` in its root, from line 2, column 1 on.
std::string root(const std::string& inside) {
  return "<io-configuration>\n" + inside + "\n</io-configuration>";
}

/// A configuration with `inside` in its data-definition, from line 3, column 1 on.
std::string fields(const std::string& inside) {
  return root("<data-definition name='raw' frequency='1'>\n" + inside + "\n</data-definition>");
}

/// A configuration with `inside` in the diagnostic "d", which has its result, from line 3, column 1 on.
std::string rules(const std::string& inside) {
  return root("<data-handling><diagnostic field='d'>\n" + inside +
              "\n<operator name='arithmetic' result='d' equation='1'/></diagnostic></data-handling>");
}

/// A configuration with `inside` in a file with an include, from line 3, column 1 on.
std::string includes(const std::string& inside) {
  return root("<data-writing><file name='f.nc' write_time_frequency='1'>\n" + inside +
              "\n<include field='w' time_manipulation='none'/></file></data-writing>");
}

const std::vector<Broken> kFilesForEverybody = {
    {"calendar_unknown", root("<time calendar='lunar'/>"),
     "2:17 calendar=\"lunar\": expected standard, gregorian, proleptic_gregorian, julian, noleap, 365_day, "
     "all_leap, 366_day or 360_day"},
    {"calendar_misspelt", root("<time calendar='no_leap'/>"),
     "2:17 calendar=\"no_leap\": expected standard, gregorian, proleptic_gregorian, julian, noleap, 365_day, "
     "all_leap, 366_day or 360_day; did you mean \"noleap\"?"},
    {"epoch_in_another_form", root("<time epoch='1 Jan 2000'/>"),
     "2:14 epoch=\"1 Jan 2000\": expected a date such as \"2000-01-01 00:00:00\""},
    {"epoch_that_the_calendar_lacks", root("<time calendar='360_day' epoch='2000-01-31'/>"),
     "2:33 epoch=\"2000-01-31\": 2000-01-31 does not exist in the calendar \"360_day\""},
    {"time_twice", root("<time epoch='2000-01-01'/>\n<time calendar='julian'/>"),
     "3:1 a second <time> in io-configuration; the first is at 2:1"},
    {"axis_unknown", root("<dimension name='z' axis='T'/>"), "2:27 axis=\"T\": expected X, Y or Z"},
    {"positive_unknown", root("<dimension name='z' positive='upward'/>"),
     "2:31 positive=\"upward\": expected up or down"},
    {"positive_sideways", root("<dimension name='x' axis='X' positive='up'/>"),
     "2:40 dimension \"x\" is the axis X; only a vertical one (axis=\"Z\") is positive up or down"},
    {"bounds_are_no_numbers", root("<dimension name='z' bounds='0 10'/>"),
     "2:29 bounds=\"0 10\": expected true or false"},
    {"dimension_twice", root("<dimension name='z' axis='Z'/>\n<dimension name='z' units='m'/>"),
     "3:18 a second dimension \"z\"; the first is at 2:18"},
    {"order_names_twice", includes("<include field='w' time_manipulation='none' order='time,z,z'/>"),
     "3:52 order=\"time,z,z\": dimension \"z\" is named twice"},
    {"deflate_of_ten", includes("<include field='w' time_manipulation='none' deflate='10'/>"),
     "3:54 deflate=\"10\": expected a whole number from 0 to 9"},
    {"bits_of_none", fields("<field name='w' significant_bits='0'/>"),
     "3:35 significant_bits=\"0\": expected a whole number from 1 to 52"},
    {"precision_of_half", fields("<field name='w' precision='half'/>"),
     "3:28 precision=\"half\": expected double or float"},
    {"file_name_with_an_unknown_key",
     root("<data-writing><file name='f_{indx}.nc' write_time_frequency='1'>"
          "<include field='w' time_manipulation='none'/></file></data-writing>"),
     "2:29 no option \"indx\"; did you mean \"index\"?"},
};

const std::vector<Broken> kGrids = {
    {"grid_without_a_name", root("<grid dimensions='y,x' area='a'/>"),
     "2:1 grid needs the attribute \"name\" (name of the grid, for grid of a field)"},
    {"grid_without_dimensions", root("<grid name='t' area='a'/>"),
     "2:1 grid \"t\" needs the attribute \"dimensions\", or \"cells\" or \"file\" if values are regridded to "
     "it"},
    {"grid_of_nothing", root("<grid name='t' dimensions='y,x'/>"),
     "2:1 grid \"t\" says nothing of its points: name the fields with their latitude and longitude, or area"},
    {"latitude_without_longitude", root("<grid name='t' dimensions='y,x' latitude='lat'/>"),
     "2:43 grid \"t\" has latitude without longitude: give both, or neither"},
    {"longitude_misspelt", root("<grid name='t' dimensions='y,x' latitude='lat' longitud='lon'/>"),
     "2:48 unknown attribute \"longitud\" of grid; did you mean \"longitude\"?"},
    {"bounds_without_coordinates",
     root("<grid name='t' dimensions='y,x' latitude_bounds='b' longitude_bounds='c'/>"),
     "2:50 grid \"t\" has latitude_bounds without latitude: give both, or neither\n"
     "2:71 grid \"t\" has longitude_bounds without longitude: give both, or neither"},
    {"bounds_of_latitude_alone",
     root("<grid name='t' dimensions='y,x' latitude='lat' longitude='lon' latitude_bounds='b'/>"),
     "2:81 grid \"t\" has latitude_bounds without longitude_bounds: give both, or neither"},
    {"one_field_for_two_things", root("<grid name='t' dimensions='y,x' latitude='lat' longitude='lat'/>"),
     "2:59 grid \"t\" has \"lat\" as its latitude and as its longitude: name two fields"},
    {"grid_twice",
     root("<grid name='t' dimensions='y,x' area='a'/>\n<grid name='t' dimensions='y' area='b'/>"),
     "3:13 a second grid \"t\"; the first is at 2:13"},
    {"grid_dimension_twice", root("<grid name='t' dimensions='y,y' area='a'/>"),
     "2:28 dimensions=\"y,y\": dimension \"y\" is named twice"},
};

const std::vector<Broken> kDocument = {
    {"empty_document", "", "1:1 not well-formed XML: there is no element in the document"},
    {"root_misspelt", "<io-configration/>",
     "1:1 the root element is \"io-configration\"; did you mean \"io-configuration\"?"},
    {"other_root", "<html><body/></html>",
     "1:1 the root element is \"html\"; put everything inside <io-configuration>"},
    {"tags_do_not_match", "<io-configuration>\n<group name='g'>\n</io-configuration>",
     "3:3 not well-formed XML: mismatched tag; <group> of line 2 is not closed yet"},
    {"document_breaks_off", "<io-configuration>\n<data-writing>",
     "2:15 not well-formed XML: no element found; <data-writing> of line 2 is not closed yet"},
    {"attribute_twice", root("<group name='g' name='h'/>"),
     "2:17 not well-formed XML: an attribute is given twice in one element"},
    {"value_without_quotes", fields("<field name='w' optional=true/>"),
     "3:26 not well-formed XML: put the value of the attribute in quotes"},
    {"unknown_entity", root("<data-writing>&nbsp;</data-writing>"),
     "2:15 not well-formed XML: undefined entity \"&nbsp;\"; known are &amp; &lt; &gt; &quot; &apos; and "
     "numbers such as &#960;"},
    {"doctype", "<!DOCTYPE io-configuration SYSTEM 'x.dtd'><io-configuration/>",
     "1:1 a DOCTYPE is not allowed in a configuration; remove it"},
    {"doctype_after_a_comment", "<!-- x -->\n <!DOCTYPE a [<!ENTITY b 'c'>]><io-configuration/>",
     "2:2 a DOCTYPE is not allowed in a configuration; remove it"},
    {"text_in_the_root", root("  // a comment\n"),
     "2:3 text \"// a comment\" in io-configuration, where only elements may stand; remove it or write it as "
     "a "
     "comment: <!-- ... -->"},
    {"text_in_a_group", root("<group name='g'><member name='w'/>,\n<member name='u'/></group>"),
     "2:35 text \",\" in group \"g\", where only elements may stand; remove it or write it as a comment: "
     "<!-- ... -->"},
    {"errors_before_the_end_are_kept", "<io-configuration>\n<grup/>\n<data-writing></file>",
     "2:1 unknown element \"grup\" in io-configuration; did you mean \"group\"?\n"
     "3:17 not well-formed XML: mismatched tag; <data-writing> of line 3 is not closed yet"},
    {"a_broken_end_hides_no_group",
     "<io-configuration>\n<data-writing><file name='f' write_time_frequency='1'>"
     "<include group='g' time_manipulation='none'/></file></data-writing>\n<",
     "3:1 not well-formed XML: unclosed token; <io-configuration> of line 1 is not closed yet"},
};

const std::vector<Broken> kElements = {
    {"unknown_element", fields("<feild name='w'/><field name='u'/>"),
     "3:1 unknown element \"feild\" in data-definition \"raw\"; did you mean \"field\"?"},
    {"unknown_element_unlike_any", fields("<field name='u'/>\n\t<variable name='w'/>"),
     "4:2 unknown element \"variable\" in data-definition \"raw\"; known are field"},
    {"element_in_a_field", fields("<field name='u'><halo/></field>"),
     "3:17 unknown element \"halo\" in field \"u\"; known are attribute"},
    {"element_in_an_element_without_children", root("<dimension name='x'><halo/></dimension>"),
     "2:21 unknown element \"halo\" in dimension \"x\"; none is known"},
    {"element_in_the_wrong_place", root("<field name='w'/>"),
     "2:1 <field> cannot stand in io-configuration; it belongs in <data-definition>"},
    {"root_in_itself", root("<io-configuration/>"),
     "2:1 unknown element \"io-configuration\" in io-configuration; known are server-configuration, include, "
     "data-definition, time, dimension, grid, grid_mapping, "
     "data-reading, data-handling, group, data-writing and component"},
    {"second_thread_pool",
     root("<server-configuration>\n<thread_pool number='1'/>\n<thread_pool "
          "number='2'/></server-configuration>"),
     "4:1 a second <thread_pool> in server-configuration; the first is at 3:1"},
    {"second_server_configuration", root("<server-configuration/>\n <server-configuration/>"),
     "3:2 a second <server-configuration> in io-configuration; the first is at 2:1"},
    {"unknown_attribute",
     root("<data-definition name='raw'\r\n\tfreqency='1'><field name='w'/></data-definition>"),
     "3:2 unknown attribute \"freqency\" of data-definition; did you mean \"frequency\"?"},
    {"unknown_attribute_unlike_any", root("<group name='g' colour='red'><member name='w'/></group>"),
     "2:17 unknown attribute \"colour\" of group; known are name and namespace"},
    {"attribute_where_none_is_known", root("<data-handling a='1'/>"),
     "2:16 unknown attribute \"a\" of data-handling; known are namespace"},
    {"missing_attribute", root("<data-definition name='raw'><field name='w'/></data-definition>"),
     "2:1 data-definition \"raw\" needs the attribute \"frequency\" (model steps between two hand-overs, "
     "or model time with a unit; 0: "
     "only in the final step)"},
    {"missing_name", fields("<field type='array'/>"),
     "3:1 field needs the attribute \"name\" (name of the field in the model)"},
    {"missing_memory_budget", root("<server-configuration><memory/></server-configuration>"),
     "2:23 memory needs the attribute \"budget\" (bytes for each server, for example \"2 GiB\")"},
    {"empty_data_definition", root("<data-definition name='raw' frequency='1'/>"),
     "2:1 data-definition \"raw\" is empty; it needs at least one <field>"},
    {"empty_group", root("<group name='g'/>"), "2:1 group \"g\" is empty; it needs at least one <member>"},
    {"empty_file", root("<data-writing>\n<file name='f' write_time_frequency='1'/></data-writing>"),
     "3:1 file \"f\" is empty; it needs at least one <include>"},
};

const std::vector<Broken> kValues = {
    {"empty_name", fields("<field name=''/>"), "3:14 name=\"\": a name must not be empty"},
    {"blank_name", fields("<field name='  '/>"), "3:14 name=\"\": a name must not be empty"},
    {"name_with_a_blank", fields("<field name=' a b'/>"),
     "3:15 name=\"a b\": a name is made of letters, digits, \"_\", \"-\" and \".\", not of \" \""},
    {"position_behind_utf8", root("<group name='θ_mean'>\n<member name='µ'/></group>"),
     "2:14 name=\"θ_mean\": a name is made of letters, digits, \"_\", \"-\" and \".\", not of \"θ\"\n"
     "3:15 name=\"µ\": a name is made of letters, digits, \"_\", \"-\" and \".\", not of \"µ\""},
    {"column_in_bytes_behind_utf8", fields("<field name='w' units='µm' type='b'/>"),
     "3:35 type=\"b\": expected scalar, array or map"},
    {"type_misspelt", fields("<field name='w'\ttype='arry'/>"),
     "3:23 type=\"arry\": expected scalar, array or map; did you mean \"array\"?"},
    {"data_type_unknown", fields("<field name='w' data_type='real'/>"),
     "3:28 data_type=\"real\": expected double, float, integer, boolean or string"},
    {"boolean_like_fortran", fields("<field name='w' collective='.true.' optional='1'/>"),
     "3:29 collective=\".true.\": expected true or false; did you mean \"true\"?\n3:47 optional=\"1\": "
     "expected true or false"},
    {"frequency_negative",
     root("<data-definition name='raw' frequency='-1'><field name='w'/></data-definition>"),
     "2:40 frequency=\"-1\": expected a whole number, from 0, of steps, or a time with a unit such as "
     "\"30 s\""},
    {"frequency_without_a_unit",
     root("<data-definition name='raw' frequency='2.5'><field name='w'/></data-definition>"),
     "2:40 frequency=\"2.5\": expected a whole number, from 0, of steps, or a time with a unit such as "
     "\"30 s\""},
    {"frequency_in_months",
     root("<data-definition name='raw' frequency='1 month'><field name='w'/></data-definition>"),
     "2:40 frequency=\"1 month\": expected a whole number, from 0, of steps, or a time with a unit such as "
     "\"30 s\"; months and years differ in length: write days"},
    {"number_malformed_after_substitution",
     root("<data-definition name='raw' frequency='{every}'><field name='w'/></data-definition>"),
     "2:40 frequency=\"-1\": expected a whole number, from 0, of steps, or a time with a unit such as "
     "\"30 s\""},
    {"thread_pool_not_a_number",
     root("<server-configuration><thread_pool number='all'/></server-configuration>"),
     "2:44 number=\"all\": expected a positive whole number such as 10"},
    {"memory_in_unknown_unit", root("<server-configuration><memory budget='2 GB'/></server-configuration>"),
     "2:39 budget=\"2 GB\": expected a positive number of bytes, or one with KiB, MiB or GiB such as \"512 "
     "MiB\"; did you mean \"2 GiB\"?"},
    {"size_with_a_hole", fields("<field name='w' size='z,,x'/>"),
     "3:23 size=\"z,,x\": a name is missing beside a comma; expected names of dimensions such as \"z,y,x\""},
    {"size_with_a_dimension_twice", fields("<field name='w' size='z,z'/>"),
     "3:23 size=\"z,z\": dimension \"z\" is named twice"},
    {"size_with_seven_dimensions", fields("<field name='w' size='a,b,c,d,e,f,g'/>"),
     "3:23 size=\"a,b,c,d,e,f,g\": 7 dimensions; at most 6 are possible"},
    {"size_of_numbers_and_blanks", fields("<field name='w' size='z y'/>"),
     "3:23 size=\"z y\": a name is made of letters, digits, \"_\", \"-\" and \".\", not of \" \""},
    {"scalar_with_a_size", fields("<field name='w' type='scalar' size='z,y'/>"),
     "3:23 field \"w\" is of type scalar, but its size names 2 dimensions; leave one of the two out"},
    {"array_with_an_empty_size", fields("<field name='w' type='array' size=''/>"),
     "3:23 field \"w\" is of type array, but its size names 0 dimensions; leave one of the two out"},
    {"missing_option", rules("<operator name='arithmetic' result='e' equation='a/&#40;{xsize}*2)'/>"),
     "3:57 no option \"xsize\"; did you mean \"x_size\"?"},
    {"brace_without_end", fields("<field name='w' size='{x_size,y'/>"),
     "3:23 \"{\" without \"}\"; write {key} to insert the option of that name"},
};

const std::vector<Broken> kRules = {
    {"operator_misspelt", rules("<operator name='localreduc' result='a' operator='sum' field='w'/>"),
     "3:17 diagnostic \"d\": no operator \"localreduc\"; did you mean \"localreduce\"?"},
    {"operator_unlike_any", rules("<operator name='fourier' result='a' what='ever'/>"),
     "3:17 diagnostic \"d\": no operator \"fourier\"; known are localreduce, arithmetic and threshold"},
    {"communication_as_an_operator",
     rules("<operator name='reduction' result='a' operator='sum' field='w'/>"),
     "3:17 diagnostic \"d\": no operator \"reduction\"; it is a communication: write <communication "
     "name=\"reduction\" ...>"},
    {"operator_as_a_communication", rules("<communication name='arithmetic' result='a' equation='b'/>"),
     "3:22 diagnostic \"d\": no communication \"arithmetic\"; it is an operator: write <operator "
     "name=\"arithmetic\" "
     "...>"},
    {"rule_without_a_name", rules("<operator result='a'/>"),
     "3:1 operator needs the attribute \"name\" (which operator)"},
    {"rule_without_a_result", rules("<operator name='arithmetic' equation='b'/>"),
     "3:1 operator \"arithmetic\" needs the attribute \"result\" (name of the value that this rule makes)"},
    {"unknown_parameter",
     rules("<operator name='localreduce' result='a' operator='sum' field='w' dimension='z'/>"),
     "3:66 unknown attribute \"dimension\" of operator \"localreduce\"; did you mean \"dimensions\"?"},
    {"missing_parameter", rules("<communication name='reduction' result='a' field='w'/>"),
     "3:1 communication \"reduction\" needs the attribute \"operator\" (how)"},
    {"word_of_a_parameter", rules("<operator name='localreduce' result='a' operator='summ' field='w'/>"),
     "3:51 operator=\"summ\": expected sum, mean, min or max; did you mean \"sum\"?"},
    {"number_of_a_parameter", rules("<operator name='threshold' result='a' above='1,5'/>"),
     "3:46 above=\"1,5\": expected a number such as 0.5 or 1e-3"},
    {"infinite_number_of_a_parameter", rules("<operator name='threshold' result='a' above='inf'/>"),
     "3:46 above=\"inf\": expected a number such as 0.5 or 1e-3"},
    {"empty_equation", rules("<operator name='arithmetic' result='a' equation=' '/>"),
     "3:50 equation=\"\": expected an expression such as \"a/b\""},
    {"root_of_a_communication",
     rules("<communication name='reduction' result='a' operator='sum' field='w' "
           "root='-1'/>"),
     "3:75 root=\"-1\": expected auto or the number of a server, from 0"},
    {"field_of_a_rule", rules("<operator name='localreduce' result='a' operator='sum' field='a+b'/>"),
     "3:63 field=\"a+b\": a name is made of letters, digits, \"_\", \"-\" and \".\", not of \"+\""},
    {"diagnostic_without_rules", root("<data-handling><diagnostic field='d'/></data-handling>"),
     "2:16 diagnostic \"d\" is empty; it needs at least one <operator> or <communication>, or the attribute "
     "\"expression\""},
    {"no_rule_makes_the_diagnostic",
     root("<data-handling><diagnostic field='VWP_mean'>\n<operator name='arithmetic' result='VWP_mea' "
          "equation='1'/></diagnostic></data-handling>"),
     "2:35 no rule of diagnostic \"VWP_mean\" has the result \"VWP_mean\"; did you mean \"VWP_mea\"?"},
    {"no_rule_makes_anything_like_the_diagnostic",
     root(
         "<data-handling><diagnostic field='VWP_mean'>\n<operator name='arithmetic' result='x' equation='1'/>"
         "</diagnostic></data-handling>"),
     "2:35 no rule of diagnostic \"VWP_mean\" has the result \"VWP_mean\"; the last rule should"},
    {"result_twice", rules("<operator name='arithmetic' result='d' equation='2'/>"),
     "4:37 result \"d\" is made twice in diagnostic \"d\"; first at 3:37"},
};

const std::vector<Broken> kFiles = {
    {"include_of_nothing", includes("<include time_manipulation='none'/>"),
     "3:1 include needs the attribute \"field\" or \"group\": what is written"},
    {"include_of_both",
     root("<group name='g'><member name='w'/></group><data-writing><file name='f'\n"
          "write_time_frequency='1 h'><include field='w' group='g' time_manipulation='none'/>"
          "</file></data-writing>"),
     "3:54 include has a field and a group; write two includes"},
    {"unknown_group",
     root("<group name='3d_fields'><member name='w'/></group>\n<data-writing>"
          "<file name='f' write_time_frequency='1'><include group='3d_field' "
          "time_manipulation='none'/></file></data-writing>"),
     "3:71 no group \"3d_field\"; did you mean \"3d_fields\"?"},
    {"group_where_there_is_none", includes("<include group='g' time_manipulation='none'/>"),
     "3:17 no group \"g\"; none is known"},
    {"time_manipulation_misspelt",
     includes("<include field='w' time_manipulation='avaraged' output_frequency='1'/>"),
     "3:39 time_manipulation=\"avaraged\": expected " + listed(manipulation_words()) +
         "; did you mean \"averaged\"?"},
    {"averaged_without_a_frequency", includes("<include field='w' time_manipulation='averaged'/>"),
     "3:1 include needs the attribute \"output_frequency\" (model time between two averaged values, in s), "
     "or "
     "time_manipulation=\"none\""},
    {"instantaneous_by_default_without_a_frequency", includes("<include field='w'/>"),
     "3:1 include needs the attribute \"output_frequency\" (model time between two instantaneous values, in "
     "s), or "
     "time_manipulation=\"none\""},
    {"every_value_with_a_frequency",
     includes("<include field='w' time_manipulation='none' output_frequency='5'/>"),
     "3:63 time_manipulation=\"none\" writes every value: remove output_frequency, or choose averaged or "
     "instantaneous"},
    {"count_of_every_value",
     includes("<include field='w' time_manipulation='none' counts_from='last_record'/>"),
     "3:58 counts_from=\"last_record\" needs an output_frequency"},
    {"count_of_months", includes("<include field='w' output_frequency='1 month' counts_from='last_record'/>"),
     "3:60 counts_from=\"last_record\" needs an output_frequency in seconds, minutes, hours or days"},
    {"time_too_short_to_count", includes("<include field='w' output_frequency='1e-19'/>"),
     "3:38 output_frequency=\"1e-19\": a time is at least 1e-6 s: no model has such short steps, and "
     "multiples of less could not be told apart"},
    {"time_too_long",
     root("<data-writing><file name='f' write_time_frequency='1e15 min'><include field='w' "
          "output_frequency='10'/></file></data-writing>"),
     "2:52 write_time_frequency=\"1e15 min\": a time is at most 1e15 s, thirty million years: models have no "
     "later times"},
    {"time_in_unknown_unit", includes("<include field='w' output_frequency='10 m'/>"),
     "3:38 output_frequency=\"10 m\": expected a positive time: seconds, or a number with s, min, h, d, "
     "month, season or year such as \"10 min\""},
    {"time_in_milliseconds", includes("<include field='w' output_frequency='250 ms'/>"),
     "3:38 output_frequency=\"250 ms\": expected a positive time: seconds, or a number with s, min, h, d, "
     "month, season or year such as \"10 min\"; did you mean \"0.25 s\"?"},
    {"time_in_steps", includes("<include field='w' output_frequency='20 steps'/>"),
     "3:38 output_frequency=\"20 steps\": expected a positive time: seconds, or a number with s, min, h, d, "
     "month, season or year such as \"10 min\"; frequency=\"20\" of a data-definition has its fields every "
     "so many "
     "steps, and time_manipulation=\"none\" writes each"},
    {"negative_write_time",
     root("<data-writing><file name='f' write_time_frequency='-1'><include field='w' "
          "time_manipulation='none'/></file></data-writing>"),
     "2:52 write_time_frequency=\"-1\": expected a positive time: seconds, or a number with s, min, h, d, "
     "month, season or year such as \"10 min\""},
    {"file_name_with_a_folder",
     root("<data-writing><file name='{path}' write_time_frequency='1'><include field='w' "
          "time_manipulation='none'/></file></data-writing>"),
     "2:27 name=\"../a.nc\": a folder in a file's name lies in the folder of the run: \"out/a.nc\", without "
     "\"/\" before it, \".\" or \"..\""},
    {"hidden_file",
     root("<data-writing><file name='.nc' write_time_frequency='1'><include field='w' "
          "time_manipulation='none'/></file></data-writing>"),
     "2:27 name=\".nc\": a file's name must not begin with \".\""},
};

const std::vector<Broken> kDoubled = {
    {"data_definition_twice",
     root("<data-definition name='raw' frequency='1'><field name='w'/></data-definition>\n"
          "<data-definition name='raw' frequency='1'><field name='u'/></data-definition>"),
     "3:24 a second data-definition \"raw\"; the first is at 2:24"},
    {"field_twice_in_one_definition", fields("<field name='w'/>\n<field name='w'/>"),
     "4:14 a second field \"w\"; the first is at 3:14"},
    {"field_in_two_definitions",
     root("<data-definition name='a' frequency='1'><field name='w'/></data-definition>\n"
          "<data-definition name='b' frequency='1'><field name='w'/></data-definition>"),
     "3:54 a second field \"w\"; the first is at 2:54"},
    {"diagnostic_twice",
     rules("<operator name='arithmetic' result='e' equation='1'/></diagnostic></data-handling>\n"
           "<data-handling><diagnostic field='d'>"),
     "2:35 no rule of diagnostic \"d\" has the result \"d\"; the last rule should\n"
     "4:35 a second diagnostic \"d\"; the first is at 2:35"},
    {"diagnostic_with_the_name_of_a_field",
     rules("</diagnostic></data-handling><data-definition name='a' frequency='1'>\n<field "
           "name='d'/></data-definition>"
           "<data-handling><diagnostic field='q'><operator name='arithmetic' result='q' equation='1'/>"),
     "2:16 diagnostic \"d\" is empty; it needs at least one <operator> or <communication>, or the attribute "
     "\"expression\"\n"
     "2:35 diagnostic \"d\" has the name of a field, declared at 4:14; choose another name"},
    {"group_twice",
     root("<group name='g'><member name='w'/></group>\n<group name='g'><member name='u'/></group>"),
     "3:14 a second group \"g\"; the first is at 2:14"},
    {"member_twice", root("<group name='g'><member name='w'/>\n<member name='w'/></group>"),
     "3:15 a second member \"w\"; the first is at 2:31"},
    {"file_twice",
     includes("<include field='w' time_manipulation='none'/></file>\n"
              "<file name='f.nc' write_time_frequency='1'>"),
     "4:13 a second file \"f.nc\"; the first is at 2:27"},
};

/// A configuration with these attributes of <checkpoint>, from line 2, column 35 on.
std::string checkpoint(const std::string& attributes) {
  return root("<server-configuration><checkpoint " + attributes + "/></server-configuration>");
}

const std::vector<Broken> kCheckpoints = {
    {"checkpoint_keeps_none", checkpoint("keep='0'"),
     "2:41 keep=\"0\": expected a positive whole number such as 10"},
    {"checkpoint_steps_with_a_unit", checkpoint("steps='100 s'"),
     "2:42 steps=\"100 s\": expected a positive whole number such as 10"},
    {"checkpoint_frequency_of_nothing", checkpoint("frequency='0'"),
     "2:46 frequency=\"0\": expected a positive time: seconds, or a number with s, min, h, d, month, season "
     "or "
     "year such as \"10 min\""},
    {"checkpoint_wall_time_in_months", checkpoint("wall_time='1 month'"),
     "2:46 wall_time=\"1 month\": a clock on the wall counts no months or years; write days such as \"30 "
     "d\""},
    {"checkpoint_wall_time_in_bytes", checkpoint("wall_time='1 MiB'"),
     "2:46 wall_time=\"1 MiB\": expected a positive time: seconds, or a number with s, min, h, d, month, "
     "season or year such as \"10 min\"; did you mean \"1 min\"?"},
    {"checkpoint_signal_with_its_prefix", checkpoint("signals='SIGTERM'"),
     "2:44 signals=\"SIGTERM\": expected some of HUP, INT, TERM, USR1, USR2 or XCPU, separated by blanks; "
     "did "
     "you mean \"TERM\"?"},
    {"checkpoint_signal_that_nobody_catches", checkpoint("signals='TERM KILL'"),
     "2:44 signals=\"TERM KILL\": expected some of HUP, INT, TERM, USR1, USR2 or XCPU, separated by blanks"},
    {"checkpoint_signals_between_commas", checkpoint("signals='TERM,USR1'"),
     "2:44 signals=\"TERM,USR1\": expected some of HUP, INT, TERM, USR1, USR2 or XCPU, separated by blanks"},
    {"checkpoint_signal_twice", checkpoint("signals='TERM USR1 TERM'"),
     "2:44 signals=\"TERM USR1 TERM\": signal \"TERM\" is named twice"},
    {"checkpoint_without_signals", checkpoint("signals=' '"),
     "2:44 signals=\"\": expected signals such as \"TERM USR1\""},
    {"checkpoint_attribute_misspelt", checkpoint("wall_tiem='1 h'"),
     "2:35 unknown attribute \"wall_tiem\" of checkpoint; did you mean \"wall_time\"?"},
    {"checkpoint_twice", root("<server-configuration><checkpoint/>\n<checkpoint/></server-configuration>"),
     "3:1 a second <checkpoint> in server-configuration; the first is at 2:23"},
    {"checkpoint_outside", root("<checkpoint steps='1'/>"),
     "2:1 <checkpoint> cannot stand in io-configuration; it belongs in <server-configuration>"},
    {"state_of_something_else",
     root("<data-writing><file name='f.nc'>\n<include state='model'/>\n<include "
          "field='w'/></file></data-writing>"),
     "3:17 state=\"model\": expected io"},
    {"state_with_a_field", includes("<include state='io' field='w'/>"),
     "2:55: note: write_time_frequency has no effect: file \"f.nc\" is written with every checkpoint "
     "(state=\"io\"), for which the model asks\n"
     "3:1 include state=\"io\" says when the file is written, and nothing else: write a second include for "
     "\"field\""},
    {"state_and_means",
     root("<data-writing><file name='f.nc'>\n<include state='io'/>\n<include field='w' "
          "time_manipulation='averaged' output_frequency='10'/></file></data-writing>"),
     "4:39 a file with include state=\"io\" has the values of the step of the checkpoint: remove "
     "time_manipulation=\"averaged\"\n"
     "4:67 a file with include state=\"io\" has the values of the step of the checkpoint: remove "
     "output_frequency"},
    {"state_in_a_file_named_by_date",
     root("<data-writing><file name='f_{date}.nc'>\n<include state='io'/>\n<include field='w'/>"
          "</file></data-writing>"),
     "2:27 {date} stands for the model time of a file; file \"f_{date}.nc\" is written by steps: use {time}, "
     "its step"},
    {"step_in_a_file_by_time",
     root("<data-writing><file name='f_{step}.nc' write_time_frequency='10'>\n<include field='w' "
          "time_manipulation='none'/></file></data-writing>"),
     "2:27 {step} stands for the last step of a file; file \"f_{step}.nc\" is written by model time: use "
     "{time}, {date} or {index}"},
    {"step_and_another_key",
     root("<data-writing><file name='f_{step}_{index}.nc' write_timestep_frequency='10'>\n<include field='w' "
          "time_manipulation='none'/></file></data-writing>"),
     "2:27 {step} stands in a name once, and without {time}, {date} or {index}"},
    {"time_in_the_name_of_the_newest",
     root("<data-writing><file name='f_{time}.nc' write_time_frequency='10' keep='newest'>\n<include "
          "field='w' "
          "time_manipulation='none'/></file></data-writing>"),
     "2:27 {time} says which period a file is of; with keep=\"newest\" all have one name: leave it out"},
    {"step_in_the_name_of_the_newest",
     root("<data-writing><file name='f_{step}.nc' write_timestep_frequency='10' keep='newest'>\n<include "
          "field='w' time_manipulation='none'/></file></data-writing>"),
     "2:27 {step} says which period a file is of; with keep=\"newest\" all have one name: leave it out"},
};

INSTANTIATE_TEST_SUITE_P(Grids, BrokenConfig, ::testing::ValuesIn(kGrids), test_name);
INSTANTIATE_TEST_SUITE_P(Checkpoints, BrokenConfig, ::testing::ValuesIn(kCheckpoints), test_name);
INSTANTIATE_TEST_SUITE_P(Document, BrokenConfig, ::testing::ValuesIn(kDocument), test_name);
INSTANTIATE_TEST_SUITE_P(FilesForEverybody, BrokenConfig, ::testing::ValuesIn(kFilesForEverybody), test_name);
INSTANTIATE_TEST_SUITE_P(Elements, BrokenConfig, ::testing::ValuesIn(kElements), test_name);
INSTANTIATE_TEST_SUITE_P(Values, BrokenConfig, ::testing::ValuesIn(kValues), test_name);
INSTANTIATE_TEST_SUITE_P(Rules, BrokenConfig, ::testing::ValuesIn(kRules), test_name);
INSTANTIATE_TEST_SUITE_P(Files, BrokenConfig, ::testing::ValuesIn(kFiles), test_name);
INSTANTIATE_TEST_SUITE_P(Doubled, BrokenConfig, ::testing::ValuesIn(kDoubled), test_name);

TEST(BrokenConfiguration, reports_every_mistake_at_once_and_in_order) {
  const std::string text = root(
      "<data-writing><file name='f' write_time_frequency='x'><include group='g'/></file></data-writing>\n"
      "<data-handling><diagnostic field='d'><operator name='x' result='d'/></diagnostic></data-handling>\n"
      "<data-definition nam='raw' frequency='no'><field name='{k}'/>text</data-definition>");

  const std::string said = said_about(text);

  std::vector<std::string> places;
  for (std::size_t at = 0; at < said.size();
       at = said.find('\n', at) == said.npos ? said.size() : said.find('\n', at) + 1) {
    places.push_back(said.substr(at, said.find(' ', at) - at));
  }
  EXPECT_EQ(places,
            (std::vector<std::string>{"2:52", "2:55", "2:71", "3:54", "4:18", "4:39", "4:56", "4:62"}))
      << said;
}

TEST(BrokenConfiguration, cuts_long_words_in_messages) {
  const std::string said = said_about(root("<group name='" + std::string(100000, ' ') + "é" +
                                           std::string(1000, '/') + "'><member name='w'/></group>"));

  EXPECT_LT(said.size(), 400u);
}

}  // namespace
}  // namespace pileus::testing
