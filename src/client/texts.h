#pragma once
// Texts on their way from the model: in memory they end at a NUL or are padded with blanks, on the wire and
// in files each has the field's length and is padded with NUL. A text of n bytes has the field's first
// dimension as its length, so its bytes are elements like any others.

#include <span>
#include <string_view>
#include <vector>

#include "client/strided_copy.h"
#include "core/model_description.h"

namespace pileus {

/// The texts of an array, fastest dimension first, without blanks at their ends. Its first dimension holds
/// the characters, as many as it likes; the others are those of the field.
/// Errors: UsageError if the other counts are not the field's, or characters do not lie together.
std::vector<std::string_view> texts_of(const ModelField& field, const StridedArray& array);

/// Errors: UsageError if the field is none of texts or has another number of them here, or one is too long.
void require_texts(const ModelField& field, std::span<const std::string_view> texts);
/// Errors: UsageError if the field is no map or has no room for the pairs, or a text is too long.
void require_map(const ModelField& field, std::span<const std::string_view> keys_and_values);

/// Writes texts of `counts[0]` bytes each, padded with NUL, and as many empty ones as are missing.
/// REQUIRES: they fit.
void copy_texts(std::span<const std::string_view> texts, std::span<const Index> counts, char* to);

}  // namespace pileus
