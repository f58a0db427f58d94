// gradwire codec encode|decode|stats: the reference codec on a file of little-endian binary32
// values.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/reference/baselines.h"
#include "models/reference/codec_statistics.h"
#include "sim/base/error.h"
#include "sim/report/json.h"
#include "testbenches/codec/options.h"
#include "tools/gradwire/commands.h"
#include "tools/gradwire/device_options.h"

namespace gw::tools {
namespace {

struct CodecArguments {
  DeviceOptions codec;
  std::string file, output, json_path;
};

std::vector<uint8_t> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw sim::InputError(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(file)),
                             std::istreambuf_iterator<char>());
  if (file.bad()) throw sim::InputError(fmt::format("cannot read '{}' to its end", path));
  return bytes;
}

std::vector<uint32_t> read_floats(const std::string& path) {
  const std::vector<uint8_t> bytes = read_file(path);
  if (bytes.size() % 4 != 0) {
    throw sim::InputError(
        fmt::format("'{}' is no file of binary32 values: its {} bytes are no multiple of four",
                    path, bytes.size()));
  }
  if (bytes.empty()) throw sim::InputError(fmt::format("'{}' is empty", path));
  std::vector<uint32_t> values(bytes.size() / 4);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

void write_file(const std::string& path, std::span<const uint8_t> bytes) {
  sim::write_report_file(path,
                         std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

int encode(const CodecArguments& a) {
  const reference::CodecConfig config =
      testbenches::codec_config(a.codec.values(testbenches::codec_options()));
  const std::vector<uint32_t> values = read_floats(a.file);
  std::vector<uint8_t> encoded;
  reference::encode(std::span<const uint32_t>(values), config, encoded);
  write_file(a.output, encoded);
  fmt::print("{}: {} values, {} to {} bytes, ratio {:.3f}, mode {}, bound 2^-{}\n", a.output,
             values.size(), values.size() * 4, encoded.size(),
             static_cast<double>(values.size() * 4) / static_cast<double>(encoded.size()),
             reference::mode_name(config.mode), config.bound_exponent);
  return sim::kPass;
}

int decode(const CodecArguments& a) {
  const reference::DecodeResult decoded = reference::decode(
      read_file(a.file), testbenches::codec_config(a.codec.values(testbenches::codec_options())));
  // Whole groups before a cut are worth keeping, whatever the verdict on the rest.
  write_file(a.output,
             {reinterpret_cast<const uint8_t*>(decoded.values.data()), decoded.values.size() * 4});
  fmt::print("{}: {} values\n", a.output, decoded.values.size());
  if (decoded.error) {
    throw sim::InputError(
        fmt::format("'{}', offset {}: {}", a.file, decoded.error->offset, decoded.error->sentence));
  }
  return sim::kPass;
}

int stats(const CodecArguments& a) {
  const reference::CodecConfig config =
      testbenches::codec_config(a.codec.values(testbenches::codec_options()));
  const std::vector<uint32_t> values = read_floats(a.file);
  std::vector<float> floats(values.size());
  std::memcpy(floats.data(), values.data(), values.size() * 4);
  reference::CodecStatistics statistics(config);
  statistics.add(std::span<const uint32_t>(values));
  nlohmann::json d = {{"file", a.file},
                      {"values", values.size()},
                      {"bound", config.bound_exponent},
                      {"mode", reference::mode_name(config.mode)},
                      {"ratio", statistics.ratio()},
                      {"tags",
                       {{"zero", statistics.count(reference::Tag::kZero)},
                        {"byte", statistics.count(reference::Tag::kByte)},
                        {"half", statistics.count(reference::Tag::kHalf)},
                        {"raw", statistics.count(reference::Tag::kRaw)}}},
                      {"max_abs_error", statistics.max_abs_error()},
                      {"mean_abs_error", statistics.mean_abs_error()},
                      {"bound_held", statistics.bound_held()},
                      {"baselines", nlohmann::json::array()}};
  for (const auto& f : reference::measure_all(floats, config)) {
    d["baselines"].push_back({{"name", f.name},
                              {"ratio", f.ratio},
                              {"max_abs_error", f.max_abs_error},
                              {"mean_abs_error", f.mean_abs_error},
                              {"encode_gbps", f.encode_gbps},
                              {"decode_gbps", f.decode_gbps}});
  }
  if (!a.json_path.empty()) {
    sim::write_report_file(a.json_path == "-" ? "/dev/stdout" : a.json_path, sim::json_text(d));
    return sim::kPass;
  }
  fmt::print("{}: {} values, mode {}, bound 2^-{} = {:g}\n", a.file, values.size(),
             reference::mode_name(config.mode), config.bound_exponent, config.bound());
  const double percent = 100.0 / static_cast<double>(values.size());
  for (const auto& [name, tag] : {std::pair{"ZERO", reference::Tag::kZero},
                                  {"BYTE", reference::Tag::kByte},
                                  {"HALF", reference::Tag::kHalf},
                                  {"RAW", reference::Tag::kRaw}}) {
    fmt::print("  {:<5} {:>12} {:>7.3f} %\n", name, statistics.count(tag),
               static_cast<double>(statistics.count(tag)) * percent);
  }
  fmt::print("  max error {:.4g}, mean {:.4g}: bound {}\n", statistics.max_abs_error(),
             statistics.mean_abs_error(), statistics.bound_held() ? "held" : "NOT held");
  fmt::print("{:<24} {:>9} {:>12} {:>12} {:>10} {:>10}\n", "codec", "ratio", "max error",
             "mean error", "enc Gb/s", "dec Gb/s");
  for (const auto& f : d["baselines"]) {
    fmt::print("{:<24} {:>9.3f} {:>12.4g} {:>12.4g} {:>10.2f} {:>10.2f}\n",
               f["name"].get<std::string>(), f["ratio"].get<double>(),
               f["max_abs_error"].get<double>(), f["mean_abs_error"].get<double>(),
               f["encode_gbps"].get<double>(), f["decode_gbps"].get<double>());
  }
  return sim::kPass;
}

}  // namespace

void add_codec(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      app.add_subcommand("codec", "the reference codec on a file of binary32 values");
  command->require_subcommand(1);
  auto a = std::make_shared<CodecArguments>();
  const auto add = [&](const char* name, const char* summary, bool writes,
                       int (*act)(const CodecArguments&)) {
    CLI::App* sub = command->add_subcommand(name, summary);
    sub->add_option("FILE", a->file, "input")->required();
    if (writes) sub->add_option("OUTPUT", a->output, "file to write")->required();
    if (!writes) sub->add_option("--json", a->json_path, "as JSON; - for standard output");
    a->codec.add(*sub, testbenches::codec_options());
    sub->callback([a, act, &invocation] { invocation.action = [a, act] { return act(*a); }; });
  };
  add("encode", "floats to encoded groups", true, encode);
  add("decode", "encoded groups to floats", true, decode);
  add("stats", "tags, ratio, error, and the baselines beside them", false, stats);
}

}  // namespace gw::tools
