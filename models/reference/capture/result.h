// A value or an error: how everything that reads or writes a capture answers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace gw::capture {

/// Why a capture could not be read or written. `sentence` is complete: it already names the file,
/// and the packet and the offset where they are known, so that a program prints it as it is.
struct Error {
  std::string file;
  std::optional<std::uint64_t> packet;  ///< counted from 1, as Wireshark does
  std::optional<std::uint64_t> offset;  ///< in the file, in bytes
  std::string sentence;
};

/// Either a T or an Error. (std::expected arrives with C++23.)
template <typename T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : content_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Expected(Error error) : content_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  bool has_value() const { return content_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return assert(has_value()), *std::get_if<0>(&content_); }
  const T& value() const& { return assert(has_value()), *std::get_if<0>(&content_); }
  T&& value() && { return assert(has_value()), std::move(*std::get_if<0>(&content_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const { return assert(!has_value()), *std::get_if<1>(&content_); }

 private:
  std::variant<T, Error> content_;
};

/// Nothing, or what went wrong.
using Status = std::optional<Error>;

}  // namespace gw::capture
