// The functions that bench/codecs.py calls.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "audit/audit.h"
#include "codecs/codec.h"
#include "formats/netcdf/pack.h"
#include "information/bit_pairs.h"

/// Packs chunks of so many bytes on some threads, as workers do. Returns seconds on the wall; `packed_bytes`
/// gets what comes out, all chunks together.
extern "C" double bench_pack_s(const char* codec, int level, const char* shuffle, int threads,
                               const std::byte* values, std::int64_t bytes, std::int64_t element_size,
                               std::int64_t chunk_bytes, std::int64_t* packed_bytes) {
  using namespace pileus;
  const Compression compression = {find_codec(codec), level,
                                   std::strcmp(shuffle, "bits") == 0    ? Shuffle::bits
                                   : std::strcmp(shuffle, "bytes") == 0 ? Shuffle::bytes
                                                                        : Shuffle::none};
  std::atomic<std::int64_t> next = 0, packed = 0;
  const auto work = [&] {
    for (std::int64_t at = next.fetch_add(chunk_bytes); at < bytes; at = next.fetch_add(chunk_bytes)) {
      const std::span<const std::byte> chunk(values + at, std::min(chunk_bytes, bytes - at));
      packed += std::ssize(netcdf::pack(chunk, element_size, compression).bytes);
    }
  };
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  *packed_bytes = packed;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Counts the pairs of bits along lines of `length` floats on one thread. Returns seconds on the wall; `kept`
/// gets how many bits have 99 % of their information.
extern "C" double bench_count_pairs_s(const std::byte* values, std::int64_t bytes, std::int64_t length,
                                      std::int64_t* kept) {
  using namespace pileus;
  const std::vector<Index> box = {length, bytes / 4 / length};
  const auto start = std::chrono::steady_clock::now();
  const BitPairs pairs = count_pairs({values, static_cast<std::size_t>(bytes)}, ElementType::float32, box,
                                     box, 0, 9.9692099683868690e+36);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  *kept = kept_bits(pairs, 0.99);
  return taken.count();
}

/// Compares chunks of so many floats with the doubles that they were, on one thread. Returns seconds on the
/// wall; `loss` gets the loss of variance.
extern "C" double bench_audit_s(const double* given, const std::byte* values, std::int64_t elements,
                                std::int64_t of_chunk, double* loss) {
  using namespace pileus;
  const auto start = std::chrono::steady_clock::now();
  Audit all;
  for (std::int64_t at = 0; at < elements; at += of_chunk) {
    const auto count = static_cast<std::size_t>(std::min(of_chunk, elements - at));
    all += audit_of({given + at, count}, {values + 4 * at, 4 * count}, ElementType::float32);
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  *loss = variance_loss(all);
  return taken.count();
}
