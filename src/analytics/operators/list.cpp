#include "analytics/operators/list.h"

#include "plugins/operator_library.h"
#include "time/manipulations/list.h"

// The operators. Each has a function of that name in a file here, which returns its declaration. A new one is
// such a function and a line in this list. `native`: it declares more than an applied operator.
// clang-format off
#define PILEUS_BUILTIN(native, applied) \
  native(argmax)                        \
  native(argmin)                        \
  native(arithmetic)                    \
  native(at)                            \
  applied(autocorrelation)              \
  applied(box)                          \
  applied(cape)                         \
  applied(clip)                         \
  native(coarsen)                       \
  applied(cospectrum)                   \
  applied(cumsum)                       \
  applied(d2dx2)                        \
  applied(d2dy2)                        \
  applied(d2dz2)                        \
  native(ddt)                           \
  applied(ddx)                          \
  applied(ddy)                          \
  applied(ddz)                          \
  applied(divergence)                   \
  applied(field_coarsener)              \
  applied(field_slicer)                 \
  native(filter)                        \
  native(in_bins)                       \
  applied(interpolate)                  \
  applied(isosurface)                   \
  native(joint_histogram)               \
  applied(label)                        \
  native(lag)                           \
  applied(levels)                       \
  native(localreduce)                   \
  native(median)                        \
  native(mode)                          \
  applied(objects)                      \
  applied(paired)                       \
  native(quantile)                      \
  native(reductionlayer)                \
  native(reductionlocation)             \
  native(regrid)                        \
  native(section)                       \
  applied(shell)                        \
  applied(shift)                        \
  applied(spectrum)                     \
  applied(structure_function)           \
  native(time_cospectrum)               \
  native(time_spectrum)                 \
  applied(track)                        \
  applied(track_ends)                   \
  applied(tracks)                       \
  applied(vorticity)
// clang-format on

namespace pileus {

namespace operators {
#define PILEUS_NATIVE(name) Declaration name();
#define PILEUS_APPLIED(name) Operator name();
PILEUS_BUILTIN(PILEUS_NATIVE, PILEUS_APPLIED)
#undef PILEUS_NATIVE
#undef PILEUS_APPLIED
}  // namespace operators

namespace {

Declaration reduction() {
  return {"reduction",
          "Reduces over all model ranks and servers; one server, the root, has the result.",
          {kTaken,
           {"field", ParameterKind::name, true, "", {}, "the field or result that is reduced"},
           kOtherOfPair,
           kWeight,
           {"root", ParameterKind::server, false, "auto", {}, "the server that gets the result, or auto"}},
          RuleKind::reduction};
}

Declaration allreduction() {
  Declaration declaration = reduction();
  declaration.name = "allreduction";
  declaration.help = "Reduces over all model ranks and servers; every server has the result.";
  declaration.parameters.back().help = "the server where the parts meet, or auto";
  declaration.kind = RuleKind::allreduction;
  return declaration;
}

Declaration broadcast() {
  return {"broadcast",
          "Sends what one server has, after a reduction, to every server.",
          {{"field", ParameterKind::name, true, "", {}, "the reduced value, or what was computed from one"}},
          RuleKind::broadcast};
}

}  // namespace

Catalogue builtin_catalogue(const ReadGrid& read_grid) {
  Catalogue catalogue;
#define PILEUS_LIST(name) catalogue.operators.emplace_back(operators::name());
  PILEUS_BUILTIN(PILEUS_LIST, PILEUS_LIST)
#undef PILEUS_LIST
  catalogue.communications = {allreduction(), broadcast(), reduction()};
  catalogue.time_manipulations = all_manipulations();
  catalogue.load_operators = load_operators;
  catalogue.read_grid = read_grid;
  return catalogue;
}

}  // namespace pileus
