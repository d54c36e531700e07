#pragma once
// The model's side of a run on one rank. It registers and commits, and then begins, puts and ends each step.
// capi and the simulation use it. It has no thread of its own, and waits only at commit, at finish, and when
// the budget is full. One thread makes all calls, but for the puts of a step that takes them from several.

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/call_order.h"
#include "client/checkpoint_due.h"
#include "client/field_copy.h"
#include "client/lending.h"
#include "client/loans.h"
#include "client/parcel_writer.h"
#include "client/put_parts.h"
#include "client/puts.h"
#include "client/registration.h"
#include "client/routes.h"
#include "client/server_link.h"
#include "client/strided_copy.h"
#include "core/error.h"
#include "core/ids.h"
#include "core/signals.h"
#include "core/step.h"
#include "core/wants.h"
#include "inputs/held_records.h"
#include "plan/demand.h"

namespace pileus {

struct ClientTimes {
  double wall_s = 0;           ///< since commit
  double inside_s = 0;         ///< part of wall_s spent in begin, put, end and finish
  double waiting_s = 0;        ///< part of inside_s spent waiting for memory
  double input_waiting_s = 0;  ///< part of inside_s spent waiting for records of inputs
  double put_s = 0;            ///< part of inside_s spent in put, without waiting
};

/// Every call checks its order and its arguments; after a UsageError everything is as it was before.
class Client {
 public:
  /// REQUIRES: the endpoint outlives the client. `server`: the one that serves this rank.
  Client(Endpoint& endpoint, Peer server, ClientRank rank);
  /// Tells the server that the run is broken off, unless it was refused or finished. Waits a second at most.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void option(std::string key, std::string value);
  void dimension(ModelDimension dimension);
  void dimension_bounds(const std::string& name, std::vector<double> bounds);
  void points(ModelPoints points, const Extents& counts, const Index* indices);
  void calendar(const std::string& calendar, const std::string& epoch);
  void continue_after(std::int64_t step);
  /// The indices of this run's steps begin anew, though it continues another one.
  void count_anew();
  void describe_model(std::string path) { registration_.describe_model(std::move(path)); }
  int field(ModelField field);
  int text_field(ModelField field, Index length);
  void field_metadata(int field, ModelMetadata metadata);
  void static_field(int field);
  int map_field(std::string name, Index length, const std::string& dimension);
  /// What the model wants to be read for it; `sizes` follow from the dimensions.
  int input(ModelInput input);
  /// What the configuration wants, with the options that were given. Collective over the model ranks.
  /// Errors: ConfigError with what is wrong with the configuration; the run then goes on as it was before.
  Wants wants();
  /// Errors: ConfigError with the servers' findings if they refuse the run. After any error the run is over.
  void commit();

  /// Memory for arrays that are put as stable, all zero; it stays until ModelMemory::give_back(), whatever
  /// becomes of the run. Errors: std::bad_alloc.
  void* allocate(std::size_t bytes) { return lending_.allocate(bytes); }
  /// For tests: arrays of so many bytes are lent. Before commit.
  void lend_from(std::uint64_t bytes) { shortest_loan_ = bytes; }

  /// Whether any rank's value is wanted at any step. Errors: UsageError before commit.
  bool is_used(int field) const;

  /// Whether a file brings the input. Errors: UsageError before commit.
  bool is_brought(int input) const;
  /// Errors: UsageError if an array of this type and these counts cannot hold the input.
  void require_input_kind(int input, ElementType type, std::span<const Index> counts) const;
  /// Writes the input's values at that time into the model's array, from its first element on. Waits for them
  /// where they have not come. `byte_strides`: one for each dimension, or null for a dense array.
  /// Errors: UsageError for an input that no file brings, a time before one that was asked for, and one that
  /// the file does not cover. OutputError if the servers end the run meanwhile.
  void get(int input, double time_s, std::byte* first, const Index* byte_strides);

