#pragma once
// A configuration of a job of several components: what stands in <component name="ocean"> is read for the
// ocean alone, what stands outside for each of them.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/dialect.h"
#include "core/error.h"
#include "xml/xml_document.h"

namespace pileus {

inline constexpr std::string_view kComponentElement = "component";

/// The contents of the component that is asked for; nullptr where there is none to be read. Reports what is
/// wrong with the components of the document: one that is not there, one twice.
/// `name`: "" if the model names none. `is_first`: it is the file that the run is started with.
const XmlElement* chosen_component(const XmlDocument& document, const std::string& name, bool is_first,
                                   Findings& findings);

/// Reports files of the component that another one writes, too. `all`: the configurations of all, options in
/// them not replaced. Names with options differ where these do, which nobody knows here.
void check_files_of_components(const std::string& component, const std::map<std::string, Config>& all,
                               Findings& findings);

/// The names of the components in a document, each once, in their order.
std::vector<std::string> component_names(const XmlDocument& document);

/// The names of the components in a text, each once, in their order; none if all of it is for whoever reads
/// it, or if it is not well-formed.
std::vector<std::string> component_names(std::string_view text, const std::string& file_name,
                                         const Dialects& dialects = {});

}  // namespace pileus
