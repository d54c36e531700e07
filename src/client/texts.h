#pragma once
// Texts on their way from the model. In memory they end at a NUL or are padded with blanks. On the wire and
// in files each has the field's length and is padded with NUL. The field's first dimension is that length, so
// the bytes of a text are elements like any others.

#include <span>
#include <string_view>
#include <vector>

#include "client/strided_copy.h"
#include "core/model_description.h"

namespace pileus {

/// The texts of an array, fastest dimension first, without blanks at their ends. The array's first dimension
/// holds the characters and may have any size; the others are those of the field.
/// Errors: UsageError if the other counts are not the field's, or characters do not lie together.
std::vector<std::string_view> texts_of(const ModelField& field, const StridedArray& array);

/// Errors: UsageError if the field has no texts, if their number here is another one, or if one is too long.
void require_texts(const ModelField& field, std::span<const std::string_view> texts);
/// Errors: UsageError if the field is no map, if it does not take so many pairs, or if a text is too long.
void require_map(const ModelField& field, std::span<const std::string_view> keys_and_values);

/// Writes the texts, padded with NUL to `counts[0]` bytes each, and then empty ones up to the number of
/// elements. REQUIRES: they fit.
void copy_texts(std::span<const std::string_view> texts, std::span<const Index> counts, char* to);

}  // namespace pileus
