#include "plugins/operator_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/error.h"
#include "core/file_kind.h"
#include "math/fp_environment.h"
#include "plugins/c_operators.h"

namespace pileus {
namespace {

using ListOperators = void(std::vector<operators::Operator>*);

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw PluginError("the operator library " + path + " " + why);
}

std::string last_error() {
  const char* text = dlerror();
  return text ? text : "for an unknown reason";
}

/// What is wrong with the declaration itself, or "".
std::string nonsense(const operators::Operator& one) {
  const auto is_usual = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (one.name.empty() || !std::ranges::all_of(one.name, is_usual)) {
    return "declares an operator \"" + one.name + "\"; a name has letters, digits and _";
  }
  const std::string what = "declares nonsense of operator \"" + one.name + "\": ";
  if (!one.prepare) return what + "it has no function to prepare";
  std::set<std::string> names = {"name", "result"};
  for (const ParameterDeclaration& parameter : one.parameters) {
    if (!names.insert(parameter.name).second)
      return what + "the parameter \"" + parameter.name + "\" is taken";
    if (parameter.name.empty()) return what + "a parameter has no name";
    if (parameter.kind == ParameterKind::word && parameter.words.empty())
      return what + "the parameter \"" + parameter.name + "\" has no words";
  }
  return "";
}

/// The table of a library in C; null if it has none. One in Fortran fills it in when it is asked for it.
const pileus_operator_table* table_in(void* library) {
  if (const void* const table = dlsym(library, "pileus_c_operators"))
    return static_cast<const pileus_operator_table*>(table);
  using Table = const pileus_operator_table*();
  const auto table = reinterpret_cast<Table*>(dlsym(library, "pileus_c_operator_table"));
  return table == nullptr ? nullptr : table();
}

std::vector<Declaration> declared(std::vector<operators::Operator> listed, const std::string& path) {
  std::vector<Declaration> declarations;
  for (operators::Operator& one : listed) {
    if (const std::string what = nonsense(one); !what.empty()) refuse(path, what);
    declarations.emplace_back(std::move(one));
  }
  return declarations;
}

}  // namespace

std::vector<Declaration> load_operators(const std::string& path) {
  if (!std::filesystem::exists(path)) refuse(path, "is not there");
  if (const std::string_view kind = kind_if_no_file(path); !kind.empty())
    refuse(path, "is " + std::string(kind) + ", and no file");
  // With a slash, or the system's folders would be searched for it.
  const std::string absolute = std::filesystem::absolute(path).string();
  const FloatingPointEnvironment kept;  // a library linked with -Ofast sets flush-to-zero when it is loaded
  void* const library = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) refuse(path, "cannot be loaded: " + last_error());
  std::vector<operators::Operator> listed;
  if (const pileus_operator_table* const table = table_in(library)) {
    try {
      listed = operators_of(*table);
    } catch (const PluginError& error) {
      refuse(path, error.what());
    }
    return declared(std::move(listed), path);
  }
  const auto* version = static_cast<const std::uint32_t*>(dlsym(library, "pileus_operator_interface"));
  const auto list = reinterpret_cast<ListOperators*>(dlsym(library, "pileus_list_operators"));
  if (!version || !list) {
    refuse(
        path,
        "declares no operators: it has no PILEUS_OPERATOR_LIBRARY(...), as pileus/operator.hpp asks, and no "
        "PILEUS_C_OPERATORS(...), as pileus/operator.h does");
  }
  if (*version != operators::kInterfaceVersion) {
    refuse(path, "was compiled for version " + std::to_string(*version) +
                     " of pileus/operator.hpp, and this is " + std::to_string(operators::kInterfaceVersion) +
                     ": compile it again");
  }
  try {
    list(&listed);
  } catch (const std::exception& error) {
    refuse(path, std::string("fails to declare its operators: ") + error.what());
  } catch (...) {
    refuse(path, "fails to declare its operators");
  }
  return declared(std::move(listed), path);
}

}  // namespace pileus
