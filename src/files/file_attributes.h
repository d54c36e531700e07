#pragma once

#include <string>
#include <vector>

#include "files/run_identity.h"
#include "formats/format.h"
#include "plan/plan.h"

namespace pileus {

std::vector<FileAttribute> converted(const std::vector<Attribute>& attributes);

/// The variable with places of cells, yet without its dimensions.
FileStatic static_of_places(const PlannedPlaces& planned, Index cells);

FileStatic static_of(const Container& container);
/// The variable, and that of its bounds where it has some, yet without their dimensions.
std::vector<FileStatic> statics_of(const PlannedScalar& scalar);

/// Says of a variable what was rounded away, of bits under the name that netCDF has for it.
void add_rounding(const Storage& storage, std::vector<FileAttribute>& attributes);

/// What says that numbers are rounded to so many bits, for variables of which that is known at the end alone.
std::vector<FileAttribute> rounding_attributes(int bits);

/// Says it of all variables that are rounded to bits as CF 1.12 does (section 8.4), with a variable that
/// names the algorithm; where that name is taken, not at all.
void describe_rounding(FileDefinition& definition);

/// Gives a file what no other has where its attributes leave place: a tracking_id that ends with the UUID 0
/// ends with one of its own, and a creation_date of zeros is when the run began. `name`: of the file. The
/// same in each layout and after a continuation: the UUID is a hash of the name, the beginning of the run and
/// the attributes.
FileDefinition with_its_identity(FileDefinition definition, const std::string& name, const RunIdentity& run);

}  // namespace pileus
