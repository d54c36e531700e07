// Libraries with something wrong with them, one for each ODD_... that is defined.

#ifdef ODD_VERSION
#include <cstdint>
extern "C" const std::uint32_t pileus_operator_interface;
const std::uint32_t pileus_operator_interface = 999;
extern "C" void pileus_list_operators(void*) {}
#elif defined(ODD_EMPTY)
extern "C" int nothing_of_ours() { return 1; }
#else
#include <new>
#include <pileus/operator.hpp>

using namespace pileus::operators;

namespace {

/// An operator that fails in every step.
Prepared prepare(const Rule& rule) {
  Prepared prepared;
  prepared.result = rule.input("field");
  prepared.compute = [](const std::vector<Part>&, const ResultPart&) {
#ifdef ODD_MEMORY
    throw std::bad_alloc();
#else
    throw std::runtime_error("it rains");
#endif
  };
  return prepared;
}

Operator odd(const std::string& name) {
  Operator made{name, "Fails.", {{"field", ParameterKind::name, true, "", {}, "any field"}}, prepare};
#ifdef ODD_THROWS
  throw std::runtime_error("no wish to declare anything");
#endif
#ifdef ODD_NONSENSE
  made.prepare = nullptr;
#endif
  return made;
}

}  // namespace

#ifdef ODD_TAKEN
PILEUS_OPERATOR_LIBRARY(odd("field_slicer"))
#else
PILEUS_OPERATOR_LIBRARY(odd("failing"))
#endif
#endif
