#pragma once
// The <file> that a <cmip> is.

#include <optional>
#include <string>

#include "config/cmip/cmip_time.h"
#include "config/cmip/dataset.h"
#include "config/config.h"

namespace pileus {

/// One variable, all that is known of it.
struct CmipRequest {
  const ElementReader& element;
  CmipVariable variable;
  CmipTime time;
  CmipValues values;  ///< of the dataset and its own
  CmipFile coordinates;
};

/// `scope`: where its field is looked up. Nothing after an error.
std::optional<FileConfig> file_of(const CmipDataset& dataset, const CmipRequest& request,
                                  const std::string& scope);

}  // namespace pileus
