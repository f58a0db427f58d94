// SPDX-License-Identifier: Apache-2.0
#include "rtl_chain.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace gw::ring {

std::string assertion;

Header parse(const Beat& beat) {
  const auto& d = beat.data;
  const auto wide = [&](int at) {
    return uint32_t{d[at]} << 24 | uint32_t{d[at + 1]} << 16 | uint32_t{d[at + 2]} << 8 | d[at + 3];
  };
  Header header;
  header.type = d[15];
  header.session = d[16] << 8 | d[17];
  header.addends = d[18];
  header.wants = (d[19] & 1) != 0;
  header.bytes = d[20] << 8 | d[21];
  header.chunk = wide(22);
  header.ack = wide(26);
  return header;
}

uint32_t gradient(int session, int node, int chunk, int word) {
  uint64_t x = static_cast<uint64_t>(session) << 48 ^ static_cast<uint64_t>(node) << 40 ^
               static_cast<uint64_t>(chunk) << 16 ^ static_cast<uint64_t>(word);
  x *= 0x9E3779B97F4A7C15u;
  x ^= x >> 29;
  x *= 0xBF58476D1CE4E5B9u;
  x ^= x >> 32;
  if (x % 61 == 0) return static_cast<uint32_t>(x >> 20);  // anything, NaN and infinity too
  const uint32_t exponent = 120 + (x >> 40) % 12;
  return static_cast<uint32_t>(x & 0x807FFFFFu) | exponent << 23;
}

uint32_t partial(int session, int node, int chunk, int word) {
  uint32_t bits = gradient(session, 0, chunk, word);
  for (int i = 1; i <= node; ++i) {
    const uint32_t other = gradient(session, i, chunk, word);
    float a, b;
    std::memcpy(&a, &bits, 4);
    std::memcpy(&b, &other, 4);
    const float sum = a + b;
    std::memcpy(&bits, &sum, 4);
    if (std::isnan(sum)) bits = 0x7FC00000;
  }
  return bits;
}

