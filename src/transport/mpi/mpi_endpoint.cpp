#include "transport/mpi/mpi_endpoint.h"

#include <algorithm>
#include <array>
#include <climits>
#include <exception>
#include <list>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/log.h"
#include "transport/budget.h"
#include "transport/mpi/buffer_pool.h"
#include "transport/mpi/mpi_call.h"
#include "transport/mpi/mpi_receiver.h"
#include "transport/mpi/mpi_sender.h"
#include "transport/mpi/mpi_start.h"
#include "transport/mpi/mpi_wire.h"
#include "transport/naps.h"

namespace pileus {
namespace {

constexpr std::chrono::seconds kParting{5};
/// Credits are held back until there is nothing to receive, or until so much of them has collected.
constexpr std::size_t kCreditMessages = 32;
constexpr std::size_t kCreditBytes = std::size_t{1} << 20;

struct Returned {
  MpiLetter letter = {};
  bool was_received = false;  // or was to be sent and was not
};

/// Letters that are no longer needed, on their way back from whatever thread had them to the endpoint's. They
/// come in nodes that were made with them: a way back that needs memory would end the process without it.
class Returns {
 public:
  void put(std::list<Returned>& one) noexcept {
    std::lock_guard lock(mutex_);
    returned_.splice(returned_.end(), one);
  }
  /// Behind those that `all` has already.
  void take_all(std::list<Returned>& all) noexcept {
    std::lock_guard lock(mutex_);
    all.splice(all.end(), returned_);
  }

 private:
  std::mutex mutex_;  // guards returned_: messages are destroyed on any thread, also where there is no strand
  std::list<Returned> returned_;
};

class MpiSlot : public Slot {
 public:
  /// `own`: one, for its letter.
  MpiSlot(std::shared_ptr<Returns> returns, std::list<Returned> own)
      : returns_(std::move(returns)), own_(std::move(own)) {}
  ~MpiSlot() override {
    if (returns_) returns_->put(own_);
  }

  std::span<std::byte> bytes() override { return {letter().payload(), letter().payload_bytes}; }
  MpiLetter& letter() { return own_.front().letter; }
  /// Gives back what its letter was in.
  std::list<Returned> note_sent() {
    returns_ = nullptr;
    return std::move(own_);
  }

 private:
  std::shared_ptr<Returns> returns_;  // null once sent
  std::list<Returned> own_;           // one
};

class MpiMessage : public Message {
 public:
  /// Without its letter. `own`: one, for that.
  MpiMessage(std::shared_ptr<Returns> returns, std::list<Returned> own)
      : returns_(std::move(returns)), own_(std::move(own)) {}
  ~MpiMessage() override {
    if (own_.front().was_received) returns_->put(own_);
  }
  void take(MpiLetter letter) noexcept { own_.front() = {std::move(letter), true}; }

  Peer from() const override { return letter().peer; }
  std::span<const std::byte> bytes() const override {
    return {letter().buffer.data() + kPayloadOffset, letter().payload_bytes};
  }

 private:
  const MpiLetter& letter() const { return own_.front().letter; }

  std::shared_ptr<Returns> returns_;
  std::list<Returned> own_;  // one
};

class MpiEndpoint : public Endpoint {
 public:
  /// Takes over the communicator.
  MpiEndpoint(MPI_Comm communicator, Peer self, Peer size, const MpiEndpointSettings& settings)
      : communicator_(communicator),
        self_(self),
        near_(settings.near),
        meanwhile_(settings.meanwhile),
        pool_(settings.kept_bytes),
        budgets_(size),
        unacknowledged_(size),
        receipt_batch_(receipt_batch(settings.most_unreceived)),
        sender_(communicator, settings.piece_bytes, pool_),
        receiver_(communicator, size, pool_, [this](Peer from, std::span<const MpiCredit> credits) {
          for (const MpiCredit& credit : credits) take_credit(budgets_[from], credit);
        }) {
    for (Budget& budget : budgets_) budget.set_most_unreceived(settings.most_unreceived);
  }

  ~MpiEndpoint() override {
    try {
      if (is_mpi_running()) part();
    } catch (const std::exception& e) {
      log::warning(std::string("while the transport ended: ") + e.what());
    }
  }

