// Files of values: what is told from the first bytes, .npy, and the header of encoded files.
// SPDX-License-Identifier: Apache-2.0
#include "models/reference/value_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

namespace gw::reference::value_file_test {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

/// A .npy as numpy.save writes it: version 1, a dictionary padded to 64 bytes.
Bytes npy(const std::string& type, const std::string& shape, const Bytes& data,
          std::uint8_t version = 1) {
  std::string dictionary =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  dictionary.resize(117, ' ');
  dictionary += '\n';
  Bytes file = bytes_of("\x93NUMPY");
  file.push_back(version);
  file.push_back(0);
  file.push_back(static_cast<std::uint8_t>(dictionary.size()));
  file.resize(version == 1 ? 10 : 12);
  file.insert(file.end(), dictionary.begin(), dictionary.end());
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

template <class T>
Bytes data_of(std::initializer_list<T> values, bool big = false) {
  Bytes out;
  for (const T value : values) {
    Bytes bytes(sizeof(T));
    std::memcpy(bytes.data(), &value, sizeof(T));
    if (big) std::ranges::reverse(bytes);
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  return out;
}

TEST(Looks, EachKindByItsFirstBytes) {
  const auto kind = [](std::string_view text) { return looks_of(bytes_of(text)).kind; };
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(kind("\x93NUMPY\x01\0"sv), FileKind::kNpy);
  EXPECT_EQ(kind("\xD4\xC3\xB2\xA1\x02\0\x04\0"sv), FileKind::kCapture);
  EXPECT_EQ(kind("\xA1\xB2\x3C\x4D\0\x02\0\x04"sv), FileKind::kCapture);
  EXPECT_EQ(kind("\x0A\x0D\x0D\x0A\x1C\0\0\0"sv), FileKind::kCapture);
  EXPECT_EQ(kind("\xD4\xC3\xB2\xA1\x03\0\0\0"sv), FileKind::kFloats);
  for (const std::string_view other : {"PK\x03\x04\x14\0\0\0"sv,
                                       "\xFD"
                                       "7zXZ\0\0\x04"sv,
                                       "BZh91AY&SY"sv, "\x89HDF\r\n\x1A\n"sv,
                                       "\x7F"
                                       "ELF\x02\x01\x01\0"sv,
                                       "0.25 0.125 1e-3\n0.5"sv, "\x40\0\0\0\0\0\0\0{\"weight"sv}) {
    const FileLooks looks = looks_of(bytes_of(other));
    EXPECT_EQ(looks.kind, FileKind::kOther) << other;
    EXPECT_STRNE(looks.name, "");
    EXPECT_STRNE(looks.remedy, "");
  }
}

TEST(Looks, GradientsAreFloats) {
  std::mt19937 random(1);
  std::normal_distribution<float> gradient(0, 0.01F);
  for (int round = 0; round < 20'000; ++round) {
    Bytes head;
    for (int i = 0; i < 16; ++i) {
      const Bytes one = data_of({round % 3 == 0 && i % 2 == 0 ? 0.0F : gradient(random)});
      head.insert(head.end(), one.begin(), one.end());
    }
    ASSERT_EQ(looks_of(head).kind, FileKind::kFloats);
  }
  EXPECT_EQ(looks_of(Bytes(64)).kind, FileKind::kFloats);
  EXPECT_EQ(looks_of({}).kind, FileKind::kFloats);
}

TEST(Npy, Float32OfBothByteOrdersAndAllVersions) {
  const std::vector<std::uint32_t> words = {0x3F800000, 0xC0490FDB, 0x7FC00001};
  const auto f = [](std::uint32_t w) { return std::bit_cast<float>(w); };
  for (const std::uint8_t version : {1, 2, 3}) {
    for (const bool big : {false, true}) {
      Bytes data;
      for (const std::uint32_t w : words) {
        const Bytes one = data_of({f(w)}, big);
        data.insert(data.end(), one.begin(), one.end());
      }
      const NpyValues got = parse_npy(npy(big ? ">f4" : "<f4", "(3,)", data, version), false);
      EXPECT_EQ(got.error, "");
      EXPECT_EQ(got.words, words);
      EXPECT_FALSE(got.rounded);
    }
  }
  EXPECT_EQ(parse_npy(npy("<f4", "(2, 3)", Bytes(24)), false).words.size(), 6u);
  EXPECT_EQ(parse_npy(npy("<f4", "()", Bytes(4)), false).words.size(), 1u);
}

TEST(Npy, Float64IsRoundedWhenAsked) {
  const Bytes file = npy("<f8", "(4,)", data_of<double>({1.0, 0.1, -1e300, INFINITY}));
  EXPECT_NE(parse_npy(file, false).error.find("--from-float64"), std::string::npos);
  const NpyValues got = parse_npy(file, true);
  EXPECT_EQ(got.error, "");
  EXPECT_TRUE(got.rounded);
  EXPECT_EQ(got.infinite, 1u);
  EXPECT_EQ(got.words,
            (std::vector<std::uint32_t>{0x3F800000, 0x3DCCCCCD, 0xFF800000, 0x7F800000}));
}

TEST(Npy, OtherTypesAndDamageAreSentences) {
  for (const char* type : {"<f2", "<i4", "|u1", "<c8", "|O", "<f44", "f4"}) {
    const NpyValues got = parse_npy(npy(type, "(2,)", Bytes(8)), true);
    EXPECT_NE(got.error, "") << type;
    EXPECT_TRUE(got.words.empty());
  }
  for (const char* shape : {"(3,)", "(1,)", "(x,)", "(99999999999999999999,)",
                            "(4294967296, 4294967296, 2)", "2", ""}) {
    EXPECT_NE(parse_npy(npy("<f4", shape, Bytes(8)), false).error, "") << shape;
  }
  const Bytes whole = npy("<f4", "(2,)", Bytes(8));
  for (std::size_t size = 6; size < whole.size(); ++size) {
    EXPECT_NE(parse_npy(std::span(whole).first(size), false).error, "") << size;
  }
  std::mt19937 random(2);
  for (int round = 0; round < 20'000; ++round) {
    Bytes bent = whole;
    for (int i = 0; i < 3; ++i) {
      bent[6 + random() % (bent.size() - 6)] = static_cast<std::uint8_t>(random());
    }
    const NpyValues got = parse_npy(bent, round % 2 == 0);
    ASSERT_TRUE(got.error.empty() ? got.words.size() <= 2 : got.words.empty());
  }
}

TEST(Encoded, HeaderAndGroupsComeBack) {
  const Bytes groups = {1, 2, 3, 4, 5};
  for (const Mode mode : {Mode::kPaper, Mode::kBounded}) {
    const EncodedHeader header = header_of(groups, 7, {.bound_exponent = 14, .mode = mode});
    Bytes file(EncodedHeader::kBytes);
    const auto bytes = header.to_bytes();
    std::copy(bytes.begin(), bytes.end(), file.begin());
    file.insert(file.end(), groups.begin(), groups.end());
    const EncodedFile back = parse_encoded(file);
    EXPECT_EQ(back.error, "");
    EXPECT_EQ(back.header.config, header.config);
    EXPECT_EQ(back.header.values, 7u);
    EXPECT_EQ(Bytes(back.groups.begin(), back.groups.end()), groups);
    // Every bit counts, and every byte that is missing or too many.
    for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
      Bytes bent = file;
      bent[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
      EXPECT_NE(parse_encoded(bent).error, "") << bit;
    }
    for (std::size_t size = 0; size < file.size(); ++size) {
      EXPECT_NE(parse_encoded(std::span(file).first(size)).error, "") << size;
    }
    file.push_back(0);
    EXPECT_NE(parse_encoded(file).error, "");
  }
}

}  // namespace
}  // namespace gw::reference::value_file_test
