// SPDX-License-Identifier: Apache-2.0
#include "sim/capsule/zip.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <zip.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/error.h"

namespace gw::sim::capsule {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostBytes = uint64_t{1} << 30;  // that a capsule unpacks to

std::string words_of(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string words = zip_error_strerror(&error);
  zip_error_fini(&error);
  return words;
}

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

[[noreturn]] void cannot_write(const fs::path& file, const std::string& why) {
  throw InputError(fmt::format("cannot write '{}': {}", file.string(), why));
}

}  // namespace

void zip_folder(const fs::path& folder, const fs::path& file) {
  int code = 0;
  std::unique_ptr<zip_t, Discard> archive(zip_open(file.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
  if (archive == nullptr) cannot_write(file, words_of(code));
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const fs::path& path : files) {
    const fs::path name = folder.filename() / path.lexically_relative(folder);
    zip_source_t* const source = zip_source_file(archive.get(), path.c_str(), 0, -1);
    const zip_int64_t index =
        source == nullptr ? -1
                          : zip_file_add(archive.get(), name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      if (source != nullptr) zip_source_free(source);
      cannot_write(file, zip_strerror(archive.get()));
    }
    const auto mode = static_cast<zip_uint32_t>(fs::status(path).permissions()) | S_IFREG;
    zip_file_set_external_attributes(archive.get(), static_cast<zip_uint64_t>(index), 0,
                                     ZIP_OPSYS_UNIX, mode << 16);
  }
  if (zip_close(archive.get()) != 0) cannot_write(file, zip_strerror(archive.get()));
  archive.release();  // zip_close has freed it
}

void unzip(const fs::path& file, const fs::path& folder) {
  const auto refuse = [&file](const std::string& why) {
    throw InputError(fmt::format("'{}' is no whole zip file: {}", file.string(), why));
  };
  int code = 0;
  const std::unique_ptr<zip_t, Discard> archive(zip_open(file.c_str(), ZIP_RDONLY, &code));
  if (archive == nullptr) refuse(words_of(code));
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  uint64_t bytes = 0;
  for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(count); ++i) {
    zip_stat_t facts;
    if (zip_stat_index(archive.get(), i, 0, &facts) != 0) refuse(zip_strerror(archive.get()));
    const fs::path name = fs::path(facts.name).lexically_normal();
    if (name.empty() || name.is_absolute() || *name.begin() == "..") {
      refuse(fmt::format("it holds '{}', outside of its folder", facts.name));
    }
    if (std::string_view(facts.name).ends_with("/")) continue;
    bytes += facts.size;
    if (bytes > kMostBytes) refuse("it unpacks to more than a gigabyte");
    const std::unique_ptr<zip_file_t, Discard> entry(zip_fopen_index(archive.get(), i, 0));
    if (entry == nullptr) refuse(zip_strerror(archive.get()));
    std::string text(facts.size, '\0');
    // The end is asked for, too: the checksum is looked at there.
    char more = 0;
    if (zip_fread(entry.get(), text.data(), text.size()) != static_cast<zip_int64_t>(text.size()) ||
        zip_fread(entry.get(), &more, 1) != 0) {
      refuse(fmt::format("'{}' in it is damaged", facts.name));
    }
    fs::create_directories((folder / name).parent_path());
    std::ofstream out(folder / name, std::ios::binary);
    out << text;
    out.flush();
    if (!out) cannot_write(folder / name, "the disk is full, or the folder is not to be written");
  }
}

}  // namespace gw::sim::capsule
