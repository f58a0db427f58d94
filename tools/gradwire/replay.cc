// gradwire replay: is the bug of a capsule still there?
#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/run/run.h"
#include "tools/gradwire/capsule.h"
#include "tools/gradwire/commands.h"
#include "tools/gradwire/run.h"

namespace gw::tools {
namespace {

int replay(const std::string& path, const std::vector<std::string>& more,
           const std::string& command) {
  const sim::capsule::Capsule& capsule = capsule_named(path);
  std::vector<std::string> words = {capsule.device, "--capsule", path};
  words.insert(words.end(), more.begin(), more.end());
  const nlohmann::json report = execute_run(words, command);
  if (report.contains("interrupted")) return sim::kCheckFailed;
  const std::string bucket = report.value("bucket", "");
  if (report.value("pass", false)) {
    fmt::print("the bug is gone: {}\n", capsule.bucket);
  } else if (bucket == capsule.bucket || !more.empty()) {
    fmt::print("{}: {}\n", bucket == capsule.bucket ? "the bug is there" : "it fails", bucket);
  } else {
    fmt::print("it fails in another way: {}\n  the capsule's was: {}\n", bucket, capsule.bucket);
  }
  return sim::exit_code(report);
}

}  // namespace

void add_replay(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      app.add_subcommand("replay", "the failure of a capsule: exit code 1 while it is there");
  auto path = std::make_shared<std::string>();
  command->add_option("CAPSULE", *path, "its folder or zip file (docs/capsules.md)")->required();
  command->footer(
      "Further options are those of gradwire run, --rtl my.f --top NAME, --wave FILE, ..., and\n"
      "count more than the capsule's.");
  command->allow_extras();
  command->callback([path, command, &invocation] {
    invocation.action = [path, command, words = invocation.command] {
      return replay(*path, command->remaining(), words);
    };
  });
}

}  // namespace gw::tools