namespace {

std::string text(const char* format, auto... values) {
  char line[200];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

template <typename Data>
void drive(const Beat& beat, Data& data, QData& keep, CData& last) {
  std::memcpy(&data[0], beat.data.data(), 64);
  keep = beat.keep;
  last = beat.last;
}

template <typename Data>
Beat sample(const Data& data, QData keep, CData last) {
  Beat beat;
  std::memcpy(beat.data.data(), &data[0], 64);
  beat.keep = keep;
  beat.last = last != 0;
  return beat;
}

int bytes_of(const Beat& beat) { return beat.keep == kAll ? 64 : __builtin_ctzll(~beat.keep); }

void first(uint64_t& time, uint64_t now) { time = std::min(time, now); }

}  // namespace

Chain::Chain(const Settings& settings) : settings_(settings), random_(settings.seed) {
  links_.resize(2 * settings_.nodes);
  for (int i = 0; i < settings_.nodes; ++i) {
    nodes_.push_back(std::make_unique<Node>());
    Vring& top = *(nodes_[i]->top = std::make_unique<Vring>());
    top.node_i = i;
    top.nodes_i = settings_.nodes;
    top.window_i = settings_.window;
    top.timeout_i = settings_.timeout;
    top.aclk = 0;
    top.eval();
    reset(i, settings_.reset_cycles, 7);
  }
  // Cycle 0 comes after the first edge out of reset.
  for (int i = 0; i <= settings_.reset_cycles; ++i) cycle();
  now_ = busy_ = 0;
  for (auto& node : nodes_) node->begins = 0;
  for (size_t i = 0; i < settings_.skew.size() && i < nodes_.size(); ++i)
    nodes_[i]->begins = settings_.skew[i];
}

void Chain::fail(const std::string& what) {
  if (wrong_.empty()) wrong_ = text("cycle %llu: ", static_cast<unsigned long long>(now_)) + what;
}

void Chain::reset(int node, int cycles, int session) {
  Node& it = *nodes_[node];
  it.reset_left = cycles;
  it.session = session;
  it.begins = now_ + cycles;
  if (node < static_cast<int>(settings_.skew.size())) it.begins += settings_.skew[node];
  clear(node);
  for (int link : {2 * node, 2 * node - 1}) {
    if (link < 0 || !links_[link].within) continue;
    // The MAC ends what was cut off.
    Beat beat;
    beat.last = beat.user = true;
    links_[link].way.push_back({now_ + settings_.delay, beat});
    links_[link].within = false;
  }
}

void Chain::clear(int node) {
  Node& it = *nodes_[node];
  it.sent = it.taken = it.words = 0;
  it.pending.clear();
  it.offering = false;
}

std::vector<Beat> Chain::packet(int node, int chunk) const {
  const int bytes = settings_.bytes(chunk);
  std::vector<Beat> beats((bytes + 63) / 64);
  for (size_t j = 0; j < beats.size(); ++j) {
    for (int w = 0; w < 16; ++w) {
      const uint32_t word =
          gradient(nodes_[node]->session, node, chunk, static_cast<int>(16 * j) + w);
      std::memcpy(&beats[j].data[4 * w], &word, 4);
    }
  }
  beats.back().last = true;
  if (bytes % 64 != 0) beats.back().keep = (uint64_t{1} << bytes % 64) - 1;
  if (settings_.spoil) settings_.spoil(node, chunk, beats);
  return beats;
}

void Chain::check_header(int link, const Beat& beat) {
  const int from = link % 2 == 0 ? link / 2 : link / 2 + 1;
  const int to = link % 2 == 0 ? from + 1 : from - 1;
  const Header header = parse(beat);
  Beat wanted;
  auto& d = wanted.data;
  d[0] = d[6] = 2;
  d[5] = static_cast<uint8_t>(to);
  d[11] = static_cast<uint8_t>(from);
  d[12] = 0x88;
  d[13] = 0xB6;
  d[14] = 1;
  d[16] = static_cast<uint8_t>(nodes_[from]->session >> 8);
  d[17] = static_cast<uint8_t>(nodes_[from]->session);
  if (header.type != 0) {
    d[15] = link % 2 == 0 ? 1 : 2;
    d[18] = static_cast<uint8_t>(link % 2 == 0 ? from + 1 : settings_.nodes);
    const int bytes = settings_.bytes(static_cast<int>(header.chunk - kFirst));
    d[20] = static_cast<uint8_t>(bytes >> 8);
    d[21] = static_cast<uint8_t>(bytes);
    std::memcpy(&d[22], &beat.data[22], 4);
  }
  d[19] = header.wants ? 1 : 0;
  std::memcpy(&d[26], &beat.data[26], 4);
  if (!trusts_ && d != beat.data) fail(text("link %d: a header is not as it must be", link));
  if (beat.keep != kAll || beat.last != (header.type == 0))
    fail(text("link %d: tkeep or tlast of a header", link));
}

void Chain::check_words(const std::string& where, const Beat& beat, int node, int chunk, int from) {
  if (trusts_) return;
  const int left = settings_.bytes(chunk) - 4 * from;
  const int bytes = std::min(left, 64);
  if (bytes <= 0 || beat.last != (left <= 64) || bytes_of(beat) != bytes) {
    return fail(where + text(": chunk %d is not of %d bytes", chunk, settings_.bytes(chunk)));
  }
  const int nodes = node < 0 ? settings_.nodes - 1 : node;
  const int session = nodes_[0]->session;
  for (int w = 0; w < 16; ++w) {
    uint32_t word;
    std::memcpy(&word, &beat.data[4 * w], 4);
    const uint32_t wanted = 4 * w < bytes ? partial(session, nodes, chunk, from + w) : 0;
    if (word != wanted) {
      return fail(where +
                  text(": chunk %d word %d is %08x, not %08x", chunk, from + w, word, wanted));
    }
  }
}

void Chain::send(int link, Beat beat) {
  Link& it = links_[link];
  const int from = link % 2 == 0 ? link / 2 : link / 2 + 1;
  Node& sender = *nodes_[from];
  busy_ = now_;
  if (!it.within) {
    it.header = parse(beat);
    it.beats = 0;
    check_header(link, beat);
    Times& times = sender.times;
    if (it.header.type != 0)
      first(link % 2 == 0 ? times.right_header : times.left_header, now_);
    else if (link % 2 == 0)
      first(times.right_control, now_);
    it.fault = settings_.fault ? settings_.fault(link, static_cast<int>(it.frames), it.header, now_)
                               : Fault{};
    if (it.fault.kind == Fault::Kind::kNone && random_.percent(settings_.loss))
      it.fault.kind = Fault::Kind::kLose;
    if (it.fault.kind == Fault::Kind::kNone && random_.percent(settings_.corruption)) {
      it.fault.kind = Fault::Kind::kCorrupt;
    }
    ++it.frames;
  } else {
    const int chunk = static_cast<int>(it.header.chunk - kFirst);
    check_words(text("link %d", link), beat, link % 2 == 0 ? from : -1, chunk, 16 * it.beats);
    first(link % 2 == 0 ? sender.times.right_payload : sender.times.left_payload, now_);
    ++it.beats;
  }
  const bool is_header = !it.within;
  it.within = !beat.last;
  switch (it.fault.kind) {
    case Fault::Kind::kNone:
      break;
    case Fault::Kind::kLose:
      return;
    case Fault::Kind::kCorrupt:
      if (random_.percent(60)) beat.data[random_.below(64)] ^= 1 << random_.below(8);
      break;
    case Fault::Kind::kChunk:
    case Fault::Kind::kAck:
      if (is_header) {
        const int at = it.fault.kind == Fault::Kind::kChunk ? 22 : 26;
        for (int i = 0; i < 4; ++i)
          beat.data[at + i] = static_cast<uint8_t>(it.fault.value >> (24 - 8 * i));
      }
      break;
  }
  beat.user = beat.last && it.fault.kind != Fault::Kind::kNone;
  it.way.push_back({now_ + settings_.delay, beat});
}

void Chain::inject(int link, const std::vector<Beat>& frame) {
  while (links_[link].within) cycle();
  for (const Beat& beat : frame) links_[link].way.push_back({now_, beat});
}

void Chain::cycle() {
  const int nodes = settings_.nodes;
  // 1. Outputs, and what accepts them.
  for (int i = 0; i < nodes; ++i) {
    Node& node = *nodes_[i];
    Vring& top = *node.top;
    const bool in_reset = node.reset_left > 0;
    top.aresetn = !in_reset;
    top.session_i = node.session;
    top.m_axis_right_tready = !random_.percent(settings_.link_stall);
    top.m_axis_left_tready = !random_.percent(settings_.link_stall);
    top.m_axis_host_tready =
        (now_ >= settings_.sink_from || (settings_.sink_node >= 0 && settings_.sink_node != i)) &&
        !random_.percent(settings_.sink_stall);
    if (in_reset) continue;
    if (top.m_axis_right_tvalid && top.m_axis_right_tready) {
      const Beat beat =
          sample(top.m_axis_right_tdata, top.m_axis_right_tkeep, top.m_axis_right_tlast);
      if (i == nodes - 1)
        fail("the last node sends to the right");
      else
        send(2 * i, beat);
    }
    if (top.m_axis_left_tvalid && top.m_axis_left_tready) {
      const Beat beat = sample(top.m_axis_left_tdata, top.m_axis_left_tkeep, top.m_axis_left_tlast);
      if (i == 0)
        fail("node 0 sends to the left");
      else
        send(2 * i - 1, beat);
    }
    if (top.m_axis_host_tvalid && top.m_axis_host_tready) {
      const Beat beat = sample(top.m_axis_host_tdata, top.m_axis_host_tkeep, top.m_axis_host_tlast);
      first(node.times.result, now_);
      busy_ = now_;
      if (node.taken >= settings_.chunks)
        fail(text("node %d: one result too many", i));
      else
        check_words(text("node %d, result", i), beat, -1, node.taken, node.words);
      node.words = beat.last ? 0 : node.words + 16;
      if (beat.last) {
        ++node.taken;
        node.times.result_last = now_;
      }
    }
  }
  // 2. Inputs.
  for (int i = 0; i < nodes; ++i) {
    Node& node = *nodes_[i];
    Vring& top = *node.top;
    top.s_axis_left_tvalid = top.s_axis_right_tvalid = 0;
    if (i > 0) {
      auto& way = links_[2 * (i - 1)].way;
      if (!way.empty() && way.front().at <= now_ && !random_.percent(settings_.link_stall)) {
        drive(way.front().beat, top.s_axis_left_tdata, top.s_axis_left_tkeep,
              top.s_axis_left_tlast);
        top.s_axis_left_tuser = way.front().beat.user;
        top.s_axis_left_tvalid = 1;
        way.pop_front();
      }
    }
    if (i + 1 < nodes) {
      auto& way = links_[2 * i + 1].way;
      if (!way.empty() && way.front().at <= now_ && !random_.percent(settings_.link_stall)) {
        drive(way.front().beat, top.s_axis_right_tdata, top.s_axis_right_tkeep,
              top.s_axis_right_tlast);
        top.s_axis_right_tuser = way.front().beat.user;
        top.s_axis_right_tvalid = 1;
        way.pop_front();
      }
    }
    if (!node.offering && node.reset_left == 0 && now_ >= node.begins &&
        !random_.percent(settings_.source_stall)) {
      if (node.pending.empty() && node.sent < settings_.chunks) {
        for (const Beat& beat : packet(i, node.sent)) node.pending.push_back(beat);
      }
      node.offering = !node.pending.empty();
    }
    top.s_axis_host_tvalid = node.offering;
    if (node.offering) {
      drive(node.pending.front(), top.s_axis_host_tdata, top.s_axis_host_tkeep,
            top.s_axis_host_tlast);
      if (top.s_axis_host_tready && node.reset_left == 0) {
        if (node.pending.front().last) {
          ++node.sent;
          first(node.times.host_tlast, now_);
        }
        node.pending.pop_front();
        node.offering = false;
        busy_ = now_;
      }
    }
  }
  // 3. The edge.
  for (auto& node : nodes_) {
    node->top->aclk = 1;
    node->top->eval();
    node->top->aclk = 0;
    node->top->eval();
    if (node->reset_left > 0) --node->reset_left;
  }
  if (!assertion.empty()) fail("assertion: " + assertion);
  ++now_;
}

void Chain::advance(uint64_t cycles) {
  while (cycles-- > 0 && wrong_.empty()) cycle();
}

bool Chain::any_error() const {
  return std::any_of(nodes_.begin(), nodes_.end(),
                     [](const auto& node) { return node->top->error_o != 0; });
}

bool Chain::results_complete() const {
  return std::all_of(nodes_.begin(), nodes_.end(),
                     [&](const auto& node) { return node->taken == settings_.chunks; });
}

bool Chain::run(uint64_t most) {
  const uint64_t end = now_ + most;
  const uint64_t silence = 2 * settings_.timeout + 2 * settings_.delay + 100;
  while (wrong_.empty() && now_ < end && !(results_complete() && now_ - busy_ > silence)) {
    cycle();
    if (any_error()) {
      std::string codes;
      for (const auto& node : nodes_) codes += text(" %d", static_cast<int>(node->top->error_o));
      fail("error_o:" + codes);
    }
  }
  if (now_ >= end && wrong_.empty())
    fail(results_complete() ? "no end of frames" : "results are missing: a hang");
  return wrong_.empty();
}

}  // namespace gw::ring