  /// Whether a checkpoint is due at a step that is about to begin.
  /// Errors: UsageError also on every rank but 0, which alone can answer.
  Due checkpoint_due(const Step& step);
  /// Says a word about the step that begins next, for triggers and the run's events. Only rank 0 is heard.
  /// Errors: UsageError for a word that is empty, longer than 200 bytes or more than one line.
  void event(std::string_view word);
  /// Takes Step::is_checkpoint as it is, and sets Step::is_final to `is_final`. `from_threads`: several
  /// threads may put fields of this step at once, each field one of them. Memory for all is then claimed
  /// here, as the thread of begin() and end() alone uses the endpoint. The step of begin_closing() is as the
  /// last one.
  void begin(const Step& step, bool is_final, bool from_threads = false);
  /// Begins the hand-over of the state after the last step, which the model did not know to be the last: of
  /// what is due at the end alone, and was not handed over in that step.
  void begin_closing();
  /// Whether any rank's value is wanted in the current step. The answer is the same on all ranks, so that the
  /// model may compute the field together. It is false outside a step, and for a number that is no field.
  bool wanted(int field) const {
    return static_cast<std::size_t>(field) < wanted_.size() && wanted_[static_cast<std::size_t>(field)] != 0;
  }
  /// How long the model leaves the array alone: until put returns, or until the next step has begun.
  enum class Lasting { in_put, until_next_step };
  /// One pass over the array, or none if it lasts and the server can read it. `byte_strides`: one for each
  /// dimension, or null for a dense array.
  /// Errors: OutputError if the servers end the run while it waits for memory.
  void put(int field, const void* first, const Index* byte_strides, Lasting lasting = Lasting::in_put);
  /// Errors: UsageError also if type or counts are not the field's.
  void put(int field, const StridedArray& array, Lasting lasting = Lasting::in_put);
  /// One index of the field's last dimension, from 0: an array of the dimensions before it. The field is
  /// handed over when all indices that this rank holds have come; what lacks then is named by end().
  void put_part(int field, Index part, const void* first, const Index* byte_strides);
  /// Errors: UsageError also if type or counts are not those of a part.
  void put_part(int field, Index part, const StridedArray& array);
  /// Hands over all texts of the field, fastest dimension first.
  /// Errors: UsageError also if the field has no texts, or a text is too long.
  void put_texts(int field, std::span<const std::string_view> texts);
  /// Hands over a key and a value for each pair, at most as many as the dimension has indices.
  /// Errors: UsageError also if the field is no map, or a text is too long.
  void put_map(int field, std::span<const std::string_view> keys_and_values);
  /// Returns the wanted fields that should have been put and were not; optional ones are left out.
  /// Errors: UsageError if the first step lacks a static field, or while another thread puts a field; the
  /// step then goes on.
  std::vector<std::string> end();
  /// Lets what was sent go on. Never waits.
  void progress();
  /// Returns when what steps have sent has left this rank. Errors: OutputError if the servers stop the run.
  void flush();
  /// Returns when the servers have published everything. If the servers stop the run, it may come in the
  /// middle of a step, which is then not handed over. Errors: OutputError with the servers' text if something
  /// went wrong.
  void finish();

  RunState state() const { return state_; }
  /// True if nothing more passes between this rank and its server, so that the endpoint may go.
  bool is_over() const { return state_ == RunState::finished || link_.is_over(); }
  const Registration& registration() const { return registration_; }
  ClientRank rank() const { return rank_; }
  /// The step that was begun last, with the index that the servers know.
  const Step& step() const { return step_; }
  ClientTimes times() const;
  /// Whether several threads may put the fields of the step that began last.
  bool takes_puts_of_threads() const { return puts_.is_from_threads(); }

 private:
  /// One group of fields in one step.
  struct Group {
    ParcelWriter parcel;
    std::vector<std::uint8_t> is_chosen;  ///< by place: whether the field is sent in this step
    bool is_sent = false;  ///< a parcel of this rank; it holds no fields where only static ones are wanted
  };

