// Streams, with every implementation that this CPU can run: equal to the value functions, equal to
// one another on good and on broken streams, and never a byte outside their buffers.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "models/reference/codec.h"
#include "models/reference/codec_benchmark.h"
#include "tests/reference/codec_test_util.h"
#include "tests/sanitized.h"

namespace gw::reference::codec_stream_test {
namespace {

/// Memory that ends exactly where an unmapped page begins: one byte too far crashes.
class GuardedBytes {
 public:
  explicit GuardedBytes(size_t size) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    mapped_ = (size / page + 2) * page;
    void* memory =
        mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    base_ = static_cast<uint8_t*>(memory);
    if (mprotect(base_ + mapped_ - page, page, PROT_NONE) != 0) std::abort();
    end_ = base_ + mapped_ - page;
  }
  ~GuardedBytes() { munmap(base_, mapped_); }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  /// The last `size` bytes of the memory, as elements of T.
  template <typename T>
  std::span<T> last(size_t size) {
    return {reinterpret_cast<T*>(end_ - size), size / sizeof(T)};
  }

 private:
  size_t mapped_;
  uint8_t* base_;
  uint8_t* end_;
};

std::vector<uint8_t> encode_by_definition(std::vector<uint32_t> values, CodecConfig config) {
  values.resize(groups_of_values(values.size()) * kGroupValues);
  std::vector<uint8_t> stream;
  for (size_t i = 0; i < values.size(); i += kGroupValues) {
    uint32_t tags = 0;
    std::vector<uint8_t> payloads;
    for (size_t lane = 0; lane < kGroupValues; ++lane) {
      const EncodedValue value = encode_value(values[i + lane], config);
      tags |= static_cast<uint32_t>(value.tag) << (2 * lane);
      for (int byte = 0; byte < payload_bytes(value.tag); ++byte) {
        payloads.push_back(static_cast<uint8_t>(value.payload >> (8 * byte)));
      }
    }
    stream.push_back(static_cast<uint8_t>(tags));
    stream.push_back(static_cast<uint8_t>(tags >> 8));
    stream.insert(stream.end(), payloads.begin(), payloads.end());
  }
  return stream;
}

std::vector<uint32_t> decode_by_definition(std::vector<uint32_t> values, CodecConfig config) {
  values.resize(groups_of_values(values.size()) * kGroupValues);
  for (uint32_t& bits : values) bits = decode_value(encode_value(bits, config), config);
  return values;
}

class CodecStream : public testing::TestWithParam<Implementation> {
 protected:
  std::vector<uint8_t> encoded(const std::vector<uint32_t>& values, CodecConfig config) {
    std::vector<uint8_t> out;
    encode(values, config, out, GetParam());
    return out;
  }

