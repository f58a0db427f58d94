// SPDX-License-Identifier: Apache-2.0
#include "testbenches/kit/wave.h"

#include <fmt/format.h>
#include <gtkwave/fstapi.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "sim/base/error.h"

namespace gw::testbenches {
namespace {

[[noreturn]] void refuse(const std::string& path, int error) {
  throw sim::InputError(fmt::format("cannot write waveform '{}': {}", path, std::strerror(error)));
}

}  // namespace

Wave::Wave(const sim::WaveSpec& spec) : path_(spec.path) {
  const std::filesystem::path path(spec.path);
  if (path.extension() != ".fst" && path.extension() != ".vcd") {
    throw sim::UsageError(fmt::format("--wave '{}' ends neither in .fst nor in .vcd", spec.path));
  }
  std::FILE* probe = std::fopen(spec.path.c_str(), "wb");
  if (probe == nullptr) refuse(spec.path, errno);
  // A full disk lets a file be made and refuses its first bytes.
  const bool whole =
      std::fputc('\n', probe) != EOF && std::fflush(probe) == 0 && ::fsync(fileno(probe)) == 0;
  const int error = errno;
  std::fclose(probe);
  if (!whole && error != EINVAL) refuse(spec.path, error);
  fst_path_ = path.extension() == ".fst" ? spec.path : spec.path + ".fst";
}

void Wave::opened(int error) const {
  if (error != 0) refuse(fst_path_, error);
}

std::string Wave::cannot_write(const std::string& path, const std::string& why) {
  return fmt::format("cannot write waveform '{}': {}", path, why);
}

std::string Wave::converted() const {
  if (fst_path_ == path_) return {};
  void* const reader = fstReaderOpen(fst_path_.c_str());
  if (reader == nullptr) return cannot_write(fst_path_, "the file is not whole");
  std::FILE* const vcd = std::fopen(path_.c_str(), "wb");
  bool written = false;
  if (vcd != nullptr) {
    fstReaderProcessHier(reader, vcd);
    fstReaderSetFacProcessMaskAll(reader);
    fstReaderIterBlocks(reader, nullptr, nullptr, vcd);
    written = std::fflush(vcd) == 0 && std::ferror(vcd) == 0;
    written = std::fclose(vcd) == 0 && written;
  }
  const int error = errno;
  fstReaderClose(reader);
  // On failure the FST stays: nothing that was written is lost.
  if (!written) return cannot_write(path_, std::strerror(error));
  std::filesystem::remove(fst_path_);
  return {};
}

}  // namespace gw::testbenches
