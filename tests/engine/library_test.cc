// RTL that is built on demand: equal to what is linked, kept, guarded, and clear about what is
// wrong.
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/library/library.h"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "sim/base/error.h"
#include "sim/base/file_bytes.h"
#include "sim/base/tool_words.h"
#include "testbenches/library/cache.h"
#include "testbenches/library/linked.h"
#include "tests/engine/requests.h"
#include "tests/engine/support.h"

namespace gw::testbenches::library_test {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

/// A stream through one register; what is between the marks is the test's own.
std::string toy(const std::string& inside, const std::string& ports = "",
                const std::string& tdata = "255") {
  return "module toy #(parameter int Bad = 0, parameter int Add = 0) (\n"
         "  input wire logic aclk, input wire logic aresetn,\n"
         "  input wire logic [" +
         tdata +
         ":0] s_axis_tdata, input wire logic [31:0] s_axis_tkeep,\n"
         "  input wire logic s_axis_tvalid, output logic s_axis_tready,\n"
         "  input wire logic s_axis_tlast, input wire logic s_axis_tuser,\n"
         "  output logic [255:0] m_axis_tdata, output logic [31:0] m_axis_tkeep,\n"
         "  output logic m_axis_tvalid, input wire logic m_axis_tready,\n"
         "  output logic m_axis_tlast, output logic m_axis_tuser" +
         ports +
         ");\n"
         "  assign s_axis_tready = !m_axis_tvalid || m_axis_tready;\n"
         "  always_ff @(posedge aclk) begin\n"
         "    if (s_axis_tready) begin\n"
         "      m_axis_tvalid <= s_axis_tvalid;\n"
         "      m_axis_tdata <= 256'(s_axis_tdata) + 256'(Add);\n"
         "      m_axis_tkeep <= s_axis_tkeep; m_axis_tlast <= s_axis_tlast;\n"
         "      m_axis_tuser <= s_axis_tuser;\n"
         "    end\n"
         "    if (!aresetn) m_axis_tvalid <= 1'b0;\n"
         "  end\n" +
         inside + "\nendmodule\n";
}

/// The simulator's runtime and headers are compiled once for all tests, in this folder.
fs::path shared() { return fs::path(GW_TEST_FOLDER) / "shared"; }

class Library : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    fs::remove_all(shared());
    const fs::path folder = fs::path(GW_TEST_FOLDER) / "first";
    LibraryOptions options;
    options.cache = shared();
    for (const char* inside : {"// first", "// second", "// third: its headers are kept"}) {
      rtl_library(toy_request(folder, toy(inside)), options);
    }
  }
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(GW_TEST_FOLDER) / test->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    options_.cache = folder_ / "cache";
    options_.use_linked = false;
    fs::create_directories(options_.cache);
    fs::permissions(options_.cache, fs::perms::owner_all);
    for (const fs::directory_entry& e : fs::directory_iterator(shared())) {
      const std::string name = e.path().filename().string();
      if (!name.starts_with("verilated_") && !name.starts_with("headers-")) continue;
      fs::copy(e.path(), options_.cache / name,
               fs::copy_options::recursive | fs::copy_options::create_hard_links);
    }
    // Every run of the compiler leaves a line.
    write(folder_ / "cxx", "#!/bin/sh\ncase \"$*\" in --version|*-###*) ;; *) echo \"$*\" >> '" +
                               (folder_ / "compiled").string() + "';; esac\nexec c++ \"$@\"\n");
    fs::permissions(folder_ / "cxx", fs::perms::owner_all);
    options_.compiler = (folder_ / "cxx").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  int compiler_runs() const {
    std::ifstream lines(folder_ / "compiled");
    return static_cast<int>(
        std::count(std::istreambuf_iterator<char>(lines), std::istreambuf_iterator<char>(), '\n'));
  }
  static RtlRequest toy_request(const fs::path& folder, const std::string& text) {
    write(folder / "toy.sv", text);
    write(folder / "toy.f", "toy.sv\n");
    RtlRequest request;
    request.top = "toy";
    request.list = folder / "toy.f";
    request.shape = one_stream(1, 1);
    request.compile_options = {"-O0"};  // soon built
    return request;
  }
  RtlRequest toy_request(const std::string& text) const { return toy_request(folder_, text); }
  std::shared_ptr<RtlLibrary> make(const RtlRequest& request) const {
    return rtl_library(request, options_);
  }
  /// What make() says if it throws.
  std::string refusal(const RtlRequest& request) const {
    try {
      make(request);
    } catch (const sim::InputError& error) {
      EXPECT_EQ(error.code(), sim::kBadInput);
      return error.what();
    }
    return "";
  }
  /// The only entry whose name begins so.
  fs::path entry(const std::string& begin) const {
    fs::path found;
    for (const fs::directory_entry& e : fs::directory_iterator(options_.cache)) {
      if (e.is_directory() && e.path().filename().string().starts_with(begin)) found = e.path();
    }
    return found;
  }

  fs::path folder_;
  LibraryOptions options_;
};

/// What leaves the toy for a beat with these lowest 32 bits.
uint32_t passed(const GwEngine* engine, uint32_t value) {
  OneStream rtl(engine);
  rtl.start();
  Beat beat;
  beat.data[0] = value;
  rtl.clock(&beat, true);
  return rtl.m_beat() != nullptr ? rtl.m_beat()->data[0] : 0;
}

