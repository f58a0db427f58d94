// The frame: bytes by hand, every reason and which of two comes first, round trips, any bytes.
// SPDX-License-Identifier: Apache-2.0
#include "models/reference/expether/frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <numeric>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/sanitized.h"

namespace gw::reference::expether::frame_test {
namespace {

using Frame = std::vector<std::uint8_t>;

const Header kHeader = {.destination = 0x020000000001,
                        .source = 0x020000000002,
                        .tci = 7,
                        .sequence = 3,
                        .ack = 4,
                        .worker = 5,
                        .group = 6,
                        .iteration = 7,
                        .requester = 0x0100,
                        .tag = 0x0A,
                        .address = 0x1'2000'0004};

Frame gradient(std::size_t count = 32, Tlp tlp = Tlp::kMWr64) {
  Header header = kHeader;
  header.tlp = tlp;
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), 0x3F800000u);
  return build_gradient(header, values);
}

void repair(Frame& frame) {
  const std::uint16_t sum = checksum(frame);
  frame[46] = static_cast<std::uint8_t>(sum >> 8);
  frame[47] = static_cast<std::uint8_t>(sum);
}

TEST(Frame, GradientBytesByHand) {
  const Frame expected = {
      0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x00, 0x00, 0x00, 0x00, 0x02,  // MACs
      0x81, 0x00, 0x00, 0x07, 0x88, 0xB5,                                      // tag, EtherType
      0x01, 0x01, 0x00, 0x02,                          // version, type, flags, count
      0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x04,  // sequence, ack
      0x00, 0x05, 0x00, 0x06, 0x00, 0x00, 0x00, 0x07,  // worker, group, iteration
      0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // reserved
      0xFE, 0xE3,                                      // ~(0x0101 + 2 + 3 + 4 + 5 + 6 + 7)
      0x60, 0x00, 0x00, 0x02, 0x01, 0x00, 0x0A, 0xFF,  // MWr64, 2 DW
      0x00, 0x00, 0x00, 0x01, 0x20, 0x00, 0x00, 0x04,  // address
      0x00, 0x00, 0x80, 0x3F, 0x00, 0x00, 0x00, 0xC0,  // 1, -2
  };
  const std::vector<std::uint32_t> values = {0x3F800000, 0xC0000000};
  EXPECT_EQ(build_gradient(kHeader, values), expected);

  const Classified c = classify(expected);
  EXPECT_EQ(c.kind, Kind::kGradient);
  EXPECT_EQ(c.reason, Reason::kNone);
  const Fields fields = {.destination = 0x020000000001,
                         .source = 0x020000000002,
                         .tci = 7,
                         .version = 1,
                         .type = 1,
                         .flags = 0,
                         .count = 2,
                         .sequence = 3,
                         .ack = 4,
                         .worker = 5,
                         .group = 6,
                         .iteration = 7,
                         .checksum = 0xFEE3,
                         .tlp_type = 0x60,
                         .tlp_length = 2};
  EXPECT_EQ(c.fields, fields);
  EXPECT_EQ(values_of(expected, c), values);
}

TEST(Frame, ThreeDwHeadersStandFourBytesLater) {
  Frame frame = gradient(1, Tlp::kMWr32);
  EXPECT_EQ(Frame(frame.begin() + 48, frame.begin() + 64),
            (Frame{0, 0, 0, 0, 0x40, 0, 0, 1, 0x01, 0x00, 0x0A, 0x0F, 0x20, 0, 0, 4}));
  EXPECT_EQ(frame.size(), 68u);
  EXPECT_EQ(frame[20], kFlagTlp3Dw);
  frame = gradient(32, Tlp::kCplD);
  EXPECT_EQ(Frame(frame.begin() + 48, frame.begin() + 64),
            (Frame{0, 0, 0, 0, 0x4A, 0, 0, 32, 0x01, 0x00, 0x00, 0x80, 0x01, 0x00, 0x0A, 4}));
  EXPECT_EQ(frame.size(), kFullFrameBytes);
}

TEST(Frame, SixBeatsWithThePayloadOnBeatsTwoToFive) {
  EXPECT_EQ(kFullFrameBytes, 6u * 32);
  EXPECT_EQ(kPayloadOffset, 2u * 32);
  EXPECT_EQ(kControlOffset + kControlBytes, kTlp4Offset);
}

