#include "files/file_names.h"

#include "files/file_layout.h"

namespace pileus {

bool lies_within(std::string_view name) {
  for (std::size_t slash; (slash = name.find('/')) != name.npos; name.remove_prefix(slash + 1)) {
    if (slash == 0 || name.front() == '.') return false;
  }
  return !name.empty();
}

std::vector<std::string> folders_of_name(const std::string& name) {
  std::vector<std::string> folders;
  for (std::size_t slash = name.find('/'); slash != name.npos; slash = name.find('/', slash + 1))
    folders.push_back(name.substr(0, slash));
  return folders;
}

std::string FileNames::name(FilePeriod file) const {
  return file_name(plan_[file.file], plan_.time, file.period, last_step_);
}

std::string FileNames::name_of_period(FilePeriod file) const {
  return pileus::name_of_period(plan_[file.file], plan_.time, file.period, last_step_);
}

std::string FileNames::temporary_name(FilePeriod file) const {
  const std::string lasting = pileus::name_of_period(plan_[file.file], plan_.time, file.period);
  return pileus::temporary_name(lasting, run_);
}

std::string FileNames::name_of_part(FilePeriod file, ServerRank server) const {
  // What the last step of the run is nobody knows yet.
  const std::string whole = pileus::name_of_period(plan_[file.file], plan_.time, file.period);
  const std::string number = std::to_string(server);
  const std::string zeros(number.size() < 4 ? 4 - number.size() : 0, '0');
  return std::string(without_extension(whole)) + ".parts/" + zeros + number + "." + run_.id + "-" +
         std::to_string(run_.attempt) + plan_[file.file].kind->extension;
}

std::string FileNames::part_beside(FilePeriod file, ServerRank server) const {
  const std::string name = name_of_part(file, server);
  const std::size_t folder = name.rfind('/', name.rfind('/') - 1);
  return folder == name.npos ? name : name.substr(folder + 1);
}

std::string FileNames::final_path_beside(FilePeriod file) const {
  const std::string beside = plan_[file.file].kind->beside;
  return beside.empty() ? "" : final_path(file) + beside;
}

std::string FileNames::temporary_path_beside(FilePeriod file) const {
  const std::string beside = plan_[file.file].kind->beside;
  if (beside.empty()) return "";
  const std::string lasting = pileus::name_of_period(plan_[file.file], plan_.time, file.period);
  return directory_ + "/" + pileus::temporary_name(lasting + beside, run_);
}

}  // namespace pileus