TEST_F(Library, CompressorEqualsTheLinkedOne) {
  const RtlRequest request = own_request("compressor");
  const auto library = make(request);
  EXPECT_EQ(library->origin(), RtlLibrary::Origin::kBuilt);
  OneStream built(library->engine()), linked(linked_engine("gw_compressor", {}, false));
  for (OneStream* each : {&built, &linked}) {
    each->set("bound_i", 8);
    each->set("bounded_i", 1);
    each->start();
  }
  uint64_t seen = 0;
  EXPECT_EQ(compare(built, linked, random_gradients(20'000, 3), 3, &seen), "");
  EXPECT_GT(seen, 5'000u);
  EXPECT_EQ(built.probe(), linked.probe());
  const nlohmann::json facts = nlohmann::json::parse(library->engine()->describe());
  EXPECT_EQ(facts.at("top"), "gw_compressor");
}

TEST_F(Library, LinkedServesUnlessSomethingIsOverridden) {
  options_.use_linked = true;
  RtlRequest request = own_request("compressor");
  EXPECT_EQ(make(request)->origin(), RtlLibrary::Origin::kLinked);
  EXPECT_EQ(compiler_runs(), 0);
  request.defines = {"SOMETHING"};
  request.quick = true;
  EXPECT_EQ(make(request)->origin(), RtlLibrary::Origin::kBuilt);
}

TEST_F(Library, SecondTimeComesFromTheCache) {
  const RtlRequest request = toy_request(toy(""));
  EXPECT_EQ(make(request)->origin(), RtlLibrary::Origin::kBuilt);
  const int runs = compiler_runs();
  EXPECT_GT(runs, 0);
  const auto again = make(request);
  EXPECT_EQ(again->origin(), RtlLibrary::Origin::kCached);
  EXPECT_EQ(compiler_runs(), runs);
  EXPECT_EQ(passed(again->engine(), 5), 5u);
}

TEST_F(Library, WhatDecidesChangesTheBuild) {
  RtlRequest request = toy_request(toy("`ifdef EXTRA\n`include \"more.svh\"\n`endif\n"));
  EXPECT_EQ(passed(make(request)->engine(), 5), 5u);
  request.parameters = {"Add=3"};
  EXPECT_EQ(passed(make(request)->engine(), 5), 8u);
  request.parameters = {"Nonsense=3"};
  EXPECT_NE(refusal(request).find("Nonsense"), std::string::npos);

  // A source, and one that is only included.
  request.parameters.clear();
  request.defines = {"EXTRA"};
  request.include_dirs = {folder_ / "headers"};
  write(folder_ / "headers/more.svh", "initial $display(\"one\");\n");
  EXPECT_EQ(make(request)->origin(), RtlLibrary::Origin::kBuilt);
  write(folder_ / "headers/more.svh", "initial $display(\"two\");\n");
  EXPECT_EQ(make(request)->origin(), RtlLibrary::Origin::kBuilt);
  write(folder_ / "headers/more.svh", "initial $display(\"one\");\n");
  EXPECT_EQ(make(request)->origin(), RtlLibrary::Origin::kCached);
  write(folder_ / "toy.sv", toy("// another text\n"));
  EXPECT_EQ(make(request)->origin(), RtlLibrary::Origin::kBuilt);
}

TEST_F(Library, AQuickBuildIsMadeOnlyIfThereIsNoneForSpeed) {
  RtlRequest request = toy_request(toy(""));
  const auto compiled_as = [this](const char* option) {
    return sim::bytes_of_file(folder_ / "compiled").find(option) != std::string::npos;
  };
  request.quick = true;
  EXPECT_EQ(passed(make(request)->engine(), 5), 5u);
  EXPECT_TRUE(compiled_as(" -Og ") && !compiled_as(" -O3 "));
  EXPECT_EQ(make(request)->origin(), RtlLibrary::Origin::kCached);
  request.quick = false;
  EXPECT_EQ(make(request)->origin(), RtlLibrary::Origin::kBuilt) << "not what is slow";
  EXPECT_TRUE(compiled_as(" -O3 "));
  write(folder_ / "toy.sv", toy("// another text\n"));
  make(request);
  request.quick = true;
  EXPECT_EQ(make(request)->origin(), RtlLibrary::Origin::kCached);
}

TEST_F(Library, HeadersAreCompiledForTheThirdAndReadByTheNext) {
  const auto headers = [this] {
    std::vector<fs::path> all;
    for (const fs::directory_entry& e : fs::directory_iterator(options_.cache)) {
      if (e.path().filename().string().starts_with("headers-")) all.push_back(e.path());
    }
    return all;
  };
  for (const fs::path& shared : headers()) fs::remove_all(shared);
  // How many times headers are compiled, and how many times they are read.
  const auto built = [this](const std::string& inside, bool quick) {
    fs::remove(folder_ / "compiled");
    RtlRequest request = toy_request(toy(inside));
    request.quick = quick;
    const auto library = make(request);
    EXPECT_EQ(library->origin(), RtlLibrary::Origin::kBuilt);
    EXPECT_EQ(passed(library->engine(), 5), 5u);
    const std::string lines = sim::bytes_of_file(folder_ / "compiled");
    const auto count = [&lines](std::string_view word) {
      int n = 0;
      for (size_t at = 0; (at = lines.find(word, at)) != std::string::npos; ++at) ++n;
      return n;
    };
    return std::pair(count(" -x c++-header "), count(" -include "));
  };
  EXPECT_EQ(built("// 1", false), std::pair(0, 0));
  EXPECT_EQ(built("// 2", false), std::pair(0, 0));
  EXPECT_EQ(built("// 3", false), std::pair(2, 0));
  for (const fs::path& one : headers()) {
    if (!fs::is_directory(one)) continue;
    fs::resize_file(one / "verilated_headers.h.gch", 1000);
    break;
  }
  EXPECT_EQ(built("// 4", false), std::pair(1, 1)) << "what was cut is made anew";
  EXPECT_EQ(built("// 5", false), std::pair(0, 2));
  EXPECT_EQ(built("// 6", true), std::pair(0, 1)) << "what runs is compiled with other flags";
}

TEST_F(Library, VerilatorsHeadersMayLieBehindABlankOrMustBeNamed) {
  // What -V says of the environment comes last; all else is Verilator itself.
  const auto says = [this](const std::string& root) {
    write(folder_ / "verilator",
          "#!/bin/sh\n[ \"$1\" = -V ] || exec verilator \"$@\"\n"
          "verilator -V | grep -v VERILATOR_ROOT\n" +
              root);
    fs::permissions(folder_ / "verilator", fs::perms::owner_all);
    options_.verilator = (folder_ / "verilator").string();
  };
  says("");
  EXPECT_NE(refusal(toy_request(toy(""))).find("does not say where its headers lie"),
            std::string::npos);
  const fs::path blank = folder_ / "a root";
  fs::create_directory_symlink(VERILATOR_HOME, blank);
  says("echo '    VERILATOR_ROOT     = " + blank.string() +
       "'\n"
       "echo '    VERILATOR_ROOT     = '\n");
  EXPECT_EQ(passed(make(toy_request(toy("")))->engine(), 5), 5u);
}

TEST_F(Library, VerilatorsOwnProgramSaysWhatItIsUnlessAnotherIsNamed) {
  for (const std::string name : {"verilator", "verilator_bin"}) {
    write(folder_ / name, "#!/bin/sh\n[ \"$1\" != -V ] || echo asked >> '" +
                              (folder_ / name).string() + ".said'\nexec verilator \"$@\"\n");
    fs::permissions(folder_ / name, fs::perms::owner_all);
  }
  fs::create_symlink("verilator", folder_ / "linked");
  const auto asked = [this](const std::string& verilator, const std::string& name) {
    options_.verilator = (folder_ / verilator).string();
    fs::remove(folder_ / (name + ".said"));
    EXPECT_EQ(passed(make(toy_request(toy("")))->engine(), 5), 5u);
    return fs::exists(folder_ / (name + ".said"));
  };
  EXPECT_TRUE(asked("verilator", "verilator_bin"));
  EXPECT_FALSE(asked("verilator", "verilator")) << "Perl takes longer than all else";
  EXPECT_TRUE(asked("linked", "verilator_bin"));
  setenv("VERILATOR_BIN", "verilator_bin", 1);
  EXPECT_TRUE(asked("verilator", "verilator"));
  unsetenv("VERILATOR_BIN");
}

TEST_F(Library, SubnormalChangesTheBuildOfTheOptimizer) {
  RtlRequest request = own_request("optimizer");
  request.compile_options = {"-O0"};
  request.parameters = {"Algorithm=0", "Pes=1", "Iterative=1'b0", "Fast=1'b1", "Subnormal=1'b0"};
  const auto flush = make(request);
  request.parameters.back() = "Subnormal=1'b1";
  const auto keep = make(request);
  EXPECT_EQ(keep->origin(), RtlLibrary::Origin::kBuilt);
  // Two libraries in one process, each with a runtime of its own.
  const auto subnormal = [](const GwEngine* engine) {
    return nlohmann::json::parse(engine->describe()).at("parameters").at("Subnormal");
  };
  EXPECT_EQ(subnormal(flush->engine()), "1'b0");
  EXPECT_EQ(subnormal(keep->engine()), "1'b1");
  EXPECT_NE(flush->engine()->make, keep->engine()->make);
}

TEST_F(Library, ShortcutsChangeNothingButSpeed) {
  // Adam has every operator; with as-it-is text and a clock that falls it must be the same.
  RtlRequest request = own_request("optimizer");
  request.parameters = {"Algorithm=2", "Pes=2", "Iterative=1'b0", "Fast=1'b1"};
  request.compile_options = {"-O0"};
  const auto edited = make(request);
  request.shortcuts = false;
  const auto plain = make(request);
  EXPECT_EQ(plain->origin(), RtlLibrary::Origin::kBuilt);
  OneStream a(edited->engine()), b(plain->engine());
  for (OneStream* each : {&a, &b}) {
    each->start();
    for (uint32_t bank = 0; bank < 3; ++bank) {
      for (uint32_t cell = 0; cell < 64; ++cell) {
        each->engine()->write(each->self(), 1u << 31 | bank << 28 | cell, 0x3C000000 + cell);
      }
    }
    for (uint32_t r = 0; r < 7; ++r) each->engine()->write(each->self(), r, 0x3F000000);
  }
  uint64_t seen = 0;
  EXPECT_EQ(compare(a, b, update_frames(200), 3, &seen), "");
  EXPECT_GT(seen, 1000u);
}

TEST_F(Library, DamagedEntriesAreBuiltAnew) {
  const RtlRequest request = toy_request(toy(""));
  make(request);
  const int runs = compiler_runs();
  const fs::path object = entry("toy-") / "engine.so";
  ASSERT_TRUE(fs::exists(object));
  // A cut copy takes its place: the file itself may still be mapped (under sanitizers what was
  // loaded stays), and cutting that would pull the pages from under the program.
  const fs::path cut = folder_ / "cut.so";
  fs::copy_file(object, cut);
  fs::resize_file(cut, fs::file_size(cut) / 2);
  fs::permissions(cut, fs::status(object).permissions());
  fs::rename(cut, object);
  EXPECT_EQ(make(request)->origin(), RtlLibrary::Origin::kBuilt);
  EXPECT_EQ(compiler_runs(), runs + 3);  // two units and the link; the runtime is whole
  EXPECT_EQ(make(request)->origin(), RtlLibrary::Origin::kCached);
}

TEST_F(Library, EntriesAreWholeOrNotThere) {
  const Cache cache(folder_ / "entries");
  const auto keep = [&](const std::string& key) {
    const Cache::Workplace place(cache);
    write(place.folder() / "a", "some bytes");
    write(place.folder() / "b", "more bytes");
    return cache.keep("name", key, place.folder(), {"a", "b"});
  };
  EXPECT_EQ(cache.find("name", "key"), std::nullopt);
  const fs::path made = keep("key");
  EXPECT_EQ(cache.find("name", "key"), made);
  EXPECT_EQ(cache.find("name", "another key of the same name"), std::nullopt);
  keep("key 2");
  EXPECT_EQ(cache.find("name", "key"), std::nullopt);
  EXPECT_EQ(cache.find("name", "key 2"), made);
  for (const char* file : {"a", "b", "key", "sums"}) {
    keep("key");
    fs::resize_file(made / file, fs::file_size(made / file) - 1);
    EXPECT_EQ(cache.find("name", "key"), std::nullopt) << file << " is cut";
    keep("key");
    std::fstream(made / file, std::ios::in | std::ios::out).put('x');
    EXPECT_EQ(cache.find("name", "key"), std::nullopt) << file << " has another byte";
    keep("key");
    fs::remove(made / file);
    EXPECT_EQ(cache.find("name", "key"), std::nullopt) << file << " is missing";
  }
  // A list that lost a line says nothing wrong of the files that it still names.
  keep("key");
  const std::string sums = sim::bytes_of_file(made / "sums");
  std::ofstream(made / "sums", std::ios::trunc)
      << sums.substr(0, sums.rfind('\n', sums.size() - 2) + 1);
  EXPECT_EQ(cache.find("name", "key"), std::nullopt) << "the last line is missing";
  std::ofstream(made / "sums", std::ios::trunc);
  EXPECT_EQ(cache.find("name", "key"), std::nullopt) << "the list is empty";
  keep("key");
  EXPECT_EQ(cache.find("name", "key"), made);

  cache.keep_note("note", "text\n");
  EXPECT_EQ(cache.note("note"), "text\n");
  std::ofstream(cache.folder() / "note", std::ios::app) << "more";
  EXPECT_EQ(cache.note("note"), std::nullopt);
  EXPECT_EQ(cache.note("another"), std::nullopt);

  // Of one name at a time, by threads.
  std::vector<std::thread> threads;
  std::atomic<int> refused = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k) {
        try {
          cache.keep_note("note", "text\n");
        } catch (const sim::InputError&) {
          ++refused;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(refused, 0);
  EXPECT_EQ(cache.note("note"), "text\n");
}

TEST_F(Library, NothingIsLoadedThatOthersMayWrite) {
  const RtlRequest request = toy_request(toy(""));
  make(request);
  const fs::path made = entry("toy-");
  const int runs = compiler_runs();
  for (const fs::path& path :
       {made / "engine.so", made / "key", made / "sums", made, options_.cache}) {
    const fs::perms before = fs::status(path).permissions();
    fs::permissions(path, fs::perms::group_write, fs::perm_options::add);
    EXPECT_NE(refusal(request).find("can be written by other users"), std::string::npos) << path;
    fs::permissions(path, before);
  }
  EXPECT_EQ(make(request)->origin(), RtlLibrary::Origin::kCached);
  if (::geteuid() == 0) {
    for (const fs::path& path : {made / "engine.so", made, options_.cache}) {
      ASSERT_EQ(::chown(path.c_str(), 12345, 0), 0);
      EXPECT_NE(refusal(request).find("belongs to another user"), std::string::npos) << path;
      ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
    }
  }
  fs::rename(made / "engine.so", folder_ / "elsewhere.so");
  fs::create_symlink(folder_ / "elsewhere.so", made / "engine.so");
  EXPECT_NE(refusal(request).find("symbolic link"), std::string::npos);
  EXPECT_EQ(compiler_runs(), runs);
}

TEST_F(Library, TheCacheIsTheUsersAlone) {
  make(toy_request(toy("")));
  EXPECT_EQ(fs::status(options_.cache).permissions(), fs::perms::owner_all);
  for (const fs::directory_entry& e : fs::recursive_directory_iterator(options_.cache)) {
    EXPECT_EQ(e.status().permissions() & (fs::perms::group_all | fs::perms::others_all),
              fs::perms::none)
        << e.path();
    EXPECT_FALSE(e.path().filename().string().starts_with("build-")) << "half-built: " << e.path();
  }
}

TEST_F(Library, FoldersThatCannotBeWritten) {
  const RtlRequest request = toy_request(toy(""));
  write(folder_ / "file", "");
  options_.cache = folder_ / "file";
  EXPECT_NE(refusal(request).find("Not a directory"), std::string::npos);
  options_.cache = "/proc/gradwire";
  EXPECT_NE(refusal(request).find("the cache of built RTL cannot be used"), std::string::npos);
  if (::geteuid() == 0) GTEST_SKIP() << "root writes into every folder";
  options_.cache = folder_ / "read-only";
  ::mkdir(options_.cache.c_str(), 0500);
  EXPECT_NE(refusal(request).find("Permission denied"), std::string::npos);
}

TEST_F(Library, FullDisk) {
  const fs::path disk = folder_ / "disk";
  fs::create_directories(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=256k,mode=0700") != 0) {
    GTEST_SKIP() << "a small file system takes root";
  }
  options_.cache = disk / "cache";  // without the runtime: more than there is room for
  const std::string sentence = refusal(toy_request(toy("")));
  ::umount(disk.c_str());
  EXPECT_NE(sentence.find("o space left"), std::string::npos) << sentence;
}

TEST_F(Library, TwoProcessesBuildOnce) {
  const RtlRequest request = toy_request(toy("// slow enough to meet\n"));
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        const auto library = rtl_library(request, options_);
        ::_exit(passed(library->engine(), 5) == 5 ? 0 : 1);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        ::_exit(2);
      }
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(compiler_runs(), 3);  // two units and the link
}

TEST_F(Library, TwoThreadsBuildOnce) {
  const RtlRequest request = toy_request(toy("// by threads\n"));
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] { EXPECT_EQ(passed(make(request)->engine(), 5), 5u); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(compiler_runs(), 3);
}

TEST_F(Library, VerilatorsWordsAreShown) {
  const std::string error = refusal(toy_request(toy("  assign nothing_like_this = 1'b0 +;\n")));
  const sim::ToolWords words(error);
  EXPECT_EQ(words.sentence, "Verilator refuses toy:");
  EXPECT_GT(words.lines.size(), 2u) << "not folded into one";
  const std::string sentence = words.text();
  EXPECT_NE(sentence.find("Verilator refuses toy"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("%Error: toy.sv:"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("syntax error"), std::string::npos) << sentence;
  EXPECT_EQ(entry("build-"), fs::path());
}

TEST_F(Library, DelaysInAssignmentsAreLeftOutAndClocksOfTheirOwnRefused) {
  const RtlRequest delayed =
      toy_request(toy("  logic late;\n  always @(posedge aclk) late <= #1 s_axis_tvalid;\n"
                      "  initial begin late = 1; #100 late = 0; end\n"));
  EXPECT_EQ(passed(make(delayed)->engine(), 5), 5u);
  for (const char* clock :
       {"always #5 c = ~c;", "always /* slow */ begin // always @(c)\n c = 0; #5 c = 1; #5; end",
        "initial forever #5 c = ~c;"}) {
    const std::string sentence = refusal(toy_request(toy(std::string("  logic c;\n  ") + clock)));
    EXPECT_NE(sentence.find("toy: the delay at toy.sv:"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("a run is made of clock cycles"), std::string::npos) << sentence;
  }
  const std::string waits = refusal(toy_request(toy("  initial begin @(posedge aclk); end")));
  EXPECT_NE(waits.find("Verilator refuses toy; a run is made of clock cycles"), std::string::npos);
}

TEST_F(Library, WithoutVerilatorOrCompiler) {
  const RtlRequest request = toy_request(toy(""));
  options_.verilator = "verilator-that-is-not-there";
  EXPECT_NE(refusal(request).find("`--engine model` runs without it"), std::string::npos);
  options_.verilator = "verilator";
  options_.compiler = "compiler-that-is-not-there";
  EXPECT_NE(refusal(request).find("no C++ compiler"), std::string::npos);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nonexistent", 1);
  options_.compiler = "c++";
  EXPECT_NE(refusal(request).find("no Verilator"), std::string::npos);
  ::setenv("PATH", path.c_str(), 1);
}

TEST_F(Library, WhatTheRtlSaysDoesNotEndTheProcess) {
  const RtlRequest request =
      toy_request(toy("  always @(posedge aclk) if (s_axis_tvalid) case (s_axis_tdata[7:0])\n"
                      "    8'd1: $fatal(1, \"one is %0d\", s_axis_tdata[15:8]);\n"
                      "    8'd2: $finish;\n"
                      "    8'd3: $stop;\n"
                      "    8'd4: $error(\"four\");\n"
                      "    8'd5: $display(\"five\");\n"
                      "    default: ;\n"
                      "  endcase\n"
                      "  if (Bad == 1) initial $fatal(1, \"Bad is one\");\n"));
  const auto library = make(request);
  const auto says = [&](const GwEngine* engine, uint32_t value) {
    OneStream rtl(engine);
    rtl.start();
    Beat beat;
    beat.data[0] = value;
    for (int i = 0; i < 3; ++i) rtl.clock(&beat, true);
    return rtl.failure();
  };
  EXPECT_EQ(says(library->engine(), 0), "");
  EXPECT_NE(says(library->engine(), 0x701).find("one is 7"), std::string::npos);
  EXPECT_NE(says(library->engine(), 2).find("$finish"), std::string::npos);
  EXPECT_NE(says(library->engine(), 2).find("toy.sv:"), std::string::npos);
  EXPECT_NE(says(library->engine(), 3).find("$stop"), std::string::npos);
  EXPECT_NE(says(library->engine(), 4).find("four"), std::string::npos);
  EXPECT_EQ(says(library->engine(), 5), "");
  RtlRequest bad = request;
  bad.parameters = {"Bad=1"};
  const auto refused = make(bad);
  EXPECT_NE(says(refused->engine(), 0).find("Bad is one"), std::string::npos);
}

TEST_F(Library, LoopsThatDoNotSettleEndTheEngineAlone) {
  const auto library =
      make(toy_request(toy("  logic a, b;\n"
                           "  always_comb a = s_axis_tvalid ? !b : 1'b0;\n"
                           "  always_comb b = a;\n"
                           "  always_ff @(posedge aclk) if (b) $display(\"b\");\n")));
  // Verilator warned, which refuses nothing, and the words stay.
  EXPECT_NE(library->words().find("UNOPTFLAT"), std::string::npos);
  OneStream rtl(library->engine());
  rtl.start();
  EXPECT_EQ(rtl.failure(), "");
  Beat beat;
  for (int i = 0; i < 3; ++i) rtl.clock(&beat, true);
  EXPECT_NE(rtl.failure().find("converge"), std::string::npos) << rtl.failure();
}

TEST_F(Library, FallingEdgesCount) {
  RtlRequest request =
      toy_request(toy("  logic [7:0] fell = 0;\n"
                      "  always_ff @(negedge aclk) fell <= fell + 1'b1;\n"
                      "  always_ff @(posedge aclk) count_o <= {24'b0, fell};\n",
                      ", output logic [31:0] count_o"));
  request.shape.probes = {{"count_o", 32}};
  const auto library = make(request);
  OneStream rtl(library->engine());
  rtl.start();
  const uint64_t before = rtl.probe();
  for (int i = 0; i < 10; ++i) rtl.clock(nullptr, true);
  EXPECT_EQ(rtl.probe(), before + 10);
}

TEST_F(Library, PortsThatAreNotTheDevicesAreNamedAtOnce) {
  RtlRequest request = toy_request(toy("  assign extra_o = extra_i;\n",
                                       ", input wire logic extra_i, output logic extra_o", "127"));
  request.shape.pins = {{"bound_i", 4}};
  request.shape.probes = {{"error_count_o", 32}};
  const std::string sentence = refusal(request);
  for (const char* part :
       {"toy", "input bound_i (4 bits)", "output error_count_o (32 bits)",
        "s_axis_tdata has 128 bits instead of 256", "nothing drives it: input extra_i"}) {
    EXPECT_NE(sentence.find(part), std::string::npos) << part << " is not in: " << sentence;
  }
  EXPECT_EQ(std::count(sentence.begin(), sentence.end(), '\n'), 0);
  EXPECT_EQ(compiler_runs(), 0);
}

TEST_F(Library, OutputsThatTheDeviceDoesNotHaveStayOpen) {
  RtlRequest request = toy_request(toy("  assign more_o = 3'd5, count_o = 32'd77, open_o = '1;\n",
                                       ", output logic [2:0] more_o, output logic [31:0] count_o, "
                                       "output logic [99:0] open_o"));
  request.shape.probes = {{"count_o", 32}};
  const auto library = make(request);
  EXPECT_EQ(nlohmann::json::parse(library->engine()->describe()).at("open"),
            (nlohmann::json{"more_o", "open_o"}));
  OneStream rtl(library->engine());
  rtl.start();
  EXPECT_EQ(rtl.probe(), 77u);
}

TEST_F(Library, WhatIsComparedIsInTheDevicesOrder) {
  RtlRequest request =
      toy_request(toy("  assign first_o = 3;\n  assign second_o = 33'h1_0000_0005;\n",
                      ", output logic [32:0] second_o, output logic [30:0] first_o"));
  request.shape.probes = {{"first_o", 31}, {"second_o", 33}};
  const auto library = make(request);
  OneStream rtl(library->engine());
  rtl.start();
  EXPECT_EQ(rtl.probe(), uint64_t{0x1'0000'0005} << 31 | 3);
}

TEST_F(Library, TimeIsTheWaveforms) {
  RtlRequest request =
      toy_request("`timescale 10ps/10ps\n" +
                  toy("  always @(posedge aclk) now_o <= $time;\n", ", output logic [31:0] now_o"));
  request.shape.probes = {{"now_o", 32}};
  for (const bool traced : {false, true}) {
    request.traced = traced;
    const auto library = make(request);
    const GwEngine* const e = library->engine();
    void* const self = e->make(1, nullptr);
    const GwOutputs* const shown = e->outputs(self);
    e->period(self, 6'667);
    const void* nothing[1] = {nullptr};
    const auto now = [&] { return shown->probe; };
    e->reset(self);
    EXPECT_EQ(now(), 666u);
    e->clock(self, nothing, 1);
    EXPECT_EQ(now(), 1333u);
    e->skip(self, 100);
    e->clock(self, nothing, 1);
    EXPECT_EQ(now(), 68670u);
    // What comes before another reset was before the run, and a boot that no waveform shows.
    e->reset(self);
    EXPECT_EQ(now(), 666u);
    e->harness(self, nullptr);
    e->clock(self, nothing, 1);
    const GwHarnessSignals signals = {};
    e->harness(self, &signals);
    e->clock(self, nothing, 1);
    EXPECT_EQ(now(), 1333u);
    e->drop(self);
  }
}

TEST_F(Library, COfDpiIsCompiledInAndKnownByItsContents) {
  RtlRequest request =
      toy_request(toy("  import \"DPI-C\" function int gw_times(input int value);\n"
                      "  always_comb count_o = gw_times(7);\n",
                      ", output logic [31:0] count_o"));
  request.shape.probes = {{"count_o", 32}};
  const auto count = [&] {
    const auto library = make(request);
    OneStream rtl(library->engine());
    rtl.start();
    return rtl.probe();
  };
  const std::string sentence = refusal(request);
  EXPECT_NE(sentence.find("what it imports (DPI) is in no C file of its list"), std::string::npos)
      << sentence;
  EXPECT_NE(sentence.find("gw_times"), std::string::npos);
  write(folder_ / "toy.f", "toy.sv dpi/times.c -CFLAGS -DADD=1 -CFLAGS -Imore\n");
  write(folder_ / "dpi/times.c",
        "#include \"Vtoy__Dpi.h\"\n#include \"factor.h\"\n"
        "int gw_times(int value) { int new = value; return new * FACTOR + ADD; }\n");
  write(folder_ / "more/factor.h", "#define FACTOR 2\n");
  EXPECT_EQ(count(), 15u);
  EXPECT_EQ(make(request)->origin(), RtlLibrary::Origin::kCached);
  write(folder_ / "more/factor.h", "#define FACTOR 3\n");
  EXPECT_EQ(count(), 22u);
  write(folder_ / "toy.f", "toy.sv dpi/times.c -CFLAGS -DADD=2 -CFLAGS -Imore\n");
  EXPECT_EQ(count(), 23u);
  write(folder_ / "dpi/times.c", "this is no C\n");
  EXPECT_NE(refusal(request).find("times.c:1"), std::string::npos);
}

TEST_F(Library, FileListsOfTheUser) {
  write(folder_ / "project/rtl/toy.sv",
        "`include \"settings.svh\"\n" + toy("  inner u_inner();\n"));
  write(folder_ / "project/include/settings.svh",
        "`ifndef WIDTH\nthis is no text without it\n`endif\n");
  write(folder_ / "project/lib/inner.sv", "module inner; endmodule\n");
  write(folder_ / "project/lib/lib.f", "# nested, paths from here\ninner.sv\n");
  write(folder_ / "project/top.f",
        "// a comment\n+incdir+include\n+define+WIDTH=8+DEPTH=\"a b\"\n/* two\n lines */\n-f "
        "lib/lib.f\n"
        "$GW_TEST_RTL/toy.sv rtl/toy.sv\n");
  ::setenv("GW_TEST_RTL", "rtl", 1);
  RtlRequest request = toy_request("");
  request.list = folder_ / "project/top.f";
  EXPECT_EQ(passed(make(request)->engine(), 9), 9u);

  // Parameters of the top, and headers that are found without being named.
  request.include_dirs = {GRADWIRE_SOURCE_DIR "/rtl/common"};
  write(folder_ / "project/top.f", "ours.sv -GAdd=3 -G Bad=0\n+define+MORE\n");
  write(folder_ / "project/ours.sv",
        "`include \"gw_assert.svh\"\n" + toy("  wire clk_i = aclk, rst_ni = aresetn;\n"
                                             "  `GW_ASSERT(Always, 1'b1)\n"));
  EXPECT_EQ(passed(make(request)->engine(), 9), 12u);
  const fs::path before = fs::current_path();
  fs::current_path(folder_);  // where a list is found, too, that is not beside the first one
  write(folder_ / "project/deeper/again.f", "-f project/top.f\n");
  request.list = folder_ / "project/deeper/again.f";
  EXPECT_EQ(passed(make(request)->engine(), 9), 12u);
  fs::current_path(before);
  request.list = folder_ / "project/top.f";
  write(folder_ / "project/include/gw_assert.svh",
        "`define GW_ASSERT(name, property) mine u_mine();\n");
  write(folder_ / "project/top.f", "+incdir+include ours.sv\n");
  EXPECT_NE(refusal(request).find("module: 'mine'"), std::string::npos);
  for (const char* const word : {"-G=3", "-GAdd", "-GAdd="}) {
    write(folder_ / "project/top.f", "rtl/toy.sv\n" + std::string(word) + "\n");
    EXPECT_NE(refusal(request).find(std::string("top.f:2: '") + word + "' is not of the form"),
              std::string::npos);
  }

  write(folder_ / "project/top.f", "\nrtl/missing.sv\n");
  EXPECT_NE(refusal(request).find("top.f:2: there is no file 'rtl/missing.sv'"), std::string::npos);
  write(folder_ / "project/top.f", "--sc rtl/toy.sv\n");
  EXPECT_NE(refusal(request).find("'--sc' is no option of a file list"), std::string::npos);
  write(folder_ / "project/top.f", "-f top.f\n");
  EXPECT_NE(refusal(request).find("names itself"), std::string::npos);
  write(folder_ / "project/top.f", "$GW_TEST_NOTHING/toy.sv\n");
  EXPECT_NE(refusal(request).find("the environment has no 'GW_TEST_NOTHING'"), std::string::npos);
  for (const char* const name : {"project/none.f", "project"}) {
    request.list = folder_ / name;
    EXPECT_NE(refusal(request).find("cannot read the file list"), std::string::npos) << name;
  }
}

TEST_F(Library, NetlistsComeFromYosysAndAreKeptByWhatTheyAreMadeOf) {
  RtlRequest request =
      toy_request(toy("`include \"more.svh\"\n  parameter Text = \"slow\";\n"
                      "  assign count_o = Text == \"a fast\" ? 5 : 6;\n",
                      ", output logic [31:0] count_o"));
  request.shape.probes = {{"count_o", 32}};
  write(folder_ / "headers/more.svh", "// one\n");
  request.include_dirs = {folder_ / "headers"};
  const auto rtl = make(request);
  request.netlist = "generic";
  const auto netlist = make(request);
  EXPECT_EQ(netlist->origin(), RtlLibrary::Origin::kBuilt);
  EXPECT_GT(netlist->yosys_seconds(), 0);
  OneStream a(netlist->engine()), b(rtl->engine());
  a.start();
  b.start();
  uint64_t seen = 0;
  EXPECT_EQ(compare(a, b, random_gradients(500, 3), 3, &seen), "");
  EXPECT_GT(seen, 100u);
  const nlohmann::json facts = nlohmann::json::parse(netlist->engine()->describe());
  EXPECT_TRUE(facts.at("netlist").get<std::string>().starts_with("Yosys"));
  EXPECT_EQ(make(request)->origin(), RtlLibrary::Origin::kCached);

  EXPECT_EQ(a.probe(), 6u);
  request.parameters = {"Add=3", "Text=\"a fast\""};
  const auto set = make(request);
  EXPECT_EQ(passed(set->engine(), 5), 8u);
  EXPECT_EQ(OneStream(set->engine()).probe(), 5u);
  write(folder_ / "headers/more.svh", "// two\n");
  EXPECT_EQ(make(request)->origin(), RtlLibrary::Origin::kBuilt);
  write(folder_ / "toy.sv", toy("nonsense"));
  EXPECT_NE(refusal(request).find("toy Add=3 Text=\"a fast\" as a netlist: the synthesis fails"),
            std::string::npos);
  options_.yosys = "no-yosys";
  EXPECT_NE(refusal(request).find("there is no Yosys here ('no-yosys')"), std::string::npos);
}

TEST_F(Library, NetlistsAreKeptByTheFilesThatYosysOpens) {
  // Yosys reads memories where it reads the RTL: what is in them is part of the netlist.
  RtlRequest request =
      toy_request(toy("  `include \"more.svh\"\n  logic [31:0] rom[0:0];\n"
                      "  initial $readmemh(\"with blank.hex\", rom);\n"
                      "  always_ff @(posedge aclk) count_o <= rom[0] + `More;\n",
                      ", output logic [31:0] count_o"));
  request.shape.probes = {{"count_o", 32}};
  write(folder_ / "with blank.hex", "5\n");
  write(folder_ / "headers/more.svh", "`define More 32'd10\n");
  write(folder_ / "headers/other.svh", "// nobody reads it\n");
  request.include_dirs = {folder_ / "headers"};
  request.netlist = "generic";
  const auto count = [&](RtlLibrary::Origin origin) {
    const auto library = make(request);
    EXPECT_EQ(library->origin(), origin);
    OneStream rtl(library->engine());
    rtl.start();
    rtl.clock(nullptr, true);
    return rtl.probe();
  };
  EXPECT_EQ(count(RtlLibrary::Origin::kBuilt), 15u);
  EXPECT_EQ(count(RtlLibrary::Origin::kCached), 15u);
  write(folder_ / "with blank.hex", "6\n");
  EXPECT_EQ(count(RtlLibrary::Origin::kBuilt), 16u);
  write(folder_ / "headers/more.svh", "`define More 32'd20\n");
  EXPECT_EQ(count(RtlLibrary::Origin::kBuilt), 26u);
  write(folder_ / "headers/other.svh", "// nor now\n");
  EXPECT_EQ(count(RtlLibrary::Origin::kCached), 26u);
}

TEST_F(Library, AListBehindALinkReadsWhatItNames) {
  // `../` begins where the folder really is, for a list as for a source that is named beside it.
  RtlRequest request = toy_request(toy(""));
  fs::create_directories(folder_ / "tree/real/lists");
  fs::create_directories(folder_ / "tree/real/sources");
  fs::rename(folder_ / "toy.sv", folder_ / "tree/real/sources/toy.sv");
  fs::create_directory_symlink("tree/real/lists", folder_ / "linked");
  write(folder_ / "linked/toy.f", "../sources/toy.sv\n");
  request.list = folder_ / "linked/toy.f";
  request.sources = {folder_ / "beside.sv"};
  write(folder_ / "beside.sv", "module beside; endmodule\n");
  const auto library = make(request);
  EXPECT_EQ(library->origin(), RtlLibrary::Origin::kBuilt);
  for (const fs::path& source : {request.sources[0], folder_ / "tree/real/sources/toy.sv"}) {
    EXPECT_EQ(std::ranges::count(library->sources(), source), 1) << source;
  }
}

TEST_F(Library, ProgressIsTold) {
  std::vector<std::string> steps;
  options_.progress = [&](const BuildProgress& p) {
    EXPECT_EQ(p.what, "toy Add=1");
    EXPECT_GE(p.seconds, 0);
    if (p.done) steps.push_back(p.step);
  };
  RtlRequest request = toy_request(toy(""));
  request.parameters = {"Add=1"};
  make(request);
  EXPECT_EQ(steps, (std::vector<std::string>{"Verilator", "compiler"}));
}

}  // namespace
}  // namespace gw::testbenches::library_test
