// Translates files: their names, MONC's defaults, and the state of its servers, which Pileus keeps in
// checkpoints.

#include <algorithm>
#include <filesystem>

#include "config/key_in_name.h"
#include "config/messages.h"
#include "monc/translate.h"

namespace pileus::monc {
namespace {

constexpr const char* kTitle = "MONC diagnostics";

class Files {
 public:
  explicit Files(const Translation& translation)
      : in_(translation), is_on_multiples_(lands_on_output(translation)) {}

  void translate() {
    for (XmlElement* writing : children(in_.root, "data-writing")) {
      for (XmlElement* file : children(*writing, "file")) translate_file(*file);
      // Removes a file that lost all its includes, each of which has been reported.
      std::erase_if(writing->children, [&](const XmlElement& file) {
        return file.name == "file" && file.children.empty() && file.is_complete && is_emptied(file);
      });
    }
  }

 private:
  bool is_emptied(const XmlElement& file) const { return std::ranges::count(emptied_, file.at) > 0; }

  void translate_file(XmlElement& file) {
    keep_within_run(file);
    put_time_before_last_dot(file);
    take_precision(file);
    set_attribute(file, "naming", in_.fork == Fork::leeds ? "monc-leeds" : "monc");
    if (!file.find("title")) set_attribute(file, "title", kTitle);
    remove_attribute(file, "store_state");  // checkpoints hold the unfinished state of every file
    const bool is_dump = is_dump_of_bridge(file);
    if (is_dump) write_with_checkpoints(file);
    std::erase_if(file.children, [&](const XmlElement& include) {
      const XmlAttribute* const state = include.name == "include" ? include.find("state") : nullptr;
      if (!state || is_dump || include.find("group") || include.find("field")) return false;
      if (in_.resolved(*state) != "io")
        return false;  // the value is wrong, which is reported where it is
                       // read
      note_state(*state);
      return true;
    });
    if (file.children.empty()) {
      emptied_.push_back(file.at);
      in_.findings().warning(in_.text.where(file.at), "file " + in_quotes(in_.resolved(file, "name")) +
                                                          " is not written: nothing is left in it");
    }
    for (XmlElement* include : children(file, "include")) {
      take_frequency_off(*include);
      count_from_last(*include);
    }
  }

  /// Whether MONC writes the file once, when a job ends, and goes on from it. A bridge makes a checkpoint in
  /// the last step of each job.
  bool is_dump_of_bridge(XmlElement& file) const {
    if (!in_.reading.options.contains(kDialectOption) || file.find("write_time_frequency")) return false;
    if (in_.resolved(file, "write_timestep_frequency") != "0") return false;
    const std::vector<XmlElement*> includes = children(file, "include");
    const auto is_of_one_moment = [&](const XmlElement* include) {
      const std::string manipulation = in_.resolved(*include, "time_manipulation");
      return manipulation.empty() || manipulation == "none" || manipulation == "instantaneous";
    };
    return std::ranges::all_of(includes, is_of_one_moment) &&
           std::ranges::any_of(includes, [&](const XmlElement* include) {
             return in_.resolved(*include, "state") == "io" && include->attributes.size() == 1;
           });
  }

  void write_with_checkpoints(XmlElement& file) {
    in_.findings().note(in_.text.where(file.at),
                        "this file is written with each checkpoint of the servers, of which the model's last "
                        "step makes one, and named by its step");
    for (const char* attribute : {"write_timestep_frequency", "write_on_terminate"})
      remove_attribute(file, attribute);
    for (XmlElement* include : children(file, "include")) remove_attribute(*include, "output_frequency");
    const std::string name = in_.resolved(file, "name");
    if (name.empty() || name.find('{') != name.npos) return;
    const Dot dot = in_.fork == Fork::epcc ? Dot::last : Dot::first;
    set_attribute(file, "name", with_key_before(dot, name, "_{time}"));
  }

