// SPDX-License-Identifier: Apache-2.0
#include "models/reference/capture/filter.h"

#include <fmt/format.h>
#include <pcap/pcap.h>

#include "models/reference/capture/close_pcap.h"

namespace gw::capture {
namespace {

constexpr int kSnapLength = 262'144;  // libpcap's own largest

}  // namespace

struct Filter::Program {
  bpf_program code{};
  Program() = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { pcap_freecode(&code); }
};

Expected<Filter> Filter::compile(const std::string& expression) {
  const auto fail = [&expression](const std::string& why) {
    return Error{.file = {},
                 .packet = std::nullopt,
                 .offset = std::nullopt,
                 .sentence = fmt::format("'{}' is no capture filter: {}", expression, why)};
  };
  const std::unique_ptr<pcap_t, ClosePcap> pcap(pcap_open_dead(DLT_EN10MB, kSnapLength));
  if (!pcap) return fail("out of memory");
  auto program = std::make_unique<Program>();
  constexpr int kOptimise = 1;
  if (pcap_compile(pcap.get(), &program->code, expression.c_str(), kOptimise,
                   PCAP_NETMASK_UNKNOWN) != 0) {
    return fail(pcap_geterr(pcap.get()));
  }
  return Filter(std::move(program));
}

Filter::Filter(std::unique_ptr<Program> program) : program_(std::move(program)) {}
Filter::Filter(Filter&&) noexcept = default;
Filter& Filter::operator=(Filter&&) noexcept = default;
Filter::~Filter() = default;

bool Filter::matches(std::span<const std::uint8_t> bytes, std::size_t original_length) const {
  pcap_pkthdr header{};
  header.len = static_cast<bpf_u_int32>(original_length);
  header.caplen = static_cast<bpf_u_int32>(bytes.size());
  return pcap_offline_filter(&program_->code, &header, bytes.data()) != 0;
}

}  // namespace gw::capture
