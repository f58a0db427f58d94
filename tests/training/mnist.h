// A folder of a few images as MNIST's files hold them: to draw the digits of a whole training takes
// sanitizers many seconds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace gw::training {

/// Images of any grey, and labels.
inline void write_mnist(const std::filesystem::path& folder, uint32_t images) {
  std::filesystem::create_directories(folder);
  const auto word = [](uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
    return bytes;
  };
  std::string pixels = word(0x803) + word(images) + word(28) + word(28);
  std::string labels = word(0x801) + word(images);
  uint32_t random = 1;
  for (uint32_t i = 0; i < images; ++i) {
    labels += static_cast<char>(i % 10);
    for (int pixel = 0; pixel < 28 * 28; ++pixel) {
      pixels += static_cast<char>((random = random * 1'664'525 + 1'013'904'223) >> 24);
    }
  }
  std::ofstream(folder / "t10k-images-idx3-ubyte", std::ios::binary) << pixels;
  std::ofstream(folder / "t10k-labels-idx1-ubyte", std::ios::binary) << labels;
}

}  // namespace gw::training
