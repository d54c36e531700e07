#pragma once
// What files say of dimensions and of time, from the configuration and from the model, and how variables lie
// in them.

#include "core/model_description.h"
#include "layout/draft.h"

namespace pileus::planning {

/// The calendar and the date of model time 0. What the configuration says counts, with a warning where the
/// model says otherwise; where nobody says anything it is a nominal date. Errors: ranks that differ; a date
/// that the calendar does not have.
PlannedTime choose_time(const Config& config, const ModelDescription& model, Findings& findings);

/// Months are those of the run's calendar.
Frequency frequency_of(const Duration& duration, const PlannedTime& time);

/// Adds what the configuration says to the dimensions of the model.
/// Errors: dimensions that the model does not have; cells of coordinates that have none or are not monotonic.
/// Warnings: units that are not the model's.
void describe_dimensions(const Config& config, std::vector<PlannedDimension>& dimensions, Findings& findings);

bool is_strictly_monotonic(const std::vector<double>& numbers);

/// Whether the dimension runs from west to east or from south to north, as far as the configuration or, where
/// it is silent, its name tells: 'X', 'Y', 'Z', or 0.
char axis_of(const PlannedDimension& dimension);

/// Of an entry: the first of include, field or diagnostic, and file that says something, item by item.
StorageConfig storage_of(const Draft& draft, const Entry& entry);

/// The dimensions of a value as `order` has them, fastest first; nothing after an error.
/// Errors: a dimension that the model does not have, or that the order does not name; time anywhere but
/// first.
std::optional<std::vector<DimensionId>> ordered(const Draft& draft, const Entry& entry, const Term& value,
                                                const std::vector<Text>& order, Findings& findings);

}  // namespace pileus::planning
