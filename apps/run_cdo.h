#pragma once

#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace pileus::apps {

/// There is no program CDO.
class NoCdo : public std::exception {
 public:
  explicit NoCdo(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// Runs `cdo`, or the program that PILEUS_CDO names, in `folder`, with these arguments and no shell. What it
/// prints goes to the file `output`. CDO's own variables are left out of its environment. Returns "" or how
/// it ended otherwise. Errors: NoCdo that says what to install.
std::string run_cdo(const std::string& folder, const std::vector<std::string>& arguments,
                    const std::string& output);

}  // namespace pileus::apps