  void keep_within_run(XmlElement& file) {
    const XmlAttribute* const name = file.find("name");
    const std::string path = name ? in_.resolved(*name) : "";
    const std::size_t slash = path.rfind('/');
    if (slash == path.npos) return;
    const std::string within = std::filesystem::path(path).lexically_normal().string();
    if (within.starts_with('/') || within.starts_with("..")) {
      in_.findings().note(in_.where(*name), "the folder " + in_quotes(path.substr(0, slash)) +
                                                " is left off: all files of a run are below the folder that "
                                                "is chosen where it is started");
      set_attribute(file, "name", path.substr(slash + 1));
    } else if (within != path) {
      set_attribute(file, "name", within);
    }
  }

  /// The older fork has the time before the first dot of a name, and so has naming="monc".
  void put_time_before_last_dot(XmlElement& file) {
    const XmlAttribute* const name = file.find("name");
    const std::string text = name ? in_.resolved(*name) : "";
    const std::size_t dot = text.rfind('.'), behind_folder = text.rfind('/') + 1;
    if (dot == text.npos || dot < behind_folder || text.find('.', behind_folder) == dot) return;
    if (in_.fork == Fork::leeds || !is_series(file)) return;
    if (text.find('{') != text.npos) return;
    if (in_.fork == Fork::unknown) {
      return in_.findings().error(in_.where(*name),
                                  "the time stands before the first dot of this name in the older fork of "
                                  "MONC, and before the last in the newer: " +
                                      std::string(kAskForFork));
    }
    set_attribute(file, "name", with_key_before(Dot::last, text, "_{time}"));
  }

  bool is_series(const XmlElement& file) const {
    const auto is_given = [&](const char* attribute) {
      const std::string value = in_.resolved(file, attribute);
      return !value.empty() && value.find_first_not_of("0.") != value.npos;
    };
    return is_given("write_time_frequency") || is_given("write_timestep_frequency");
  }

  /// The newer fork writes double precision unless the word is float.
  void take_precision(XmlElement& file) {
    XmlAttribute* const found = find_attribute(file, "write_precision");
    if (!found) return;
    const std::string value = in_.resolved(*found);
    std::string word = value;
    std::ranges::transform(word, word.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
    if (in_.fork == Fork::leeds) {
      in_.findings().warning(in_.where(*found),
                             "write_precision is not read: only the newer fork of MONC has it");
    } else if (word == "float") {
      set_attribute(file, "precision", "float");
    } else if (word != "double") {
      static const std::vector<std::string> kWords = {"float", "double"};
      in_.findings().warning(in_.where(*found),
                             "write_precision=" + in_quotes(value) +
                                 " is double precision: only the word float is single precision in MONC" +
                                 suggestion(word, kWords));
    }
    remove_attribute(file, "write_precision");
  }

  void note_state(const XmlAttribute& state) {
    in_.findings().note(in_.where(state),
                        "the state of the servers is not in this file: Pileus keeps it in its own "
                        "checkpoints, at the steps of which the model makes one");
  }

  /// MONC uses the frequency of this include only for the name of the time axis.
  void take_frequency_off(XmlElement& include) {
    const XmlAttribute* const frequency = include.find("output_frequency");
    if (!frequency || in_.resolved(include, "time_manipulation") != "none") return;
    in_.findings().note(
        in_.where(*frequency),
        "output_frequency has no effect with time_manipulation=\"none\", which writes every value");
    remove_attribute(include, "output_frequency");
  }

  /// Unless the newer fork steps onto times of output, a record is due so long after the one before.
  void count_from_last(XmlElement& include) {
    if (is_on_multiples_ || !include.find("output_frequency") || include.find("counts_from")) return;
    set_attribute(include, "counts_from", "last_record");
  }

  const Translation& in_;
  const bool is_on_multiples_;
  std::vector<std::size_t> emptied_;
};

}  // namespace

void translate_files(const Translation& translation) { Files(translation).translate(); }

}  // namespace pileus::monc
