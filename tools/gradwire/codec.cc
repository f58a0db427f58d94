// gradwire codec encode|decode|stats: the reference codec, or a quantiser, on a file of
// little-endian binary32 values, a .npy or a capture; compare: all there are, on such a file.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/reference/baselines.h"
#include "models/reference/codec_statistics.h"
#include "models/reference/quant/decoder.h"
#include "models/reference/value_file.h"
#include "sim/base/error.h"
#include "sim/feeds/captures.h"
#include "sim/feeds/writer.h"
#include "sim/report/json.h"
#include "testbenches/codec/options.h"
#include "testbenches/codec/quantiser_chunks.h"
#include "testbenches/codec/quantiser_compare.h"
#include "tools/gradwire/codec_hardware.h"
#include "tools/gradwire/commands.h"
#include "tools/gradwire/device_options.h"

namespace gw::tools {
namespace {

struct CodecArguments {
  DeviceOptions codec;
  std::string file, output, json_path;
  std::string spec;  // of a quantiser; empty: INCEPTIONN
  size_t chunk = 0;
  size_t rows = reference::quant::Quantiser::kDefaultRows;
  bool rows_given = false;
  bool raw = false;      // no header
  bool packets = false;  // into a capture
  DeviceOptions capture;
  testbenches::ValueFileOptions reading;
  // Of compare.
  std::vector<std::string> specs;
  std::string html_path, cache, command;
  bool area = false, quiet = false;
  const Invocation* invocation = nullptr;
};

namespace quant = reference::quant;

/// Options of INCEPTIONN's codec that mean nothing to a quantiser, and the other way round.
void refuse_others(const CodecArguments& a) {
  if (a.spec.empty()) {
    if (a.chunk != 0 && !a.packets) {
      throw sim::UsageError("--chunk has no effect without --codec or --packets");
    }
    if (a.rows_given) throw sim::UsageError("--rows has no effect without --codec");
    return;
  }
  if (a.raw) throw sim::UsageError("--raw has no effect with --codec: packets say what they are");
  const sim::OptionSet own = a.codec.values(testbenches::codec_options());
  for (const auto& [name, value] : own.changed()) {
    throw sim::UsageError(fmt::format("--{} has no effect with --codec {}", name, a.spec));
  }
}

void write_file(const std::string& path, std::span<const uint8_t> bytes) {
  sim::write_report_file(path,
                         std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

/// Notes do not go to standard output, which may be the destination of JSON.
void say(const CodecArguments& a, const std::vector<std::string>& notes) {
  for (const std::string& note : notes) fmt::print(stderr, "# {}: {}\n", a.file, note);
}

/// The file's values; what was made of them is said beside the results.
testbenches::ValueFile values_of(const CodecArguments& a) {
  testbenches::ValueFile file = testbenches::file_of_floats(a.file, a.reading);
  say(a, file.notes);
  return file;
}
testbenches::QuantChunks chunks_of(const CodecArguments& a) {
  testbenches::QuantChunks chunks =
      testbenches::read_quant_chunks(a.file, a.chunk, a.rows, a.reading);
  say(a, chunks.notes);
  return chunks;
}

/// Packets as marked datagrams, which `run --trace --encoded` takes as they are.
void write_packets(const CodecArguments& a, std::span<const uint8_t> packets,
                   std::span<const size_t> ends) {
  const std::unique_ptr<sim::PayloadFile> file =
      sim::open_payload_file({.path = a.output, .option = "--packets"});
  size_t from = 0;
  for (const size_t end : ends) {
    file->put(packets.subspan(from, end - from));
    from = end;
  }
  file->close();
  if (const std::string note = file->note(); !note.empty()) say(a, {note});
}

int encode_quantised(const CodecArguments& a) {
  const quant::Config config = testbenches::quant_config(a.spec);
  const testbenches::QuantChunks chunks = chunks_of(a);
  const testbenches::Quantised q = testbenches::quantise(chunks, config, 0);
  if (a.packets) {
    write_packets(a, q.packets, q.ends);
  } else {
    write_file(a.output, q.packets);
  }
  fmt::print("{}: {} values, {} to {} bytes in {} packets, ratio {:.3f}, {}\n", a.output,
             chunks.values.size(), chunks.values.size() * 4, q.packets.size(), chunks.chunks.size(),
             q.figures.ratio, quant::config_text(config));
  if (q.figures.raw_chunks != 0) {
    fmt::print("{} of them did not fit and are RAW\n", q.figures.raw_chunks);
  }
  if (!chunks.incomplete.empty()) throw sim::InputError(chunks.incomplete);
  return sim::kPass;
}

/// The packets say what they are: --codec only says that these are packets.
int decode_quantised(const CodecArguments& a) {
  testbenches::quant_config(a.spec);
  const std::vector<uint8_t> bytes = testbenches::file_of_bytes(a.file);
  std::vector<float> all, values;
  size_t at = 0, packets = 0, bad_status = 0;
  std::string error;
  while (at < bytes.size() && error.empty()) {
    std::span<const uint8_t> packet = std::span(bytes).subspan(at);
    if (const size_t length = quant::packet_length(packet, quant::kMaxValues); length != 0) {
      packet = packet.first(length);
    }
    const quant::Decoded d = quant::decode_packet(packet, quant::kMaxValues, values);
    if (!d.ok()) {
      error = fmt::format("'{}', offset {}: packet {} is malformed: {}", a.file, at, packets + 1,
                          quant::reason_sentence(d.reason));
      break;
    }
    all.insert(all.end(), values.begin(), values.end());
    if (d.status != 0) ++bad_status;
    ++packets;
    at += packet.size();
  }
  if (packets == 0 && error.empty()) error = fmt::format("'{}' is empty", a.file);
  // Packets before a malformed one are worth keeping.
  write_file(a.output, {reinterpret_cast<const uint8_t*>(all.data()), all.size() * 4});
  fmt::print("{}: {} values of {} packets\n", a.output, all.size(), packets);
  if (bad_status != 0) fmt::print("{} of them with a status\n", bad_status);
  if (!error.empty()) throw sim::InputError(error);
  return sim::kPass;
}

int stats_quantised(const CodecArguments& a) {
  const quant::Config config = testbenches::quant_config(a.spec);
  const testbenches::QuantChunks chunks = chunks_of(a);
  const testbenches::Quantised q = testbenches::quantise(chunks, config, 5);
  const quant::Figures& f = q.figures;
  const nlohmann::json d = {{"file", a.file},
                            {"values", chunks.values.size()},
                            {"flows", chunks.flows},
                            {"rows", chunks.rows},
                            {"quantizer", testbenches::quantizer_json(config, f)},
                            {"encode_gbps", q.encode_gbps},
                            {"decode_gbps", q.decode_gbps},
                            {"memcpy_gbps", q.memcpy_gbps},
                            {"encode_to_memcpy", q.encode_gbps / q.memcpy_gbps},
                            {"decode_to_memcpy", q.decode_gbps / q.memcpy_gbps}};
  if (a.invocation->takes) {
    a.invocation->takes(d);
    return sim::kPass;
  }
  if (!a.json_path.empty()) {
    sim::write_report_file(a.json_path == "-" ? "/dev/stdout" : a.json_path, sim::json_text(d));
  } else {
    fmt::print("{}: {} values in {} chunks, {}\n", a.file, f.values, f.chunks,
               quant::config_text(config));
    if (f.raw_chunks != 0) fmt::print("  did not fit, sent as RAW   {}\n", f.raw_chunks);
    if (f.not_finite != 0) fmt::print("  not finite                 {}\n", f.not_finite);
    if (const std::string note = testbenches::range_note(d["quantizer"]); !note.empty()) {
      fmt::print("  beyond its means           {}\n", note);
    }
    fmt::print("  values sent                {} ({:.3f} %)\n", f.entries, 100 * f.sent_share);
    if (f.entries != 0) fmt::print("  bits a sent value          {:.3f}\n", f.bits_per_entry);
    if (f.k_mean >= 0) fmt::print("  k of Rice codes, mean      {:.3f}\n", f.k_mean);
    fmt::print("  ratio                      {:.3f} ({:.3f} as the papers count)\n", f.ratio,
               f.payload_ratio);
    fmt::print("  relative error             {:.4g}, largest {:.4g}\n", f.rel_l2_error,
               f.max_abs_error);
    if (config.residual) {
      fmt::print(
          "  residual                   rms {:.4g}, largest {:.4g}, {:.4g} of the gradients'\n",
          f.residual_rms, f.residual_max, f.residual_to_gradient);
      fmt::print("  neither sent nor kept      {:.3g} (2^-22 is {:.3g}): {}\n", f.conservation,
                 quant::kConservationLimit,
                 f.conservation <= quant::kConservationLimit ? "conserved" : "NOT conserved");
    }
    fmt::print(
        "  reference, Gb/s of floats  {:.2f} encoded, {:.2f} decoded: {:.3f} and {:.3f} of "
        "memcpy\n",
        q.encode_gbps, q.decode_gbps, q.encode_gbps / q.memcpy_gbps, q.decode_gbps / q.memcpy_gbps);
  }
  if (!chunks.incomplete.empty()) throw sim::InputError(chunks.incomplete);
  return sim::kPass;
}

int compare(const CodecArguments& a) {
  sim::expect_report_files({a.json_path, a.html_path});
  testbenches::CompareOptions options;
  options.file = a.file;
  options.chunk = a.chunk;
  options.rows = a.rows;
  options.specs = a.specs;
  options.reading = a.reading;
  options.command = a.command;
  options.hardware = [&a](const std::string& device) {
    return hardware_figures(device, a.cache, a.area);
  };
  const nlohmann::json document = testbenches::compare_codecs(options);
  say(a, document.value("notes", std::vector<std::string>()));
  if (!a.quiet && a.json_path != "-") fmt::print("{}", testbenches::compare_text(document));
  if (!a.json_path.empty()) {
    sim::write_report_file(a.json_path == "-" ? "/dev/stdout" : a.json_path,
                           sim::json_text(document));
  }
  if (!a.html_path.empty()) {
    sim::write_report_file(a.html_path, testbenches::compare_html(document));
  }
  if (document.contains("incomplete")) throw sim::InputError(document["incomplete"]);
  return sim::kPass;
}

/// Encoded groups, a datagram for each packet of a capture or chunk of a file.
int encode_packets(const CodecArguments& a, const reference::CodecConfig& config) {
  if (a.raw) throw sim::UsageError("--raw has no effect with --packets");
  const testbenches::QuantChunks chunks = chunks_of(a);
  std::vector<uint8_t> encoded, all;
  std::vector<size_t> ends;
  std::vector<uint32_t> words;
  for (const testbenches::QuantChunks::Chunk& chunk : chunks.chunks) {
    const std::span<const float> values = chunks.gradients(chunk);
    words.resize(values.size());
    std::memcpy(words.data(), values.data(), values.size_bytes());
    encoded.clear();
    reference::encode(std::span<const uint32_t>(words), config, encoded);
    all.insert(all.end(), encoded.begin(), encoded.end());
    ends.push_back(all.size());
  }
  write_packets(a, all, ends);
  fmt::print("{}: {} values, {} to {} bytes in {} packets, mode {}, bound 2^-{}\n", a.output,
             chunks.values.size(), chunks.values.size() * 4, all.size(), ends.size(),
             reference::mode_name(config.mode), config.bound_exponent);
  if (!chunks.incomplete.empty()) throw sim::InputError(chunks.incomplete);
  return sim::kPass;
}

int encode(const CodecArguments& a) {
  refuse_others(a);
  if (!a.spec.empty()) return encode_quantised(a);
  const reference::CodecConfig config =
      testbenches::codec_config(a.codec.values(testbenches::codec_options()));
  if (a.packets) return encode_packets(a, config);
  const testbenches::ValueFile file = values_of(a);
  const std::vector<uint32_t>& values = file.words;
  std::vector<uint8_t> encoded;
  reference::encode(std::span<const uint32_t>(values), config, encoded);
  const size_t groups = encoded.size();
  if (!a.raw) {
    const auto header = reference::header_of(encoded, values.size(), config).to_bytes();
    encoded.insert(encoded.begin(), header.begin(), header.end());
  }
  write_file(a.output, encoded);
  fmt::print("{}: {} values, {} to {} bytes, ratio {:.3f}, mode {}, bound 2^-{}\n", a.output,
             values.size(), values.size() * 4, groups,
             static_cast<double>(values.size() * 4) / static_cast<double>(groups),
             reference::mode_name(config.mode), config.bound_exponent);
  if (!file.incomplete.empty()) throw sim::InputError(file.incomplete);
  return sim::kPass;
}

/// What the file was encoded with. An option that says something else is refused: with another
/// bound every value would be wrong, and no byte would show it.
reference::CodecConfig config_of(const CodecArguments& a, const reference::EncodedHeader& header) {
  const sim::OptionSet given = a.codec.values(testbenches::codec_options());
  const reference::CodecConfig asked = testbenches::codec_config(given);
  const auto differs = [&](const char* option, bool same) {
    if (same || !given.changed().contains(option)) return;
    throw sim::UsageError(fmt::format("'{}' was encoded with bound 2^-{}, mode {}: leave --{} out",
                                      a.file, header.config.bound_exponent,
                                      reference::mode_name(header.config.mode), option));
  };
  differs("bound", asked.bound_exponent == header.config.bound_exponent);
  differs("mode", asked.mode == header.config.mode);
  return header.config;
}

int decode(const CodecArguments& a) {
  refuse_others(a);
  if (!a.spec.empty()) return decode_quantised(a);
  const std::vector<uint8_t> bytes = testbenches::file_of_bytes(a.file);
  reference::DecodeResult decoded;
  if (a.raw) {
    decoded = reference::decode(
        bytes, testbenches::codec_config(a.codec.values(testbenches::codec_options())));
  } else {
    const reference::EncodedFile file = reference::parse_encoded(bytes);
    if (!file.error.empty()) throw sim::InputError(fmt::format("'{}' {}", a.file, file.error));
    decoded = reference::decode(file.groups, config_of(a, file.header));
    if (decoded.values.size() < file.header.values) {
      throw sim::InputError(fmt::format("'{}' holds {} values, its header says {}", a.file,
                                        decoded.values.size(), file.header.values));
    }
    decoded.values.resize(file.header.values);  // without what fills the last group
  }
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
  refuse_others(a);
  if (!a.spec.empty()) return stats_quantised(a);
  const reference::CodecConfig config =
      testbenches::codec_config(a.codec.values(testbenches::codec_options()));
  const testbenches::ValueFile file = values_of(a);
  const std::vector<uint32_t>& values = file.words;
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
  if (a.invocation->takes) {
    a.invocation->takes(d);
    return sim::kPass;
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
  CLI::App* command = app.add_subcommand(
      "codec",
      "the reference codec and quantisers on a file of binary32 values, a .npy, a capture");
  command->require_subcommand(1);
  auto a = std::make_shared<CodecArguments>();
  a->command = invocation.command;
  a->invocation = &invocation;
  const auto begin = [&](const char* name, const char* summary, int (*act)(const CodecArguments&)) {
    CLI::App* sub = command->add_subcommand(name, summary);
    sub->add_option("FILE", a->file, "input, also as .gz or .zst")->required();
    sub->callback([a, sub, act, &invocation] {
      a->file = shipped_trace(a->file);
      const CLI::Option* rows = sub->get_option_no_throw("--rows");
      a->rows_given = rows != nullptr && rows->count() != 0;
      if (const CLI::Option* chunk = sub->get_option_no_throw("--chunk");
          chunk != nullptr && chunk->count() != 0 && a->chunk == 0) {
        throw sim::UsageError("--chunk 0 is not from 1 to 1048575");
      }
      invocation.action = [a, act] {
        a->reading.capture = a->capture.values(sim::with_capture_options({}));
        return act(*a);
      };
    });
    return sub;
  };
  const auto add_chunks = [&](CLI::App* sub) {
    sub->add_option("--chunk", a->chunk,
                    "values a packet of a file (4,096); a capture's are its packets'");
    sub->add_option("--rows", a->rows,
                    "rows of eight residuals: after the last one the first follows")
        ->capture_default_str();
  };
  const auto add_reading = [&](CLI::App* sub) {
    sub->add_flag("--from-float64", a->reading.round_float64,
                  "take a .npy of float64 and round each value to binary32");
    sub->add_option("--filter", a->reading.filter,
                    "packets of a capture that this filter lets through, as pcap-filter(7)");
    a->capture.add(*sub, sim::with_capture_options({}));
  };
  const auto add = [&](const char* name, const char* summary, bool writes, bool encodes,
                       int (*act)(const CodecArguments&)) {
    CLI::App* sub = begin(name, summary, act);
    if (writes) sub->add_option("OUTPUT", a->output, "file to write")->required();
    if (!writes) sub->add_option("--json", a->json_path, "as JSON; - for standard output");
    sub->add_option("--codec", a->spec,
                    "a quantiser in INCEPTIONN's place: wgt:t=0.001, bgt:t=2^-8,coding=rice, qgt, "
                    "onebit, adaptive:p=6, mxfp8, mxfp8-e5m2:scale=up, mxfp4:residual=on");
    if (encodes) add_chunks(sub);
    if (encodes) add_reading(sub);
    if (writes && encodes) {
      sub->add_flag(
          "--packets", a->packets,
          "write a capture, each packet as a marked datagram: pcap, or pcapng if OUTPUT ends "
          "in .pcapng; run --trace OUTPUT --encoded takes it");
    }
    if (writes) {
      sub->add_flag("--raw", a->raw,
                    encodes
                        ? "write encoded groups alone, without the header that says bound, mode, "
                          "values and checksum"
                        : "the file holds encoded groups alone, of --bound and --mode");
    }
    a->codec.add(*sub, testbenches::codec_options());
  };
  add("encode", "floats to encoded groups after a header, or to packets", true, true, encode);
  add("decode", "encoded groups or packets to floats", true, false, decode);
  add("stats", "tags, ratio, error, and the baselines beside them", false, true, stats);

  CLI::App* sub =
      begin("compare", "INCEPTIONN, truncation, Snappy and every quantiser on a file or a capture",
            compare);
  sub->add_option("--codec", a->specs, "quantisers in the place of the usual ones")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_chunks(sub);
  add_reading(sub);
  sub->add_flag("--area", a->area, "synthesise RTL whose LUTs are not known yet: minutes");
  sub->add_option("--cache", a->cache, "folder where areas are kept (default: the user's)");
  sub->add_option("--json", a->json_path, "write the figures as JSON; - for standard output");
  sub->add_option("--html", a->html_path, "write a report with plots");
  sub->add_flag("--quiet", a->quiet, "no table");
}

}  // namespace gw::tools
