// regress_bench [CASES]: what the summary of so many results costs, in seconds and megabytes; as
// many result files are made first, in a folder that is gone afterwards.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "sim/regress/folder.h"
#include "sim/regress/summary.h"
#include "tests/regress/fake_vocabulary.h"

int main(int argc, char** argv) {
  using namespace gw::regress;
  const size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
  const gw::tests::Scratch scratch("bench");
  const Folder folder(scratch.path() / "result");
  Order order{.plan = "bench",
              .file = "bench.toml",
              .baseline = "",
              .program = "",
              .command = "gradwire",
              .budget = "",
              .only = "",
              .seed = 1,
              .cases = {}};
  for (size_t i = 0; i < count; ++i) {
    Case c;
    c.device = fmt::format("device{}", i % 7);
    c.stimulus = fmt::format("stimulus{}", i / 7 % 9);
    c.stall = i % 2 == 0 ? "none" : "both:30";
    c.group = fmt::format("group{}", i % 5);
    c.name = fmt::format("{}/{}/{}/{}/s{}", c.group, c.device, c.stimulus, c.stall, i);
    c.words = {"run",     c.device, "--synth", c.stimulus,
               "--stall", c.stall,  "--seed",  fmt::format("{}", seed_of(1, c.name))};
    c.hash = fmt::format("{:032x}", i);
    c.comparable = c.hash;
    Result r;
    r.verdict = i % 1000 == 0 ? Verdict::kFail : Verdict::kPass;
    r.seconds = 0.001;
    r.host = "here";
    r.began = "2026-11-22T12:00:00Z";
    r.figures = {{"cycles", 1000 + i},
                 {"beats_in", 900},
                 {"beats_out", 100},
                 {"cycles_per_burst", 1.001},
                 {"throughput_gbps", 25.6},
                 {"line_rate_percent", {{"10G", 256}}},
                 {"latency_cycles", {{"min", 10}, {"mean", 18.83}, {"max", 20}}},
                 {"compression", {{"ratio", 13.99}, {"max_abs_error", 0.0009764}}}};
    if (r.verdict == Verdict::kFail) {
      r.headline = "compressor: engines disagree at cycle 712";
      r.lines.assign(20, "  m_axis beat 27   0123456789abcdef");
    }
    // Not through Folder: this many fsyncs are not what is measured.
    std::FILE* const file = std::fopen(folder.file_of(c).c_str(), "w");
    const std::string text = entry_text({c, r});
    if (file == nullptr || std::fwrite(text.data(), 1, text.size(), file) != text.size()) return 3;
    std::fclose(file);
    order.cases.push_back(std::move(c));
  }
  folder.write(order);
  order = {};

  const auto cpu_seconds = [] {
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
  };
  const double cpu = cpu_seconds();
  const auto begin = std::chrono::steady_clock::now();
  Summary given;
  given.order = *folder.order();
  std::unordered_map<std::string, size_t> index;
  for (Case& c : given.order.cases) {
    index.emplace(c.hash, given.entries.size());
    given.entries.push_back({std::move(c), {}});
  }
  given.order.cases.clear();
  folder.each_entry([&](Entry&& entry) {
    given.entries[index.at(entry.what.hash)].result = std::move(entry.result);
  });
  const Summary summary = summarise(std::move(given), {});
  write_reports(folder, summary);
  const std::string text = summary_text(summary, folder.path(), false);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      "{} cases: read, summarised and reported in {:.2f} s ({:.2f} s of CPU), {:.0f} MB at most\n",
      summary.entries.size(), seconds, cpu_seconds() - cpu,
      static_cast<double>(usage.ru_maxrss) / 1024);
  return summary.of(Verdict::kPass) + summary.of(Verdict::kFail) == count ? 0 : 1;
}
