#pragma once

// A value that may not be there and is then not stored; copies of it are values of their own.
// Used by Partial, most of which have no second moments.

#include <memory>

namespace pileus::detail {

template <class T>
class Copied {
 public:
  Copied() = default;
  Copied(const Copied& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  Copied& operator=(const Copied& other) {
    if (this != &other) *this = Copied(other);
    return *this;
  }
  Copied(Copied&&) noexcept = default;
  Copied& operator=(Copied&&) noexcept = default;
  ~Copied() = default;

  explicit operator bool() const { return value_ != nullptr; }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  /// The value, made when it is not there.
  T& made() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace pileus::detail