  /// Round trip through the implementation, both ways compared with the definition.
  void expect_as_defined(const std::vector<uint32_t>& values, CodecConfig config) {
    const std::vector<uint8_t> stream = encoded(values, config);
    ASSERT_EQ(stream, encode_by_definition(values, config)) << describe(config);
    const DecodeResult back = decode(stream, config, GetParam());
    ASSERT_EQ(back.values, decode_by_definition(values, config)) << describe(config);
    ASSERT_EQ(back.consumed, stream.size());
    ASSERT_FALSE(back.error) << back.error->sentence;
  }
};

TEST_P(CodecStream, EmptyStreamIsNoGroupsAndNoError) {
  EXPECT_TRUE(encoded({}, {}).empty());
  const DecodeResult result = decode({}, {}, GetParam());
  EXPECT_TRUE(result.values.empty());
  EXPECT_FALSE(result.error);
}

TEST_P(CodecStream, EdgeValuesInEveryLane) {
  for (const CodecConfig config : all_configs()) {
    std::vector<uint32_t> values = edge_values();
    for (int lane = 0; lane < kGroupValues; ++lane) {
      expect_as_defined(values, config);
      values.insert(values.begin(), 0x3F000000u);  // shifts everything by one lane
    }
  }
}

TEST_P(CodecStream, EveryCombinationOfTags) {
  const CodecConfig config{10, Mode::kBounded};
  const std::array<uint32_t, 4> of_tag = {0x3A000001, 0xBB912345, 0x3E912345, 0xC2123456};
  std::vector<uint32_t> values;
  for (uint32_t tags = 0; tags < 0x10000; tags += tests::kSanitized ? 5 : 1) {
    for (int lane = 0; lane < kGroupValues; ++lane) {
      values.push_back(of_tag[tags >> (2 * lane) & 3] ^ static_cast<uint32_t>(lane) << 3);
    }
  }
  expect_as_defined(values, config);
}

TEST_P(CodecStream, RandomStreamsOfEveryLength) {
  std::mt19937 random(1);
  for (const CodecConfig config : all_configs()) {
    for (size_t length = 0; length <= 100; length += tests::kSanitized ? 5 : 1) {
      expect_as_defined(random_values(random, length), config);
    }
  }
}

TEST_P(CodecStream, LongStreamsOfSeveralMixes) {
  for (const TagMix mix : {kHdcMix, kUniformMix, TagMix{100, 0, 0, 0}, TagMix{0, 0, 0, 100},
                           TagMix{99.9, 0, 0, 0.1}}) {
    for (const Mode mode : {Mode::kPaper, Mode::kBounded}) {
      const CodecConfig config{10, mode};
      for (const size_t count : {5000u, 4096u, 4097u, 65536u + 9u}) {
        std::vector<uint32_t> values;
        for (const float value : synthetic_values(count, mix, config, count)) {
          values.push_back(std::bit_cast<uint32_t>(value));
        }
        expect_as_defined(values, config);
      }
    }
  }
}

TEST_P(CodecStream, FloatsAndTheirBitsGiveTheSame) {
  const CodecConfig config{8, Mode::kBounded};
  const std::vector<float> values = synthetic_values(77, kUniformMix, config, 3);
  std::vector<uint8_t> stream = {1, 2, 3};  // encode() appends
  encode(values, config, stream, GetParam());
  std::vector<uint32_t> bits(values.size());
  std::memcpy(bits.data(), values.data(), values.size() * sizeof(float));
  EXPECT_EQ(std::vector<uint8_t>(stream.begin() + 3, stream.end()), encoded(bits, config));
  EXPECT_EQ((std::vector<uint8_t>(stream.begin(), stream.begin() + 3)),
            (std::vector<uint8_t>{1, 2, 3}));

  const std::span<const uint8_t> coded = std::span(stream).subspan(3);
  std::vector<float> floats(80);
  const DecodeProgress progress = decode_into(coded, config, floats, GetParam());
  EXPECT_EQ(progress.values, 80u);
  EXPECT_EQ(std::memcmp(floats.data(), decode(coded, config).values.data(), 80 * 4), 0);
}

TEST_P(CodecStream, StaysInsideItsBuffers) {
  std::mt19937 random(2);
  GuardedBytes in(1 << 14), middle(1 << 14), out(1 << 14);
  for (const CodecConfig config : {CodecConfig{10, Mode::kBounded}, CodecConfig{3, Mode::kPaper}}) {
    for (size_t count = 0; count <= 300; ++count) {
      const std::vector<uint32_t> values = random_values(random, count);
      const auto input = in.last<uint32_t>(count * 4);
      std::copy(values.begin(), values.end(), input.begin());
      const auto room = middle.last<uint8_t>(max_encoded_size(count));
      const size_t size = encode_into(std::span<const uint32_t>(input), config, room, GetParam());
      const std::vector<uint8_t> stream(room.begin(), room.begin() + static_cast<long>(size));
      ASSERT_EQ(stream, encode_by_definition(values, config));

      const auto packet = middle.last<uint8_t>(size);
      std::copy(stream.begin(), stream.end(), packet.begin());
      const size_t padded = groups_of_values(count) * kGroupValues;
      const auto back = out.last<uint32_t>(padded * 4);
      const DecodeProgress progress = decode_into(packet, config, back, GetParam());
      ASSERT_EQ(progress.values, padded);
      ASSERT_EQ(progress.consumed, size);
      ASSERT_FALSE(progress.error);
      ASSERT_EQ(std::vector<uint32_t>(back.begin(), back.end()),
                decode_by_definition(values, config));
    }
  }
}

TEST_P(CodecStream, StopsWithoutAnErrorWhenTheOutputIsFull) {
  std::mt19937 random(3);
  const CodecConfig config{10, Mode::kBounded};
  const std::vector<uint32_t> values = random_values(random, 400);
  const std::vector<uint8_t> stream = encode_by_definition(values, config);
  const std::vector<uint32_t> all = decode_by_definition(values, config);
  GuardedBytes out(1 << 14);
  for (size_t room = 0; room <= 410; ++room) {
    const auto part = out.last<uint32_t>(room * 4);
    const DecodeProgress progress = decode_into(stream, config, part, GetParam());
    ASSERT_EQ(progress.values, std::min<size_t>(room, 400) / 8 * 8);
    ASSERT_FALSE(progress.error);
    ASSERT_TRUE(
        std::equal(part.begin(), part.begin() + static_cast<long>(progress.values), all.begin()));
    // What follows decodes on from there.
    const DecodeResult rest =
        decode(std::span(stream).subspan(progress.consumed), config, GetParam());
    ASSERT_EQ(rest.values.size(), 400 - progress.values);
    ASSERT_FALSE(rest.error);
  }
}

TEST_P(CodecStream, EveryTruncationDeliversWholeGroupsAndSaysWhere) {
  std::mt19937 random(4);
  for (const TagMix mix : {kHdcMix, kUniformMix}) {
    const CodecConfig config{10, Mode::kBounded};
    const std::vector<float> values = synthetic_values(480, mix, config, 5);
    std::vector<uint8_t> stream;
    encode(values, config, stream);
    const std::vector<uint32_t> all = decode(stream, config, *find_implementation("scalar")).values;
    std::vector<size_t> starts = {0};
    while (starts.back() < stream.size()) {
      const size_t at = starts.back();
      const auto tags = static_cast<uint16_t>(stream[at] | stream[at + 1] << 8);
      starts.push_back(at + static_cast<size_t>(encoded_group_bytes(tags)));
    }
    GuardedBytes in(1 << 14);
    for (size_t size = 0; size <= stream.size(); ++size) {
      const auto cut = in.last<uint8_t>(size);
      std::copy_n(stream.begin(), size, cut.begin());
      const auto after = std::upper_bound(starts.begin(), starts.end(), size);
      const auto groups = static_cast<size_t>(after - starts.begin()) - 1;
      const DecodeResult result = decode(cut, config, GetParam());
      ASSERT_EQ(result.values.size(), groups * kGroupValues) << size;
      ASSERT_TRUE(std::equal(result.values.begin(), result.values.end(), all.begin())) << size;
      ASSERT_EQ(result.consumed, starts[groups]);
      ASSERT_EQ(result.error.has_value(), starts[groups] != size) << size;
      if (result.error) {
        ASSERT_EQ(result.error->offset, starts[groups]);
        ASSERT_NE(result.error->sentence.find("offset " + std::to_string(starts[groups]) + ":"),
                  std::string::npos)
            << result.error->sentence;
      }
    }
  }
}

// Longer than what is decoded at a time: the offset is that of the stream all the same.
TEST_P(CodecStream, TruncationOfALongStreamSaysWhereItIs) {
  const CodecConfig config{10, Mode::kBounded};
  const std::vector<float> values = synthetic_values(20'000, kUniformMix, config, 5);
  std::vector<uint8_t> stream;
  encode(values, config, stream);
  size_t last = 0;
  for (size_t at = 0; at < stream.size();) {
    last = at;
    at += static_cast<size_t>(
        encoded_group_bytes(static_cast<uint16_t>(stream[at] | stream[at + 1] << 8)));
  }
  stream.resize(last + 1);
  const DecodeResult result = decode(stream, config, GetParam());
  EXPECT_EQ(result.consumed, last);
  ASSERT_TRUE(result.error.has_value());
  EXPECT_EQ(result.error->offset, last);
  EXPECT_NE(result.error->sentence.find("offset " + std::to_string(last) + ":"), std::string::npos)
      << result.error->sentence;
}

TEST_P(CodecStream, GarbageDecodesAsTheScalarImplementationDoes) {
  const Implementation& scalar = *find_implementation("scalar");
  std::mt19937 random(6);
  size_t errors = 0;
  for (int round = 0; round < 2000; round += tests::kSanitized ? 5 : 1) {
    const size_t size = round < 1000 ? static_cast<size_t>(round) : 1000 + random() % 5000;
    std::vector<uint8_t> bytes(size);
    for (uint8_t& byte : bytes) {
      byte = static_cast<uint8_t>(random());
      if (round % 3 == 1) byte = static_cast<uint8_t>(byte & random() & random());  // sparse
      if (round % 3 == 2) byte = static_cast<uint8_t>(byte | random() | random());  // dense
    }
    const CodecConfig config = all_configs()[static_cast<size_t>(round) % 28];
    const DecodeResult expected = decode(bytes, config, scalar);
    const DecodeResult result = decode(bytes, config, GetParam());
    ASSERT_EQ(result.values, expected.values) << round;
    ASSERT_EQ(result.consumed, expected.consumed);
    ASSERT_EQ(result.error, expected.error);
    errors += result.error.has_value();
  }
  EXPECT_GT(errors, tests::rounds(1000u));
}

INSTANTIATE_TEST_SUITE_P(Implementations, CodecStream,
                         testing::ValuesIn(implementations().begin(), implementations().end()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(CodecErrors, Sentences) {
  const CodecConfig config{10, Mode::kBounded};
  const auto sentence = [&](std::vector<uint8_t> bytes) {
    return decode(bytes, config).error->sentence;
  };
  EXPECT_EQ(sentence({0, 0, 0}),
            "The stream ends inside the group at offset 2: 1 byte is left of its 2 bytes of tags.");
  EXPECT_EQ(sentence({0xFF, 0xFF, 1, 2, 3}),
            "The stream ends inside the group at offset 0: 5 bytes are left of its 34 bytes.");
}

TEST(CodecErrors, OutputTooSmallAbortsLoudly) {
  std::vector<uint8_t> out(max_encoded_size(9) - 1);
  const std::vector<float> values(9);
  EXPECT_DEATH(encode_into(values, {}, out), "needs 68 bytes");
}

TEST(Implementations, ScalarAndPortableAlwaysThereAndUnknownNamesAreNot) {
  EXPECT_EQ(implementations()[0].name, "scalar");
  EXPECT_EQ(implementations()[1].name, "portable");
  EXPECT_NE(find_implementation("portable"), nullptr);
  EXPECT_EQ(find_implementation("mmx"), nullptr);
  EXPECT_EQ(best_implementation().name, implementations().back().name);
}

}  // namespace
}  // namespace gw::reference::codec_stream_test
