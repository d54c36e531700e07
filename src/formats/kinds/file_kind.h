#pragma once
// What a format of files declares of itself, once: a line in the list below and its declaration in
// formats/kinds/file_kind.cpp; a folder of its name in formats makes its files. Configurations and plans ask
// the declaration, and know no library.

#include <string_view>
#include <vector>

#include "codecs/codec.h"

namespace pileus {

struct FileKind {
  const char* name;                  ///< in configurations
  const char* extension;             ///< of the names of its files, with the dot
  const char* help;                  ///< one line
  std::vector<const Codec*> codecs;  ///< with which it compresses
  bool sorts_before;                 ///< it can sort bytes before a codec that does not do so itself
  bool is_folder;                    ///< what is published is a folder of files
  /// Each level of a record is a message of its own, on a plane, with a parameter and a date.
  bool is_of_messages = false;
  const char* beside = "";  ///< behind the name of a file that is published with each; "": there is none
  bool is_there = true;     ///< this program can write it
  bool has_groups = false;  ///< it has a place for coarser levels
  /// Not called so elsewhere: two formats that differ in nothing else are none.
  friend bool operator==(const FileKind& a, const FileKind& b) { return &a == &b; }
};

// In the order of the reference; the first one is meant where nobody says one.
#define PILEUS_FILE_KINDS(kind) kind(netcdf4) kind(zarr) kind(grib2)

namespace kinds {
#define PILEUS_DECLARE_KIND(name) const FileKind& name();
PILEUS_FILE_KINDS(PILEUS_DECLARE_KIND)
#undef PILEUS_DECLARE_KIND
}  // namespace kinds

const std::vector<const FileKind*>& all_file_kinds();
/// Null where none is called so.
const FileKind* find_file_kind(std::string_view name);
/// The one whose extension a name has; null where it has none of them.
const FileKind* file_kind_of(std::string_view file_name);
/// A name without the extension of any format.
std::string_view without_extension(std::string_view file_name);

}  // namespace pileus
