#include "xml/xml_document.h"

#include <gtest/gtest.h>

namespace pileus {
namespace {

struct Parsed {
  Findings findings;
  XmlDocument document;
  explicit Parsed(std::string_view text) : document(text, "io.xml", findings) {}

  const XmlElement& root() const { return *document.root(); }
  std::string where(std::size_t offset) const { return document.where(offset).text(); }
};

TEST(XmlDocument, knows_where_elements_names_and_values_stand) {
  const Parsed parsed("<a>\n  <b x=\"1\"\n\ty = 'two'/>\n</a>");

  const XmlElement& b = parsed.root().children.at(0);
  EXPECT_EQ(parsed.where(b.at), "io.xml:2:3");
  EXPECT_EQ(parsed.where(b.attributes.at(0).name_at), "io.xml:2:6");
  EXPECT_EQ(parsed.where(b.attributes.at(0).value_at), "io.xml:2:9");
  EXPECT_EQ(parsed.where(b.attributes.at(1).name_at), "io.xml:3:2");
  EXPECT_EQ(parsed.where(b.attributes.at(1).value_at), "io.xml:3:7");
  EXPECT_EQ(b.attributes.at(1).value, "two");
  EXPECT_TRUE(parsed.document.is_complete());
}

TEST(XmlDocument, counts_crlf_and_a_lone_cr_as_one_line_end) {
  const Parsed parsed("<a>\r\n<b/>\r<c/>\n\r\n<d/></a>");

  EXPECT_EQ(parsed.where(parsed.root().children.at(0).at), "io.xml:2:1");
  EXPECT_EQ(parsed.where(parsed.root().children.at(1).at), "io.xml:3:1");
  EXPECT_EQ(parsed.where(parsed.root().children.at(2).at), "io.xml:5:1");
}

TEST(XmlDocument, counts_columns_in_bytes_and_a_byte_order_mark_not_at_all) {
  const Parsed parsed("\xEF\xBB\xBF<a u=\"µé\" v=\"1\"/>");

  EXPECT_EQ(parsed.where(parsed.root().at), "io.xml:1:1");
  EXPECT_EQ(parsed.root().attributes.at(0).value, "µé");
  EXPECT_EQ(parsed.where(parsed.root().attributes.at(1).name_at), "io.xml:1:13");
}

TEST(XmlDocument, finds_attributes_behind_values_that_look_like_xml) {
  const Parsed parsed("<a t='x=\"1\" > y=' y=\"it's\"/>");

  EXPECT_EQ(parsed.root().attributes.at(0).value, "x=\"1\" > y=");
  EXPECT_EQ(parsed.root().attributes.at(1).value, "it's");
  EXPECT_EQ(parsed.where(parsed.root().attributes.at(1).name_at), "io.xml:1:19");
}

TEST(XmlDocument, maps_bytes_of_a_value_back_over_entities_and_line_ends) {
  // Resolved: "&x<" + blank + "é" (2 bytes) + "y"; "y" is byte 6.
  const Parsed parsed("<a t='&amp;x&lt;\r\n&#xe9;y'/>");

  const XmlAttribute& attribute = parsed.root().attributes.at(0);
  EXPECT_EQ(attribute.value, "&x< éy");
  EXPECT_EQ(parsed.document.where_in_value(attribute, 0).text(), "io.xml:1:7");
  EXPECT_EQ(parsed.document.where_in_value(attribute, 1).text(), "io.xml:1:12");
  EXPECT_EQ(parsed.document.where_in_value(attribute, 3).text(), "io.xml:1:17");
  EXPECT_EQ(parsed.document.where_in_value(attribute, 4).text(), "io.xml:2:1");
  EXPECT_EQ(parsed.document.where_in_value(attribute, 6).text(), "io.xml:2:7");
}

TEST(XmlDocument, keeps_text_between_elements_with_its_place) {
  const Parsed parsed("<a>\n  one &amp; two\n<b/> <![CDATA[three]]></a>");

  ASSERT_EQ(parsed.root().texts.size(), 2u);
  EXPECT_EQ(parsed.root().texts[0].text, "one & two");
  EXPECT_EQ(parsed.where(parsed.root().texts[0].at), "io.xml:2:3");
  EXPECT_EQ(parsed.root().texts[1].text, "three");
}

TEST(XmlDocument, passes_over_comments_and_processing_instructions) {
  const Parsed parsed(
      "<?xml version='1.0' encoding='utf-8'?><!-- <b> --><a><?note x?><!-- text --></a><!-- end -->");

  EXPECT_EQ(parsed.findings.text(), "");
  EXPECT_TRUE(parsed.root().children.empty());
  EXPECT_TRUE(parsed.root().texts.empty());
}

TEST(XmlDocument, keeps_what_came_before_the_place_where_it_is_not_well_formed) {
  const Parsed parsed("<a>\n<b x=\"1\"/>\n<c></d>\n</a>");

  EXPECT_EQ(parsed.findings.text(),
            "io.xml:3:6: error: not well-formed XML: mismatched tag; <c> of line 3 is not closed yet");
  EXPECT_FALSE(parsed.document.is_complete());
  EXPECT_FALSE(parsed.root().is_complete);
  EXPECT_TRUE(parsed.root().children.at(0).is_complete);
}

TEST(XmlDocument, says_to_quote_a_value_that_is_not_quoted) {
  const Parsed parsed("<a>\n<b optional=true/></a>");

  EXPECT_EQ(parsed.findings.text(),
            "io.xml:2:13: error: not well-formed XML: put the value of the attribute in quotes");
}

TEST(XmlDocument, refuses_a_doctype_and_the_entities_in_it) {
  const Parsed parsed("<!DOCTYPE a [<!ENTITY x \"y\">]>\n<a t='&x;'/>");

  EXPECT_EQ(parsed.findings.all().size(), 1u);
  EXPECT_NE(parsed.findings.text().find("a DOCTYPE is not allowed"), std::string::npos)
      << parsed.findings.text();
  EXPECT_EQ(parsed.document.root(), nullptr);
}

TEST(XmlDocument, refuses_encodings_other_than_utf_8) {
  const Parsed parsed("<?xml version='1.0' encoding='ISO-8859-1'?><a t='\xE9'/>");

  EXPECT_EQ(parsed.findings.text(),
            "io.xml:1:1: error: the encoding \"ISO-8859-1\" is not supported; save the file as UTF-8");
}

TEST(XmlDocument, has_no_root_where_there_is_no_element) {
  for (const char* text : {"", "\n", "<!-- nothing -->", "just text", "\xEF\xBB\xBF"}) {
    const Parsed parsed(text);
    EXPECT_EQ(parsed.document.root(), nullptr) << text;
    EXPECT_EQ(parsed.findings.all().size(), 1u) << text;
  }
}

TEST(XmlDocument, survives_a_hundred_thousand_nested_elements) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "<a>x";
  const std::string open = text;
  for (int i = 0; i < 100000; ++i) text += "</a>";

  const Parsed closed(text);
  const Parsed broken(open);

  EXPECT_EQ(closed.findings.text(), "");
  EXPECT_EQ(broken.findings.all().size(), 1u);
}

TEST(XmlDocument, refuses_more_than_sixteen_mebibytes) {
  const Parsed parsed(std::string((std::size_t{16} << 20) + 1, ' '));

  EXPECT_EQ(parsed.findings.text(), "io.xml: error: larger than 16 MiB: this is not a configuration");
}

}  // namespace
}  // namespace pileus