  Peer self() const override { return self_; }
  Peer size() const override { return static_cast<Peer>(budgets_.size()); }
  bool is_near(Peer peer) const override { return !near_ || std::ranges::binary_search(*near_, peer); }
  void set_budget(Peer to, std::size_t bytes) override { budgets_.at(to).set(bytes); }

  std::unique_ptr<Slot> claim(Peer to, Channel channel, std::size_t bytes) override {
    Budget& budget = budgets_.at(to);
    if (!budget.take(channel, bytes)) {
      progress();
      if (!budget.take(channel, bytes)) return nullptr;
    }
    try {
      std::list<Returned> own = take_unused();
      own.front() = {{to, channel, bytes, pool_.take(kPayloadOffset + bytes)}, false};
      return std::make_unique<MpiSlot>(returns_, std::move(own));
    } catch (const std::bad_alloc&) {
      budget.drop(channel, bytes);
      throw;
    }
  }

  void commit(std::unique_ptr<Slot> slot) override {
    auto& filled = static_cast<MpiSlot&>(*slot);
    sender_.send(filled.letter());
    unused_.splice(unused_.begin(), filled.note_sent());
  }

  std::shared_ptr<Message> receive() override {
    if (receiver_.has_letters()) {
      collect_returns();
      if (credit_messages_ >= kCreditMessages || credit_bytes_ >= kCreditBytes) send_credits();
      receiver_.look_for_urgent();
    } else {
      progress();
    }
    if (!receiver_.has_letters()) return nullptr;
    auto message = std::make_shared<MpiMessage>(returns_, take_unused());
    note_received(receiver_.next());
    message->take(receiver_.take());
    return message;
  }

  void rest(std::chrono::microseconds limit) override {
    const auto now = std::chrono::steady_clock::now();
    const bool has_progressed = progress() || receiver_.has_letters();
    // What is under way may need many calls of MPI in short succession.
    if (has_progressed || has_anything_under_way()) idle_since_ = now;
    if (has_progressed) return;
    const auto idle = std::chrono::duration_cast<std::chrono::microseconds>(now - idle_since_);
    std::this_thread::sleep_for(std::min(limit, nap_after(idle)));
  }

  bool is_all_sent() override {
    progress();
    return !sender_.has_letters_under_way();
  }

  bool has_anything_under_way() const override {
    return sender_.has_letters_under_way() || sender_.has_credits_under_way() ||
           receiver_.has_letters_under_way();
  }

 private:
  bool progress() {
    bool has_received = false;
    try {
      collect_returns();
      send_credits();
      has_received = receiver_.progress();
    } catch (const std::bad_alloc&) {
      sender_.progress();  // what is sent gives its memory back
      throw;
    }
    return sender_.progress() || has_received;
  }

  static void take_credit(Budget& budget, const MpiCredit& credit) {
    if (credit.channel == kControl) {
      budget.note_received(credit.messages);
    } else {
      budget.give_back(credit.channel, credit.messages, credit.bytes);
    }
  }

  void note_received(const MpiLetter& letter) {
    idle_since_ = std::chrono::steady_clock::now();
    if (letter.channel == kControl) return;
    std::uint32_t& count = unacknowledged_[letter.peer];
    if (count + 1 >= receipt_batch_) {
      const MpiCredit receipt = {kControl, count + 1, 0};
      sender_.send_credits(letter.peer, std::span(&receipt, 1));
      count = 0;
    } else {
      ++count;
    }
  }

  /// One; its letter is for the caller to write.
  std::list<Returned> take_unused() {
    std::list<Returned> own;
    if (unused_.empty()) unused_.emplace_front();
    own.splice(own.begin(), unused_, unused_.begin());
    own.front() = {};
    return own;
  }

  void collect_returns() {
    for (returns_->take_all(returned_); !returned_.empty();
         unused_.splice(unused_.begin(), returned_, returned_.begin())) {
      MpiLetter& letter = returned_.front().letter;
      pool_.give_back(std::move(letter.buffer));
      if (letter.channel == kControl) continue;
      if (!returned_.front().was_received) {
        budgets_[letter.peer].drop(letter.channel, letter.payload_bytes);
        continue;
      }
      MpiCredit& credit = credits_[letter.peer][letter.channel];
      credit.channel = letter.channel;
      credit.messages += 1;
      credit.bytes += letter.payload_bytes;
      credit_messages_ += 1;
      credit_bytes_ += letter.payload_bytes;
    }
  }

