// `gradwire train` as scripts see it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/sanitized.h"
#include "tests/training/mnist.h"

namespace gw::tests::train_cli_test {
namespace {

namespace fs = std::filesystem;

class Train : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fmt::format("gradwire-train-{}", ::getpid());
    fs::create_directories(folder_ / "empty");
  }
  void TearDown() override { fs::remove_all(folder_); }

  struct Result {
    int code = -1;
    std::string out, err;
  };
  Result train(const std::string& arguments) const {
    const std::string err = (folder_ / "stderr").string();
    std::FILE* pipe =
        popen(fmt::format("{} train {} 2> {}", GRADWIRE_BINARY, arguments, err).c_str(), "r");
    Result result;
    std::array<char, 4096> buffer;
    size_t n;
    while ((n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0) {
      result.out.append(buffer.data(), n);
    }
    const int status = pclose(pipe);
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    std::stringstream text;
    text << std::ifstream(err).rdbuf();
    result.err = text.str();
    return result;
  }
  /// Digits are drawn, or for sanitizers fewer are read.
  std::string data() const {
    if (!kSanitized) return "";
    training::write_mnist(folder_ / "mnist", 500);
    return " --data " + (folder_ / "mnist").string();
  }
  fs::path folder_;
};

void expect_sentence(const std::string& err, const std::string& part) {
  std::string sentences;
  std::istringstream lines(err);
  int count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# ")) continue;
    sentences += line;
    ++count;
  }
  EXPECT_EQ(count, 1) << err;
  EXPECT_TRUE(sentences.starts_with("gradwire: ")) << err;
  EXPECT_NE(sentences.find(part), std::string::npos) << err;
}

TEST_F(Train, RefusesInASentence) {
  const std::string empty = (folder_ / "empty").string();
  for (const auto& [arguments, part] : std::vector<std::pair<std::string, std::string>>{
           {"", "--codec"},
           {"--codec zip", "zip"},
           {"--codec adaptive:p=0", "p=0"},
           {"--codec adaptive:p=11", "p=11"},
           {"--codec bgt:t=2^101", "t="},
           {"--codec none --exchange star", "star"},
           {"--codec none --optimizer lamb", "lamb"},
           {"--codec none --optimizer adagrad --momentum 0.5", "--momentum"},
           {"--codec none --optimizer sgd --eps 1e-8", "--eps"},
           {"--codec none --step between", "between"},
           {"--codec none --optimizer adam --step before-second", "--exchange direct"},
           {"--preset tgs --step before-second", "--exchange direct"},
           {"--codec none --workers 1", "--workers 1"},
           {"--codec none --workers 65", "--workers 65"},
           {"--codec none --batch 0", "--batch 0"},
           {"--codec none --rate -1", "--rate"},
           {"--codec none --jobs 0" + data(), "--jobs"},
           {"--codec onebit --exchange direct --sum-scale 2", "--sum-scale"},
           {"--preset none", "--preset"},
           {"--preset tgs --codec none", "--codec"},
           {"--codec none --data " + empty, "t10k"},
           {"--codec none --data " + (folder_ / "nowhere").string(), "t10k"}}) {
    const Result r = train(arguments);
    EXPECT_EQ(r.code, 2) << arguments;
    EXPECT_EQ(r.out, "") << arguments;
    expect_sentence(r.err, part);
  }
}

TEST_F(Train, ADamagedFileIsABadFile) {
  for (const char* name : {"t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"}) {
    std::ofstream(folder_ / "empty" / name) << "no idx";
  }
  const Result r = train("--codec none --data " + (folder_ / "empty").string());
  EXPECT_EQ(r.code, 3);
  expect_sentence(r.err, "idx");
}

TEST_F(Train, SameDocumentTwice) {
  const std::string arguments =
      "--codec none --codec qgt:t=2^-10 --exchange ring --workers 2 --iterations 2 --batch 10 "
      "--quiet --json -" +
      data();
  const Result first = train(arguments), second = train(arguments);
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.err, "");
  EXPECT_EQ(first.out, second.out);
  const auto document = nlohmann::json::parse(first.out);
  EXPECT_EQ(document["codecs"][1]["codec"], "qgt:t=2^-10");
  EXPECT_EQ(document["training"]["exchange"], "ring");
}

TEST_F(Train, DivergingEndsWithOne) {
  const fs::path page = folder_ / "page.html";
  const Result r = train("--codec none --workers 2 --iterations 20 --batch 10 --rate 1000 --html " +
                         page.string() + data());
  EXPECT_EQ(r.code, 1);
  expect_sentence(r.err, "no longer finite at iteration");
  EXPECT_NE(r.out.find("diverged"), std::string::npos);
  EXPECT_TRUE(fs::exists(page));
}

}  // namespace
}  // namespace gw::tests::train_cli_test
