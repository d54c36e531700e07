#include "plugins/c_operators.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "core/error.h"

namespace pileus {
namespace {

using operators::ParameterKind;

constexpr std::size_t kMostDimensions = PILEUS_OPERATOR_MOST_DIMENSIONS;
constexpr std::size_t kMostInputs = PILEUS_OPERATOR_MOST_INPUTS;
constexpr std::array kKinds = {
    ParameterKind::text,          ParameterKind::word, ParameterKind::number, ParameterKind::whole_number,
    ParameterKind::whole_numbers, ParameterKind::name, ParameterKind::names};

std::string text_of(const char* text) { return text == nullptr ? "" : text; }

/// A text of an array that a library may have filled to its end.
template <std::size_t Size>
std::string text_within(const char (&text)[Size]) {
  return {text, strnlen(text, Size)};
}

std::vector<std::string> words_of(const char* words) {
  std::vector<std::string> list;
  const std::string all = text_of(words);
  for (std::size_t from = 0; from < all.size();) {
    const std::size_t comma = std::min(all.find(',', from), all.size());
    list.push_back(all.substr(from, comma - from));
    from = comma + 1;
  }
  return list;
}

operators::Parameter parameter_of(const pileus_operator_parameter& one, const std::string& name) {
  if (one.kind < 0 || static_cast<std::size_t>(one.kind) >= kKinds.size())
    throw PluginError("declares nonsense of operator \"" + name + "\": the parameter \"" + text_of(one.name) +
                      "\" has the kind " + std::to_string(one.kind));
  return {text_of(one.name),    kKinds[static_cast<std::size_t>(one.kind)],
          one.is_required != 0, text_of(one.default_value),
          words_of(one.words),  text_of(one.help),
          text_of(one.units)};
}

/// Quantities as C has them, which point into those of C++.
pileus_operator_quantity in_c(const operators::Quantity& quantity) {
  pileus_operator_quantity out{};
  if (quantity.dimensions.size() > kMostDimensions)
    throw UsageError("\"" + quantity.name + "\" has " + std::to_string(quantity.dimensions.size()) +
                     " dimensions, and an operator in C gets at most " + std::to_string(kMostDimensions));
  out.name = quantity.name.c_str();
  out.type = static_cast<std::int32_t>(quantity.type);
  out.rank = static_cast<std::int32_t>(quantity.dimensions.size());
  for (std::size_t d = 0; d < quantity.dimensions.size(); ++d) {
    const operators::Dimension& from = quantity.dimensions[d];
    out.dimensions[d] = {from.name.c_str(), from.size,
                         from.coordinates.empty() ? nullptr : from.coordinates.data(), from.units.c_str()};
  }
  out.has_missing = quantity.missing.has_value() ? 1 : 0;
  out.missing = quantity.missing.value_or(0);
  return out;
}

operators::Quantity from_c(const pileus_operator_quantity& quantity) {
  if (quantity.type < PILEUS_OPERATOR_DOUBLE || quantity.type > PILEUS_OPERATOR_BOOL)
    throw UsageError("its result has the type " + std::to_string(quantity.type) + ", which is none");
  if (quantity.rank < 0 || static_cast<std::size_t>(quantity.rank) > kMostDimensions)
    throw UsageError("its result has " + std::to_string(quantity.rank) + " dimensions");
  operators::Quantity out{"", static_cast<operators::Type>(quantity.type), {}, {}};
  for (std::int32_t d = 0; d < quantity.rank; ++d) {
    const pileus_operator_dimension& from = quantity.dimensions[d];
    if (from.name == nullptr || *from.name == '\0') throw UsageError("a dimension of its result has no name");
    operators::Dimension dimension{from.name, from.size, {}, text_of(from.units), {}};
    if (from.coordinates != nullptr && from.size > 0)
      dimension.coordinates.assign(from.coordinates, from.coordinates + from.size);
    out.dimensions.push_back(std::move(dimension));
  }
  if (quantity.has_missing != 0) out.missing = quantity.missing;
  return out;
}

/// What the two calls of a rule look into.
struct Host {
  const operators::Rule& rule;
  static const Host& of(const void* host) { return *static_cast<const Host*>(host); }
};

const char* parameter_text(const void* host, const char* name) {
  const auto& all = Host::of(host).rule.parameters;
  const auto found = all.find(text_of(name));
  return found == all.end() ? nullptr : found->second.c_str();
}

std::int32_t input_number(const void* host, const char* name) {
  const char* const text = parameter_text(host, name);
  if (text == nullptr) return -1;
  const std::vector<operators::Quantity>& inputs = Host::of(host).rule.inputs;
  const auto found = std::ranges::find(inputs, std::string(text), &operators::Quantity::name);
  return found == inputs.end() ? -1 : static_cast<std::int32_t>(found - inputs.begin());
}

/// The data of one rule, released after the last that computes with it.
struct Data {
  Data(void* of, void (*with)(void*)) : data(of), release(with) {}
  ~Data() {
    if (release != nullptr) release(data);
  }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  void* data;
  void (*release)(void*);
};

template <class Part>
pileus_operator_part part_of(const Part& part) {
  return {static_cast<std::int32_t>(part.type), static_cast<std::int32_t>(part.region.count.size()),
          part.region.start.data(), part.region.count.data(), const_cast<void*>(part.first)};
}

std::vector<std::vector<operators::Halo>> halos_of(const pileus_operator_prepared& prepared,
                                                   const std::vector<operators::Quantity>& inputs) {
  std::vector<std::vector<operators::Halo>> halos(inputs.size());
  bool has_any = false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::vector<operators::Halo> all;
    bool has_one = false;
    for (std::size_t d = 0; d < inputs[i].dimensions.size(); ++d) {
      const pileus_operator_halo& halo = prepared.halos[i][d];
      all.push_back({halo.before, halo.after, halo.is_periodic != 0});
      has_one |= halo.before != 0 || halo.after != 0;
    }
    if (has_one) halos[i] = std::move(all);
    has_any |= has_one;
  }
  return has_any ? halos : std::vector<std::vector<operators::Halo>>{};
}

[[noreturn]] void refuse(const pileus_operator_error& error) {
  std::string text = text_within(error.text);
  if (text.empty()) text = "it fails and does not say why";
  if (const std::string parameter = text_within(error.parameter); !parameter.empty())
    throw operators::ParameterError(parameter, text);
  throw UsageError(text);
}

operators::Prepared prepare(const pileus_operator& one, const operators::Rule& rule) {
  if (rule.inputs.size() > kMostInputs)
    throw UsageError("it has " + std::to_string(rule.inputs.size()) + " inputs, and an operator in C gets " +
                     std::to_string(kMostInputs) + " at most");
  std::vector<pileus_operator_quantity> inputs;
  for (const operators::Quantity& input : rule.inputs) inputs.push_back(in_c(input));
  const Host host{rule};
  const pileus_operator_rule in{static_cast<std::int32_t>(inputs.size()), inputs.data(), &host,
                                parameter_text, input_number};
  const auto out = std::make_unique<pileus_operator_prepared>();  // too large for a stack
  pileus_operator_error error{};
  const std::int32_t status = one.prepare(&in, out.get(), &error);
  auto data = std::make_shared<Data>(out->data, out->release);
  if (status != 0) refuse(error);
  operators::Prepared prepared;
  prepared.result = from_c(out->result);
  prepared.working_bytes = out->working_bytes;
  prepared.halos = halos_of(*out, rule.inputs);
  prepared.compute = [compute = one.compute, data = std::move(data)](
                         const std::vector<operators::Part>& parts, const operators::ResultPart& result) {
    std::array<pileus_operator_part, kMostInputs> input;
    for (std::size_t i = 0; i < parts.size(); ++i) input[i] = part_of(parts[i]);
    const pileus_operator_part filled = part_of(result);
    pileus_operator_error problem{};
    const auto count = static_cast<std::int32_t>(parts.size());
    if (compute(data->data, count, input.data(), &filled, &problem) != 0) refuse(problem);
  };
  return prepared;
}

operators::Operator operator_of(const pileus_operator& one) {
  operators::Operator out;
  out.name = text_of(one.name);
  out.help = text_of(one.help);
  out.along = text_of(one.along);
  out.knows_missing = one.knows_missing != 0;
  const std::string nonsense = "declares nonsense of operator \"" + out.name + "\": ";
  if (one.prepare == nullptr || one.compute == nullptr)
    throw PluginError(nonsense + "it has no function to " + (one.prepare == nullptr ? "prepare" : "compute"));
  if (one.parameters < 0 || (one.parameters > 0 && one.parameter == nullptr))
    throw PluginError(nonsense + "it says that it has " + std::to_string(one.parameters) +
                      " parameters, and has none");
  for (std::int32_t p = 0; p < one.parameters; ++p)
    out.parameters.push_back(parameter_of(one.parameter[p], out.name));
  out.prepare = [one](const operators::Rule& rule) { return prepare(one, rule); };
  return out;
}

}  // namespace

std::vector<operators::Operator> operators_of(const pileus_operator_table& table) {
  if (table.abi != PILEUS_OPERATOR_ABI)
    throw PluginError("was compiled for version " + std::to_string(table.abi) +
                      " of pileus/operator.h, and this is " + std::to_string(PILEUS_OPERATOR_ABI) +
                      ": compile it again");
  if (table.operators < 0 || (table.operators > 0 && table.operator_ == nullptr))
    throw PluginError("has a table of " + std::to_string(table.operators) + " operators, and none in it");
  std::vector<operators::Operator> all;
  for (std::int32_t i = 0; i < table.operators; ++i) all.push_back(operator_of(table.operator_[i]));
  return all;
}

}  // namespace pileus