  void send_credits() {
    for (; !credits_.empty(); credits_.erase(credits_.begin())) {
      auto& [to, by_channel] = *credits_.begin();
      while (!by_channel.empty() || unacknowledged_[to] > 0) {
        std::array<MpiCredit, kMostCreditsAtOnce> batch;
        std::size_t count = 0;
        if (unacknowledged_[to] > 0) batch[count++] = {kControl, unacknowledged_[to], 0};
        auto next = by_channel.begin();
        for (; next != by_channel.end() && count < batch.size(); ++next) batch[count++] = next->second;
        sender_.send_credits(to, std::span(batch).first(count));
        unacknowledged_[to] = 0;
        by_channel.erase(by_channel.begin(), next);
      }
    }
    credit_messages_ = 0;
    credit_bytes_ = 0;
  }

  /// Ends without hanging, whatever the others do. A communicator may be freed only when all that was sent in
  /// it has been received: what is left could turn up in a later communicator. So a rank whose own sends are
  /// received enters a barrier, and goes on receiving until all others have entered too.
  /// Source: Hoefler, Siebert, Lumsdaine 2010, "Scalable communication protocols for dynamic sparse data
  /// exchange" (NBX).
  void part() {
    const auto end = std::chrono::steady_clock::now() + kParting;
    progress();
    sender_.send_last_words();
    MPI_Request barrier = MPI_REQUEST_NULL;
    int has_everyone_ended = 0;
    bool is_in_barrier = false;
    while (!has_everyone_ended && std::chrono::steady_clock::now() < end) {
      if (!is_in_barrier && !has_anything_under_way()) {
        check_mpi(MPI_Ibarrier(communicator_, &barrier), "MPI_Ibarrier");
        is_in_barrier = true;
      }
      rest(kShortestNap);
      if (meanwhile_) meanwhile_();
      while (receiver_.has_letters()) receiver_.take();
      if (is_in_barrier) check_mpi(MPI_Test(&barrier, &has_everyone_ended, MPI_STATUS_IGNORE), "MPI_Test");
    }
    if (has_everyone_ended) {
      check_mpi(MPI_Comm_free(&communicator_), "MPI_Comm_free");
      return;
    }
    log::warning("the transport ended without the others: what was on its way is lost");
    sender_.abandon();
    receiver_.abandon();
  }

  MPI_Comm communicator_;
  Peer self_;
  std::optional<std::vector<Peer>> near_;
  std::function<void()> meanwhile_;
  BufferPool pool_;
  std::shared_ptr<Returns> returns_ = std::make_shared<Returns>();
  std::list<Returned> returned_;               // what came back and is not seen to
  std::list<Returned> unused_;                 // as many as were in use at once
  std::vector<Budget> budgets_;                // by receiver
  std::vector<std::uint32_t> unacknowledged_;  // by sender: metered messages received, which it does not know
  std::size_t receipt_batch_;
  std::map<Peer, std::map<Channel, MpiCredit>> credits_;  // to be sent
  std::size_t credit_messages_ = 0;
  std::size_t credit_bytes_ = 0;
  std::chrono::steady_clock::time_point idle_since_ = std::chrono::steady_clock::now();
  MpiSender sender_;
  MpiReceiver receiver_;
};

}  // namespace

std::unique_ptr<Endpoint> make_mpi_endpoint(int fortran_communicator, MpiEndpointSettings settings) {
  if (settings.piece_bytes < sizeof(MpiHeader) || settings.piece_bytes > INT_MAX) {
    throw UsageError("pieces of " + std::to_string(settings.piece_bytes) + " bytes; from " +
                     std::to_string(sizeof(MpiHeader)) + " to " + std::to_string(INT_MAX) + " are possible");
  }
  const MPI_Comm communicator = duplicate_communicator(fortran_communicator);
  int rank = 0;
  int size = 0;
  check_mpi(MPI_Comm_rank(communicator, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(communicator, &size), "MPI_Comm_size");
  return std::make_unique<MpiEndpoint>(communicator, static_cast<Peer>(rank), static_cast<Peer>(size),
                                       settings);
}

}  // namespace pileus
