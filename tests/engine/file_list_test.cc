// Lists of RTL are read as `verilator -f` reads them.
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/library/file_list.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "sim/base/error.h"

namespace gw::testbenches {
namespace {

namespace fs = std::filesystem;
using Kind = FileList::Kind;
using Words = std::vector<std::string>;

class Lists : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(GW_TEST_FOLDER) / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    for (const char* file : {"a.sv", "b.v", "rtl/c.sv", "rtl/d.sv", "with blank/e.sv", "dpi/f.c"}) {
      write(file, "");
    }
    before_ = fs::current_path();
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  FileList read(const std::string& text, const ListFolders& folders = {}) const {
    write("list.f", text);
    return read_file_list(folder_ / "list.f", folders);
  }
  Words words(const std::string& text) const { return read(text).verilator_words(); }
  std::string refusal(const std::string& text) const {
    try {
      read(text);
    } catch (const sim::InputError& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_, before_;
};

TEST_F(Lists, WordsAreSplitAsVerilatorSplitsThem) {
  EXPECT_EQ(words("\xEF\xBB\xBF"
                  "a.sv\r\nb.v\t rtl/c.sv"),
            (Words{"a.sv", "b.v", "rtl/c.sv"}));
  EXPECT_EQ(words("a.sv \\\n  b.v\\\r\nrtl/c.sv \\"), (Words{"a.sv", "b.v", "rtl/c.sv"}));
  EXPECT_EQ(words("\"with blank/e.sv\" with\\ blank/e.sv"), (Words{"with blank/e.sv"}));
  EXPECT_EQ(words("a.sv // b.v\n# b.v\n/* b.v\n b.v */ rtl//c.sv /*x*/ rtl/d.sv # b.v"),
            (Words{"a.sv", "rtl/c.sv", "rtl/d.sv"}));
  EXPECT_EQ(refusal("a.sv\nb.v /* no end"),
            (folder_ / "list.f").string() + ":2: the comment has no end");
  EXPECT_EQ(refusal("a.sv \\\n\nmissing.sv"),
            (folder_ / "list.f").string() + ":3: there is no file 'missing.sv'");
}

TEST_F(Lists, StringsKeepTheirQuotes) {
  EXPECT_EQ(read(R"(-GMODE=\"fast\" -G N=8'hFF -GT='"a b"' -pvalue+W=3)").parameters,
            (Words{"MODE=\"fast\"", "N=8'hFF", "T=\"a b\"", "W=3"}));
  EXPECT_EQ(words(R"(+define+A=\"x\"+B -DC="d e" +define+F="\"g h\"")"),
            (Words{"-DA=\"x\"", "-DB", "-DC=d e", "-DF=\"g h\""}));
}

TEST_F(Lists, OptionsGoToVerilatorOrAreGradwiresOwn) {
  EXPECT_EQ(words("-Wno-WIDTH -Wall -timescale 1ns/1ps --timescale=1ns/10ps +libext+.v+.sv "
                  "-y rtl -v b.v +incdir+rtl+dpi -Irtl --language 1800-2017 +1800-2017ext+sv"),
            (Words{"-Wno-WIDTH", "-Wall", "--timescale", "1ns/1ps", "--timescale", "1ns/10ps",
                   "+libext+.v+.sv", "-y", "rtl", "-v", "b.v", "-Irtl", "-Idpi", "-Irtl",
                   "--language", "1800-2017", "+1800-2017ext+sv"}));
  EXPECT_EQ(words("--cc --exe -O3 -j 4 --trace --top-module x -Mdir obj --timing -sv a.sv"),
            (Words{"a.sv"}));
  for (const char* const word : {"--sc", "--nonsense", "+nonsense", "--cc=3"}) {
    EXPECT_NE(refusal(word).find(std::string("'") + word + "' is no option of a file list here"),
              std::string::npos);
  }
  EXPECT_NE(refusal("a.sv --timescale").find(":1: --timescale wants a value"), std::string::npos);
}

TEST_F(Lists, PathsAreTheListsThenTheCurrentFoldersThenThoseAbove) {
  write("deep/down/list.f", "x.sv");
  const auto source = [&] {
    return read_file_list(folder_ / "deep/down/list.f").all(Kind::kSource);
  };
  EXPECT_THROW(source(), sim::InputError);
  write("x.sv", "");
  EXPECT_EQ(source(), (Words{"../../x.sv"}));
  write("elsewhere/x.sv", "");
  fs::current_path(folder_ / "elsewhere");
  EXPECT_EQ(source(), (Words{"../../elsewhere/x.sv"}));
  write("deep/down/x.sv", "");
  EXPECT_EQ(source(), (Words{"x.sv"}));
  // What is nowhere may come with the program.
  write("program/rtl/own.sv", "");
  EXPECT_EQ(read("rtl/own.sv", {.last = folder_ / "program"}).all(Kind::kSource),
            (Words{"program/rtl/own.sv"}));
}

TEST_F(Lists, PathsOfFurtherListsAreTheOutersOrTheirOwn) {
  write("x.sv", "");
  write("rtl/x.sv", "");
  write("rtl/more.f", "x.sv");
  EXPECT_EQ(words("-f rtl/more.f"), (Words{"x.sv"}));
  EXPECT_EQ(words("-F rtl/more.f"), (Words{"rtl/x.sv"}));
  write("rtl/more.f", "c.sv");
  EXPECT_EQ(words("-f rtl/more.f"), (Words{"rtl/c.sv"})) << "which is only beside it";
}

TEST_F(Lists, AFolderMayLieBehindALink) {
  write("tree/real/list.f", "");
  fs::create_directory_symlink("tree/real", folder_ / "linked");
  write("linked/list.f", "../above.sv ../../a.sv beside.sv");
  write("tree/above.sv", "");
  write("tree/real/beside.sv", "");
  const FileList list = read_file_list(folder_ / "linked/list.f");
  EXPECT_EQ(list.base, folder_ / "tree/real");
  const Words sources = list.all(Kind::kSource);
  ASSERT_EQ(sources.size(), 3u);
  const char* const files[] = {"tree/above.sv", "a.sv", "tree/real/beside.sv"};
  for (size_t i = 0; i < sources.size(); ++i) {
    ASSERT_TRUE(fs::exists(list.base / sources[i])) << sources[i];
    EXPECT_TRUE(fs::equivalent(list.base / sources[i], folder_ / files[i])) << sources[i];
  }
}

TEST_F(Lists, OneSourceIsAListOfOne) {
  for (const char* const name : {"a.sv", "b.v"}) {
    const FileList list = read_file_list(folder_ / name);
    EXPECT_EQ(list.all(Kind::kSource), (Words{name}));
    EXPECT_EQ(list.base, folder_);
  }
  EXPECT_THROW(read_file_list(folder_ / "none.sv"), sim::InputError);
  fs::current_path(folder_);
  write("here.f", "a.sv");
  for (const char* const name : {"a.sv", "here.f"}) {
    EXPECT_EQ(read_file_list(name).all(Kind::kSource), (Words{"a.sv"}));
    EXPECT_EQ(read_file_list(name).base, folder_);
  }
}

TEST_F(Lists, OtherLanguagesAreTakenOrRefusedInWords) {
  const FileList list = read("a.sv dpi/f.c -CFLAGS \"-DX -O2\" -LDFLAGS -lm");
  EXPECT_EQ(list.all(Kind::kC), (Words{"dpi/f.c"}));
  EXPECT_EQ(list.verilator_words(), (Words{"a.sv"}));
  EXPECT_EQ(list.c_flags, (Words{"-DX", "-O2"}));
  EXPECT_EQ(list.link_flags, (Words{"-lm"}));
  write("g.VHD", "");
  write("h.o", "");
  EXPECT_NE(refusal("a.sv\ng.VHD").find("list.f:2: 'g.VHD' is VHDL"), std::string::npos);
  EXPECT_NE(refusal("h.o").find("is compiled already"), std::string::npos);
  EXPECT_NE(refusal("rtl").find("'rtl' is a folder"), std::string::npos);
}

TEST_F(Lists, AListWrittenAnewReadsTheSame) {
  const std::string text =
      R"(+incdir+rtl +define+A=\"x\ y\" -y rtl -v b.v +libext+.v -Wno-WIDTH --timescale 1ns/1ps
      "with blank/e.sv" dpi/f.c -GN=8'hF -GS=\"a\\b\" -CFLAGS -DX=\"1\" -LDFLAGS -lm)";
  const FileList list = read(text);
  write("list.f", list.text([](const FileList::Item& item) { return item.text; }));
  const FileList again = read_file_list(folder_ / "list.f");
  EXPECT_EQ(again.verilator_words(), list.verilator_words());
  EXPECT_EQ(again.all(Kind::kC), list.all(Kind::kC));
  EXPECT_EQ(again.parameters, list.parameters);
  EXPECT_EQ(again.c_flags, list.c_flags);
  EXPECT_EQ(again.link_flags, list.link_flags);
  EXPECT_EQ(list.parameters.back(), "S=\"a\\b\"");
}

}  // namespace
}  // namespace gw::testbenches
