#pragma once
// Reads a <field> of the configuration, and where the fields of a <data-definition> come from.

#include "config/config.h"
#include "config/element_reader.h"

namespace pileus {

FieldConfig read_field(const ElementReader& field);
/// Of a variable in the files of another component. Its shape is that of the files.
FieldConfig read_field_of_file(const ElementReader& field);

/// Whether the fields of the group are in the files of a component. They then have its name as their
/// namespace, unless another one is given.
void read_origin(const ElementReader& data, DataGroupConfig& group);

}  // namespace pileus
