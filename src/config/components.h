#pragma once
// A configuration of a job of several components: what stands in <component name="ocean"> is read for the
// ocean alone, what stands outside for each of them.

#include <string>
#include <string_view>
#include <vector>

#include "config/dialect.h"
#include "config/xml_document.h"
#include "core/error.h"

namespace pileus {

inline constexpr std::string_view kComponentElement = "component";

/// The contents of the component that is asked for; nullptr where there is none to be read. Reports what is
/// wrong with the components of the document: one that is not there, one twice, a file of two of them.
/// `name`: "" if the model names none. `is_first`: it is the file that the run is started with.
const XmlElement* chosen_component(const XmlDocument& document, const std::string& name, bool is_first,
                                   Findings& findings);

/// The names of the components in a document, each once, in their order.
std::vector<std::string> component_names(const XmlDocument& document);

/// The names of the components in a text, each once, in their order; none if all of it is for whoever reads
/// it, or if it is not well-formed.
std::vector<std::string> component_names(std::string_view text, const std::string& file_name,
                                         const Dialects& dialects = {});

}  // namespace pileus