  void send_points();
  void send_inputs();
  void take_brought(BroughtInputs brought);
  const std::optional<HeldRecords>& require_input(Call call, int input) const;
  void want(const std::optional<WantedRecords>& wanted);
  void take_input_records();
  void send_description(FrameKind kind, const RankDescription& description);
  void take_demand(Demand demand);
  Step counted_on(const Step& step) const;
  void warn_of_strange_times(const Step& step);
  /// Null before the first step.
  const Step* step_before() const { return tracker_ ? &step_ : nullptr; }
  void require_bearable(Call call, const Step& step);
  void open(const Step& step, bool from_threads);
  void claim_all();
  const ModelField& require_field(Call call, int field) const;
  const ModelField& require_not_put(int field) const;
  std::span<const Index> counts_of_part(int field) const;
  void claim_whole(int field);
  std::unique_lock<std::mutex> lock_parts();
  void require_missing_part(int field, Index part);
  bool claim_part(int field, Index part);
  /// Calls write(parcel, route) for each group that wants this rank's part of the field.
  template <class Write>
  void write_places(int field, Write write);
  /// The same for a field that is claimed, and is there then. Where that fails nothing of it is, and it may
  /// be put again.
  template <class Write>
  void write_whole(int field, Write write);
  void send_whole(int field, const StridedArray& array, Lasting lasting);
  bool lend(ParcelWriter& parcel, std::uint32_t place, const StridedArray& array);
  void settle_loans();
  void send_part(int field, Index part, const StridedArray& array);
  FieldCopy copy_of(int field, const StridedArray& array) const;
  StridedArray as_handed_over(int field, const StridedArray& array, const FieldCopy& copy);
  void write_all_extracts(const StridedArray& array, ParcelWriter& parcel, const FieldRoute& route) const;
  std::byte* gathered_place(int field);
  void extract_gathered();
  void send_array_of_texts(int field, const StridedArray& array);
  void send_texts(int field, std::span<const std::string_view> texts);
  void choose_fields();
  void send_clock();
  void send_parcel(std::size_t group);
  void send_finish(bool is_broken_off);
  const Farewell& wait_for_farewell();
  void claim_slot(std::size_t group);
  bool has_sent() const;
  void close_puts();
  std::vector<std::string> missing_fields() const;
  void require_static_fields() const;

  ServerLink link_;
  ClientRank rank_;
  RunState state_ = RunState::registering;
  Registration registration_;

  std::vector<ModelInput> inputs_;                   ///< by number
  std::vector<std::optional<HeldRecords>> records_;  ///< likewise; nullopt: no file brings it
  Demand demand_;
  Routes routes_;
  std::uint64_t shortest_loan_ = kShortestLoan;
  Lending lending_{link_};
  Loans loans_;
  std::vector<Group> groups_;  ///< by index into Demand::groups
  std::optional<NeedTracker> tracker_;
  StepLimits limits_;
  bool has_begun_ = false;
  bool counts_anew_ = false;
  std::int64_t counted_before_ = 0;  ///< where it counts anew: what the servers add to the model's indices
  bool has_warned_ = false;
  std::optional<CheckpointDue> due_;  ///< on rank 0
  std::optional<SignalWatch> signals_;
  int events_ = 0;  ///< since the last step began

  std::vector<std::uint8_t> wanted_;  ///< in this step, by registered number
  Puts puts_;
  PutParts parts_;
  /// By registered number: what has come of fields in parts of which extracts are handed over.
  std::map<int, std::vector<std::byte>> gathered_;
  /// Guards parts_ and the nodes of gathered_ where several threads put; never held while bytes are copied.
  std::mutex parts_mutex_;
  std::vector<std::uint32_t> chosen_;  ///< places of one group's fields; reused, never freed

  Step step_;
  double start_time_s_ = 0;
  std::int64_t last_handed_over_ = -1;
  std::uint64_t bytes_ = 0;
  std::chrono::steady_clock::time_point committed_;
  std::int64_t steps_ = 0;
  std::chrono::steady_clock::duration in_others_{0};
  std::chrono::nanoseconds waited_in_put_{0};
};

}  // namespace pileus
