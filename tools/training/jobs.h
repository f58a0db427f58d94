// Runs that take long, each in a process of its own, a few at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gw::training {

using Note = std::function<void(const std::string&)>;

/// Calls work(i, note) for i = 0 .. count - 1 in forked processes, at most `jobs` at a time, and
/// returns what each gave, in order. What one says by its note is heard here as heard(i, line).
/// Ends all when goes_on() is false (asked some times a second) and returns what is there, null
/// for what is not. Throws std::runtime_error with the sentence of a child that threw or died.
std::vector<nlohmann::json> run_jobs(size_t count, size_t jobs,
                                     const std::function<nlohmann::json(size_t, const Note&)>& work,
                                     const std::function<void(size_t, const std::string&)>& heard,
                                     const std::function<bool()>& goes_on);

}  // namespace gw::training
