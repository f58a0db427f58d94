// gradwire fp: the verilated floating-point operators on operands in hex, one case a line.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/error.h"
#include "testbenches/fp/fp_rtl.h"
#include "tools/gradwire/commands.h"

namespace gw::tools {
namespace {

using testbenches::FpOp;

constexpr size_t kBatch = size_t{1} << 15;  // cases
constexpr size_t kBlock = size_t{1} << 20;  // bytes read at once
constexpr size_t kLongestLine = 4096;       // characters

/// Reads lines of operands, runs them in batches, writes a line for each.
class Stream {
 public:
  Stream(FpOp op, bool subnormal) : op_(op), subnormal_(subnormal) {
    a_.reserve(kBatch);
    b_.reserve(kBatch);
  }

  int run() {
    std::vector<char> block(kBlock + kLongestLine);
    size_t held = 0;  // the start of a line whose end was not read yet
    while (true) {
      const size_t got = std::fread(block.data() + held, 1, kBlock, stdin);
      if (got == 0) break;
      const char* at = block.data();
      const char* const end = at + held + got;
      while (const void* newline = std::memchr(at, '\n', static_cast<size_t>(end - at))) {
        line(at, static_cast<const char*>(newline));
        at = static_cast<const char*>(newline) + 1;
      }
      held = static_cast<size_t>(end - at);
      if (held > kLongestLine) {
        ++line_;
        fail("is longer than 4096 characters");
      }
      std::memmove(block.data(), at, held);
    }
    if (std::ferror(stdin)) {
      flush();
      throw sim::InputError("fp: cannot read standard input to its end");
    }
    if (held != 0) line(block.data(), block.data() + held);
    flush();
    return sim::kPass;
  }

 private:
  void line(const char* at, const char* end) {
    ++line_;
    if (static_cast<size_t>(end - at) > kLongestLine) fail("is longer than 4096 characters");
    uint32_t operands[2] = {};
    const int count = testbenches::fp_op_operands(op_);
    for (int i = 0; i < count; ++i) {
      while (at != end && is_blank(*at)) ++at;
      const char* const begin = at;
      uint32_t value = 0;
      for (; at != end && !is_blank(*at); ++at) {
        const int digit = hex_digit(*at);
        if (digit < 0 || at - begin == 8) {
          fail("has an operand that is not 1 to 8 hex digits");
        }
        value = value << 4 | static_cast<uint32_t>(digit);
      }
      if (at == begin) {
        fail(fmt::format("has {} operand{}, '{}' takes {}", i, i == 1 ? "" : "s",
                         testbenches::fp_op_name(op_), count));
      }
      operands[i] = value;
    }
    a_.push_back(operands[0]);
    b_.push_back(operands[1]);
    if (a_.size() == kBatch) flush();
  }

  [[noreturn]] void fail(const std::string& what) {
    flush();
    throw sim::InputError(fmt::format("fp: line {}: it {}", line_, what));
  }

  void flush() {
    result_.resize(a_.size());
    rtl_.run(op_, subnormal_, a_, b_, result_);
    text_.clear();
    for (const uint32_t value : result_) {
      if (op_ == FpOp::kLess) {
        text_ += value != 0 ? '1' : '0';
      } else {
        for (int shift = 28; shift >= 0; shift -= 4) {
          text_ += "0123456789abcdef"[value >> shift & 15];
        }
      }
      text_ += '\n';
    }
    const bool written = std::fwrite(text_.data(), 1, text_.size(), stdout) == text_.size();
    if (!written || std::fflush(stdout) != 0) {
      throw sim::InputError("fp: cannot write to standard output");
    }
    a_.clear();
    b_.clear();
  }

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  }

  FpOp op_;
  bool subnormal_;
  testbenches::FpRtl rtl_;
  std::vector<uint32_t> a_, b_, result_;
  std::string text_;
  uint64_t line_ = 0;
};

}  // namespace

void add_fp(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand(
      "fp", "a floating-point operator's RTL on operands in hex from standard input");
  command->require_subcommand(1);
  auto subnormal = std::make_shared<int>(1);
  constexpr std::array kSummaries = {
      "a + b", "a - b", "a * b", "a / b", "root of a", "smaller of a and b", "1 if a < b, else 0"};
  for (const FpOp op : testbenches::kFpOps) {
    CLI::App* sub = command->add_subcommand(std::string(testbenches::fp_op_name(op)),
                                            kSummaries[static_cast<size_t>(op)]);
    sub->add_option("--subnormal", *subnormal,
                    "1: IEEE 754; 0: subnormal operands and results are signed zeros")
        ->check(CLI::IsMember({0, 1}))
        ->capture_default_str();
    sub->callback([op, subnormal, &invocation] {
      invocation.action = [op, subnormal] { return Stream(op, *subnormal == 1).run(); };
    });
  }
}

}  // namespace gw::tools
