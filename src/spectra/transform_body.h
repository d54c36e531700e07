// Transforms of kissfft for the instruction set that the including file is compiled for; hence there is no
// "#pragma once". That file defines PILEUS_TRANSFORM_SET, the name of the set. Nothing here may call an
// inline function of another header, not even of the standard library: the linker might take its copy,
// compiled for this instruction set, for the whole program. So the library gets a standard library of ours.

// kissfft.hh includes these. Here they come before its namespace.
#include <complex>
#include <utility>
#include <vector>

#include "functions/elementary.h"
#include "spectra/transform_set.h"

namespace pileus::spectra::PILEUS_TRANSFORM_SET {

/// One number of each line; in memory as Lanes, which need not be aligned.
using Row = double __attribute__((vector_size(sizeof(Lanes)), aligned(alignof(double))));

struct Number {
  Row row;

  Number() = default;
  Number(double all) : row(Row{} + all) {}
  Number(Row row) : row(row) {}
  Number& operator*=(Number other) { return row *= other.row, *this; }
  friend Number operator+(Number a, Number b) { return a.row + b.row; }
  friend Number operator-(Number a, Number b) { return a.row - b.row; }
  friend Number operator*(Number a, Number b) { return a.row * b.row; }
  friend Number operator-(Number a) { return -a.row; }
  friend Number operator/(Number a, unsigned long size) { return a.row / static_cast<double>(size); }
};

/// What kissfft takes of the standard library.
namespace std {

using size_t = decltype(sizeof 0);

template <class T>
struct complex {
  T re, im;

  complex() = default;
  complex(T re, T im) : re(re), im(im) {}
  T real() const { return re; }
  T imag() const { return im; }
  complex& operator+=(complex other) { return *this = *this + other; }
  complex& operator*=(T by) { return *this = {re * by, im * by}; }
  friend complex operator+(complex a, complex b) { return {a.re + b.re, a.im + b.im}; }
  friend complex operator-(complex a, complex b) { return {a.re - b.re, a.im - b.im}; }
  friend complex operator*(complex a, complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend complex operator*(complex a, T by) { return {a.re * by, a.im * by}; }
  friend complex operator*(T by, complex a) { return a * by; }
};

template <class T>
complex<T> conj(complex<T> a) {
  return {a.re, -a.im};
}

template <class T>
void swap(T& a, T& b);  // not called

/// Of what may be copied byte by byte.
template <class T>
class vector {
 public:
  vector() = default;
  vector(const vector&) = delete;
  vector& operator=(const vector&) = delete;
  ~vector() { ::operator delete(items_); }
  size_t size() const { return size_; }
  T& operator[](size_t i) { return items_[i]; }
  const T& operator[](size_t i) const { return items_[i]; }
  void push_back(const T& one) {
    resize(size_ + 1);
    items_[size_ - 1] = one;
  }
  void resize(size_t size) {
    T* const items = static_cast<T*>(::operator new(size * sizeof(T)));
    for (size_t i = 0; i < size && i < size_; ++i) items[i] = items_[i];
    ::operator delete(items_);
    items_ = items;
    size_ = size;
  }

 private:
  T* items_ = nullptr;
  size_t size_ = 0;
};

inline double acos(Number) { return 0x1.921fb54442d18p+1; }  // of -1
/// Of angles, the same for each line. Sine and cosine are ours, so that bits do not depend on the machine.
inline complex<Number> exp(complex<Number> angle) {
  const double radians = angle.imag().row[0];
  return {cosine(radians), sine(radians)};
}

}  // namespace std

#include <kissfft/kissfft.hh>

namespace {

using Plan = kissfft<Number>;
using Mode = std::complex<Number>;
static_assert(sizeof(Mode) == sizeof(Modes) && alignof(Mode) == alignof(double));

void* make(::std::size_t size) { return new Plan(size, false); }
void free(void* plan) { delete static_cast<Plan*>(plan); }
void of_real(const void* plan, const double* lines, double* modes) {
  static_cast<const Plan*>(plan)->transform_real(reinterpret_cast<const Number*>(lines),
                                                 reinterpret_cast<Mode*>(modes));
}
void of_complex(const void* plan, const double* lines, double* modes) {
  static_cast<const Plan*>(plan)->transform(reinterpret_cast<const Mode*>(lines),
                                            reinterpret_cast<Mode*>(modes));
}

}  // namespace

extern constinit const TransformSet kTransformSet = {make, free, of_real, of_complex};

}  // namespace pileus::spectra::PILEUS_TRANSFORM_SET