TEST(Frame, ChecksumFoldsCarriesAndHasTwoZeros) {
  Frame frame = gradient();
  std::fill(frame.begin() + 22, frame.begin() + 46, 0xFF);  // twelve words of minus zero
  repair(frame);
  // 0x0101 + 0x0020 + 12 * 0xFFFF folds to 0x0121.
  EXPECT_EQ(checksum(frame), 0xFEDE);
  EXPECT_EQ(classify(frame).kind, Kind::kGradient);

  // Reserved bytes that bring the sum to 0xFFFF: the field is 0, and 0xFFFF is as good.
  frame = gradient();
  frame[44] = frame[45] = 0;
  const std::uint16_t missing = checksum(frame);
  frame[44] = static_cast<std::uint8_t>(missing >> 8);
  frame[45] = static_cast<std::uint8_t>(missing);
  EXPECT_EQ(checksum(frame), 0);
  repair(frame);
  EXPECT_EQ(classify(frame).kind, Kind::kGradient);
  frame[46] = frame[47] = 0xFF;
  EXPECT_EQ(classify(frame).kind, Kind::kGradient);
  frame[47] = 0xFE;
  EXPECT_EQ(classify(frame).reason, Reason::kBadChecksum);
}

TEST(Frame, EveryBitOfTheControlHeaderIsSummed) {
  for (std::size_t bit = 8 * 19; bit < 8 * 48; bit++) {
    Frame frame = gradient();
    frame[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    EXPECT_EQ(classify(frame).reason, Reason::kBadChecksum) << "bit " << bit;
  }
}

/// One way to spoil a well-formed gradient frame, by what the check it breaks is, in order.
struct Fault {
  Reason reason;
  std::function<void(Frame&)> spoil;
};

const std::vector<Fault>& faults() {
  static const std::vector<Fault> kFaults = {
      {Reason::kBadVersion, [](Frame& f) { f[18] = 2; }},
      {Reason::kBadChecksum, [](Frame& f) { f[47] ^= 1; }},
      {Reason::kCount, [](Frame& f) { f[21] = 33; }},
      {Reason::kTlpType, [](Frame& f) { f[48] = 0x40; }},
      {Reason::kPoisoned, [](Frame& f) { f[50] |= 0x40; }},
      {Reason::kTlpLength, [](Frame& f) { f[51] ^= 1; }},
      {Reason::kShortFrame, [](Frame& f) { f.resize(191); }},
  };
  return kFaults;
}

TEST(Frame, OfTwoFaultsTheOneInFrontDecides) {
  for (std::size_t i = 0; i < faults().size(); i++) {
    for (std::size_t j = i; j < faults().size(); j++) {
      Frame frame = gradient();
      // The checksum is repaired before it is spoilt, so that the other fault stays alone.
      const bool sum = i == 1 || j == 1;
      if (i != 1) faults()[i].spoil(frame);
      if (j != 1 && j != i) faults()[j].spoil(frame);
      repair(frame);
      if (sum) faults()[1].spoil(frame);
      const Classified c = classify(frame);
      EXPECT_EQ(c.kind, Kind::kMalformed);
      EXPECT_EQ(name_of(c.reason), name_of(faults()[i].reason)) << "with fault " << j;
    }
  }
}

TEST(Frame, CountIsOneToThirtyTwo) {
  for (int count = 0; count < 256; count++) {
    Frame frame = gradient();
    frame[21] = static_cast<std::uint8_t>(count);
    frame[51] = static_cast<std::uint8_t>(count);
    repair(frame);
    const bool good = count >= 1 && count <= 32;
    EXPECT_EQ(classify(frame).kind, good ? Kind::kGradient : Kind::kMalformed) << count;
    EXPECT_EQ(classify(frame).reason, good ? Reason::kNone : Reason::kCount) << count;
  }
}

TEST(Frame, EveryFirstByteOfATlp) {
  for (int type = 0; type < 256; type++) {
    Frame wide = gradient(), narrow = gradient(32, Tlp::kMWr32);
    wide[48] = narrow[52] = static_cast<std::uint8_t>(type);
    EXPECT_EQ(classify(wide).reason, type == 0x60 ? Reason::kNone : Reason::kTlpType) << type;
    EXPECT_EQ(classify(narrow).reason,
              type == 0x40 || type == 0x4A ? Reason::kNone : Reason::kTlpType)
        << type;
  }
}

TEST(Frame, TlpLengthHasTenBitsAndDigestsAreUnsupported) {
  Frame frame = gradient();
  frame[50] |= 1;  // 256 + 32
  EXPECT_EQ(classify(frame).reason, Reason::kTlpLength);
  EXPECT_EQ(classify(frame).fields.tlp_length, 288);
  frame[50] = frame[51] = 0;  // 1024
  EXPECT_EQ(classify(frame).reason, Reason::kTlpLength);
  frame[50] = 0xC0;  // digest and poisoned
  EXPECT_EQ(classify(frame).reason, Reason::kTlpType);
  frame = gradient(32, Tlp::kCplD);
  frame[54] |= 0x40;
  EXPECT_EQ(classify(frame).reason, Reason::kPoisoned);
  frame = gradient();
  frame[49] = 0xFF;  // traffic class and attributes
  frame[50] = 0x3C;
  EXPECT_EQ(classify(frame).kind, Kind::kGradient);
}

TEST(Frame, CutAnywhere) {
  for (const std::size_t count : {1, 2, 31, 32}) {
    const Frame whole = gradient(count);
    for (std::size_t size = 0; size < whole.size(); size++) {
      const Classified c = classify(std::span(whole).first(size));
      EXPECT_EQ(c.kind, size < 18 ? Kind::kNotExpEther : Kind::kMalformed) << size;
      EXPECT_EQ(c.reason, size < 18 ? Reason::kNone : Reason::kShortFrame) << size;
    }
    Frame padded = whole;
    padded.resize(kMaxFrameBytes, 0xEE);
    EXPECT_EQ(classify(padded), classify(whole));
    EXPECT_EQ(values_of(padded, classify(padded)), values_of(whole, classify(whole)));
  }
  // A short frame that is wrong before it ends: the order of the bytes.
  Frame frame = gradient();
  frame[18] = 9;
  frame.resize(60);
  EXPECT_EQ(classify(frame).reason, Reason::kBadVersion);
  frame.resize(47);
  EXPECT_EQ(classify(frame).reason, Reason::kShortFrame);
  frame = gradient();
  frame[21] = 0;
  repair(frame);
  frame.resize(60);
  EXPECT_EQ(classify(frame).reason, Reason::kCount);
}

TEST(Frame, PlainFrames) {
  const Frame shortest = build_plain(kHeader, {});
  EXPECT_EQ(shortest.size(), 60u);
  EXPECT_EQ(classify(shortest).kind, Kind::kPlain);
  EXPECT_EQ(classify(std::span(shortest).first(48)).kind, Kind::kPlain);
  EXPECT_EQ(classify(std::span(shortest).first(47)).reason, Reason::kShortFrame);
  const Frame longest = build_plain(kHeader, Frame(kMaxFrameBytes - 48, 0xFF));
  EXPECT_EQ(longest.size(), kMaxFrameBytes);
  EXPECT_EQ(classify(longest).kind, Kind::kPlain);
  for (int type = 0; type < 256; type++) {
    Frame frame = gradient();
    frame[19] = static_cast<std::uint8_t>(type);
    repair(frame);
    EXPECT_EQ(classify(frame).kind, type == 1   ? Kind::kGradient
                                    : type == 2 ? Kind::kParameter
                                                : Kind::kPlain);
    frame[21] = 200;  // nobody looks
    repair(frame);
    if (type != 1 && type != 2) EXPECT_EQ(classify(frame).kind, Kind::kPlain);
  }
}

TEST(Frame, OtherFramesAreNotExpEther) {
  for (const std::size_t at : {12, 13, 16, 17}) {
    Frame frame = gradient();
    frame[at] ^= 0x10;
    EXPECT_EQ(classify(frame), Classified{}) << at;
  }
  Frame untagged = gradient();
  untagged.erase(untagged.begin() + 12, untagged.begin() + 16);
  EXPECT_EQ(classify(untagged).kind, Kind::kNotExpEther);
  Frame twice = gradient();
  const Frame tag = {0x81, 0x00, 0x00, 0x01};
  twice.insert(twice.begin() + 12, tag.begin(), tag.end());
  EXPECT_EQ(classify(twice).kind, Kind::kNotExpEther);
  EXPECT_EQ(classify({}).kind, Kind::kNotExpEther);
}

TEST(Frame, RoundTripOfEveryCountAndTlp) {
  std::mt19937 random(1);
  for (const Tlp tlp : {Tlp::kMWr32, Tlp::kCplD, Tlp::kMWr64}) {
    for (std::size_t count = 1; count <= 32; count++) {
      Header h{.destination = std::uint64_t{random()} << 16,
               .source = random(),
               .tci = static_cast<std::uint16_t>(random()),
               .flags = kFlagComplete,
               .sequence = static_cast<std::uint32_t>(random()),
               .ack = static_cast<std::uint32_t>(random()),
               .worker = static_cast<std::uint16_t>(random()),
               .group = static_cast<std::uint16_t>(random()),
               .iteration = static_cast<std::uint32_t>(random()),
               .tlp = tlp};
      std::vector<std::uint32_t> values(count);
      for (auto& value : values) value = static_cast<std::uint32_t>(random());
      Frame frame = build_parameter(h, values);
      const Classified c = classify(frame);
      ASSERT_EQ(c.kind, Kind::kParameter);
      EXPECT_EQ(values_of(frame, c), values);
      EXPECT_EQ(c.fields.destination, h.destination);
      EXPECT_EQ(c.fields.source, h.source);
      EXPECT_EQ(c.fields.tci, h.tci);
      EXPECT_EQ(c.fields.sequence, h.sequence);
      EXPECT_EQ(c.fields.ack, h.ack);
      EXPECT_EQ(c.fields.worker, h.worker);
      EXPECT_EQ(c.fields.group, h.group);
      EXPECT_EQ(c.fields.iteration, h.iteration);
      EXPECT_EQ(c.fields.flags, kFlagComplete | (tlp == Tlp::kMWr64 ? 0 : kFlagTlp3Dw));
      EXPECT_EQ(c.fields.checksum, checksum(frame));

      std::reverse(values.begin(), values.end());
      rewrite(frame, kTypeGradient, c.fields.flags, values);
      EXPECT_EQ(classify(frame).kind, Kind::kGradient);
      EXPECT_EQ(values_of(frame, classify(frame)), values);
    }
  }
}

TEST(Frame, AnyBytesAreClassified) {
  std::mt19937 random(2);
  std::set<Reason> seen;
  for (int round = 0; round < tests::rounds(200'000); round++) {
    Frame frame = gradient(1 + random() % 32, random() % 2 ? Tlp::kMWr64 : Tlp::kMWr32);
    for (auto changes = random() % 4; changes > 0; changes--) {
      frame[12 + random() % 56] = static_cast<std::uint8_t>(random());
    }
    if (random() % 2) repair(frame);
    if (random() % 4 == 0) frame.resize(random() % 256);
    frame.shrink_to_fit();
    const Classified c = classify(frame);
    seen.insert(c.reason);
    ASSERT_EQ(c.kind == Kind::kMalformed, c.reason != Reason::kNone);
    if (c.carries_values()) ASSERT_EQ(values_of(frame, c).size(), c.fields.count);
  }
  EXPECT_EQ(seen.size(), kReasonCount);  // none was missed
}

TEST(Frame, NamesAreStable) {
  const std::vector<std::string> expected = {"none",  "short_frame", "bad_version", "bad_checksum",
                                             "count", "tlp_length",  "poisoned",    "tlp_type"};
  for (std::size_t i = 0; i < kReasonCount; i++) {
    EXPECT_EQ(name_of(static_cast<Reason>(i)), expected[i]);
  }
  EXPECT_EQ(name_of(Kind::kNotExpEther), "not_expether");
  EXPECT_EQ(name_of(Kind::kMalformed), "malformed");
}

// ---- docs/formats/expether.md, the RTL's package, and the code say the same.

std::string source_text(const std::string& name) {
  std::ifstream file(GRADWIRE_SOURCE_DIR "/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Documented {
  const char* row;  // of the page: offset, bytes, field
  std::size_t offset, bytes;
  const char* rtl;  // its name in the package; "": it has none
};
constexpr Documented kDocumented[] = {
    {"destination MAC", kDestinationOffset, 6, ""},
    {"source MAC", kSourceOffset, 6, ""},
    {"TPID", kTpidOffset, sizeof kTpid, "TpidByte"},
    {"TCI", kTciOffset, sizeof Header::tci, "TciByte"},
    {"EtherType", kEtherTypeOffset, sizeof kEtherType, "EtherTypeByte"},
    {"version", kVersionOffset, sizeof kVersion, "VersionByte"},
    {"type", kTypeOffset, sizeof Fields::type, "TypeByte"},
    {"flags", kFlagsOffset, sizeof Fields::flags, "FlagsByte"},
    {"count", kCountOffset, sizeof Fields::count, "CountByte"},
    {"sequence", kSequenceOffset, sizeof Fields::sequence, "SequenceByte"},
    {"ack", kAckOffset, sizeof Fields::ack, "AckByte"},
    {"worker", kWorkerOffset, sizeof Fields::worker, "WorkerByte"},
    {"group", kGroupOffset, sizeof Fields::group, "GroupByte"},
    {"iteration", kIterationOffset, sizeof Fields::iteration, "IterationByte"},
    {"reserved", kReservedOffset, kChecksumOffset - kReservedOffset, ""},
    {"checksum", kChecksumOffset, sizeof Fields::checksum, "ChecksumByte"},
    {"TLP header", kTlp4Offset, kPayloadOffset - kTlp4Offset, "Tlp4Byte"},
    {"TLP header", kTlp3Offset, kPayloadOffset - kTlp3Offset, "Tlp3Byte"}};

TEST(FramePage, HasEveryFieldWhereTheCodeAndTheRtlHaveIt) {
  const std::string page = source_text("docs/formats/expether.md"),
                    package = source_text("rtl/switch/gw_expether_pkg.sv");
  std::size_t at = 0, next = 0;
  for (const Documented& field : kDocumented) {
    SCOPED_TRACE(field.row);
    const std::size_t row = page.find("\n| " + std::to_string(field.offset) + " | " +
                                      std::to_string(field.bytes) + " | " + field.row + " |");
    ASSERT_NE(row, std::string::npos);
    EXPECT_GT(row, at);
    at = row;
    // No byte without a field; the two kinds of TLP header lie over one another.
    if (field.offset != kTlp3Offset) {
      EXPECT_EQ(field.offset, next);
      next = field.offset + field.bytes;
    }
    if (*field.rtl == '\0') continue;
    std::smatch found;
    ASSERT_TRUE(std::regex_search(
        package, found,
        std::regex(std::string("localparam int ") + field.rtl + R"( +=\s*(\d+);)")));
    EXPECT_EQ(std::stoul(found[1]), field.offset);
  }
  EXPECT_EQ(next, kPayloadOffset);
  EXPECT_NE(page.find("\n| 64 | 4 count | payload |"), std::string::npos);
  for (const std::string words : {"| TPID | 0x8100 |", "| EtherType | 0x88B5,", "| version | 1 |",
                                  "| 0x60 | 0x40 | 0x4A |"}) {
    EXPECT_NE(page.find(words), std::string::npos) << words;
  }
}

TEST(FramePage, HasTheChecksInTheirOrder) {
  const std::string page = source_text("docs/formats/expether.md");
  std::size_t at = page.find("## What a frame is");
  for (const char* outcome :
       {"not_expether", "short_frame", "bad_version", "bad_checksum", "plain", "count",
        "short_frame", "tlp_type", "poisoned", "tlp_length", "short_frame"}) {
    at = page.find("`" + std::string(outcome) + "`", at + 1);
    ASSERT_NE(at, std::string::npos) << outcome;
  }
}

TEST(FramePage, ItsExampleIsAFrame) {
  const std::string page = source_text("docs/formats/expether.md");
  std::istringstream lines(page.substr(page.find("## A worked example")));
  Frame bytes;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("    ")) continue;
    // The bytes, and after three blanks what they are.
    std::istringstream words(line.substr(0, line.find("   ", 4)));
    for (std::string word; words >> word;) {
      bytes.push_back(static_cast<std::uint8_t>(std::stoi(word, nullptr, 16)));
    }
  }
  EXPECT_EQ(bytes, build_gradient(kHeader, std::vector<std::uint32_t>{0x3F800000, 0xC0000000}));
  EXPECT_EQ(classify(bytes).kind, Kind::kGradient);
}

}  // namespace
}  // namespace gw::reference::expether::frame_test
