#pragma once
// What files say about dimensions and time, from the configuration and the model, and how variables lie in
// the files.

#include "core/model_ranks.h"
#include "layout/draft.h"

namespace pileus::planning {

/// The calendar and the date of model time 0. The configuration overrules the model, with a warning where
/// they differ. If neither gives a date, it is a nominal one. Errors: ranks that differ; a date that the
/// calendar does not have.
PlannedTime choose_time(const Config& config, const ModelRanks& model, Findings& findings);

/// Months are months of the run's calendar.
Frequency frequency_of(const Duration& duration, const PlannedTime& time);

/// Adds a description of the configuration to its dimension.
/// Errors: cells or formula_terms for coordinates that are missing; cells where they are not monotonic.
/// Warnings: units that are not the model's.
void describe_dimension(const DimensionConfig& said, PlannedDimension& dimension, Findings& findings);

/// The same for all of these dimensions that are described. Others wait for describe_made_dimensions.
void describe_dimensions(const Config& config, std::vector<PlannedDimension>& dimensions, Findings& findings);

/// The axis of a dimension, 'X', 'Y' or 'Z', as the configuration says or, if it does not, as the name
/// suggests; 0 if neither tells.
char axis_of(const PlannedDimension& dimension);

/// Smaller records, in bytes, share chunks and are not compressed: alone they would gain nothing.
inline constexpr Index kSmallestPacked = 1024;

/// How the entry's variable is stored. For each item the first of include, field or diagnostic, and file that
/// gives it decides.
StorageConfig storage_of(const Draft& draft, const Entry& entry);

/// The dimensions of a value in the order of `order`, fastest first; nothing after an error.
/// Errors: a dimension that the model does not have, or that the order does not name; time anywhere but
/// first.
std::optional<std::vector<DimensionId>> ordered(const Draft& draft, const Entry& entry, const Term& value,
                                                const std::vector<Text>& order, Findings& findings);

}  // namespace pileus::planning
