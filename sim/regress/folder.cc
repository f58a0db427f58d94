// SPDX-License-Identifier: Apache-2.0
#include "sim/regress/folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/interprocess/sync/file_lock.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "sim/base/error.h"
#include "sim/base/file_bytes.h"
#include "sim/report/json.h"

namespace gw::regress {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

}  // namespace

/// Held as long as the process lives: a killed one holds nothing.
struct Folder::Lock {
  boost::interprocess::file_lock file;
};

Folder::Folder(fs::path path) : path_(std::move(path)) {
  std::error_code error;
  for (const fs::path& folder : {path_, cases(), shards()}) {
    fs::create_directories(folder, error);
    if (error) {
      throw sim::InputError(
          fmt::format("cannot make the folder '{}': {}", folder.string(), error.message()));
    }
  }
}

void Folder::lock() {
  const fs::path path = path_ / "lock";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) {
    throw sim::InputError(
        fmt::format("cannot write '{}': {}", path.string(), std::strerror(errno)));
  }
  ::close(file);  // closing any descriptor of a file gives its locks back: before it is taken
  auto lock = std::make_shared<Lock>();
  lock->file = boost::interprocess::file_lock(path.c_str());
  if (!lock->file.try_lock()) {
    const std::string who = sim::bytes_if_readable(path_ / "owner").value_or("");
    throw sim::UsageError(fmt::format("'{}' is in use by another gradwire regress{}{}",
                                      path_.string(), who.empty() ? "" : ", process ", who));
  }
  lock_ = std::move(lock);
  sim::write_report_file((path_ / "owner").string(),
                         fmt::format("{} on {}", ::getpid(), host_name()), "file");
}

std::string Folder::holder() const {
  const fs::path path = path_ / "lock";
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "";
  struct flock query = {};
  query.l_type = F_WRLCK;
  query.l_whence = SEEK_SET;
  const bool held = ::fcntl(file, F_GETLK, &query) == 0 && query.l_type != F_UNLCK;
  ::close(file);
  return held ? sim::bytes_if_readable(path_ / "owner").value_or("") : "";
}

std::optional<Order> Folder::order() const {
  const fs::path path = path_ / "plan.json";
  if (!fs::exists(path)) return std::nullopt;
  try {
    const json document = json::parse(sim::bytes_of_file(path));
    Order order{.plan = document.at("plan"),
                .file = document.at("file"),
                .baseline = document.at("baseline"),
                .known = document.value("known", ""),
                .program = document.at("program"),
                .command = document.at("command"),
                .budget = document.at("budget"),
                .only = document.at("only"),
                .seed = document.at("seed"),
                .cases = {}};
    for (const json& c : document.at("cases")) order.cases.push_back(case_of(c));
    return order;
  } catch (const std::exception&) {
    throw sim::InputError(fmt::format("'{}' is no list of cases", path.string()));
  }
}

void Folder::write(const Order& order) const {
  json document = {{"plan", order.plan},         {"file", order.file},
                   {"baseline", order.baseline}, {"program", order.program},
                   {"command", order.command},   {"budget", order.budget},
                   {"only", order.only},         {"seed", order.seed},
                   {"known", order.known},       {"cases", json::array()}};
  for (const Case& c : order.cases) document["cases"].push_back(to_json(c));
  write_durably(path_ / "plan.json",
                document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
}

void Folder::write(const Entry& entry) const {
  write_durably(file_of(entry.what), entry_text(entry));
}

fs::path Folder::write_shard(const std::string& name, const Order& order,
                             const std::vector<const Case*>& cases) const {
  json document = {
      {"program", order.program}, {"command", order.command}, {"cases", json::array()}};
  for (const Case* const c : cases) document["cases"].push_back(to_json(*c));
  const fs::path path = shards() / (name + ".json");
  sim::write_report_file(
      path.string(), document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n", "shard");
  return path;
}

void Folder::each_entry(const std::function<void(Entry&&)>& take) const {
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(cases(), error)) {
    if (file.path().extension() != ".json") continue;
    if (std::optional<Entry> entry = read_entry(file.path())) take(std::move(*entry));
  }
  if (error) {
    throw sim::InputError(fmt::format("cannot read '{}': {}", cases().string(), error.message()));
  }
}

void Folder::tidy() const {
  std::error_code error;
  std::vector<fs::path> half;
  for (const fs::directory_entry& file : fs::directory_iterator(cases(), error)) {
    if (file.path().extension() != ".json") half.push_back(file.path());
  }
  for (const fs::directory_entry& file : fs::directory_iterator(shards(), error)) {
    half.push_back(file.path());
  }
  for (const fs::path& path : half) fs::remove(path, error);
  fs::remove_all(path_ / "slurm", error);
}

void write_durably(const fs::path& path, const std::string& text) {
  sim::write_report_file(path.string(), text, "result", sim::Kept::kOnDisk);
}

}  // namespace gw::regress
