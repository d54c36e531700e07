#pragma once
// What stands in front of the numbers of a message: sections 1, 3 and 4, as ecCodes makes them of their keys.
// The one place that knows ecCodes. For one lane at a time.

#include <cstddef>
#include <memory>
#include <vector>

#include "core/calendar.h"
#include "formats/format.h"
#include "formats/grib/terms/grid.h"
#include "formats/grib/terms/message.h"

namespace pileus::grib {

/// The date of model time 0.
struct ReferenceTime {
  Calendar calendar = Calendar::proleptic_gregorian;
  Date date = {2000, 1, 1, 0, 0, 0};
};

/// When a message is: an instant, or a stretch with its end. Seconds after the reference.
struct MessageTime {
  std::int64_t begin_s = 0, end_s = 0;
};

class Headers {
 public:
  /// `file`: attributes of the file; grib_centre and grib_subcentre in them are numbers of WMO's tables.
  /// Errors: OutputError: ecCodes has no samples, or does not take a key.
  Headers(const GridKeys& grid, const MessageTerms& terms, const ReferenceTime& reference,
          const std::vector<FileAttribute>& file);

  /// The sections of the message of one of the levels. Errors: OutputError.
  std::vector<std::byte> sections(std::size_t level, const MessageTime& time);

 private:
  struct Release {
    void operator()(void* handle) const;
  };
  void set(const std::string& key, long value);
  void set_surface(const std::string& which, const Surface& surface);
  void set_time(const MessageTime& time);

  std::unique_ptr<void, Release> handle_;
  MessageTerms terms_;
  ReferenceTime reference_;
};

/// What stands before the sections with numbers, of so many bytes, in a message that ends behind them.
std::vector<std::byte> begin_of_message(const std::vector<std::byte>& sections, std::size_t packed_bytes,
                                        int discipline);

}  // namespace pileus::grib
