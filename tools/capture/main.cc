// gradwire-capture: the parts of capture.sh that are not shell. See README.md.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "tools/capture/manifest.h"
#include "tools/capture/steps.h"
#include "tools/capture/worker.h"

int main(int argc, char** argv) {
  CLI::App app{
      "Trains the HDC network with real workers and captures their gradient exchange.\n"
      "capture.sh runs it: it needs one network namespace for each worker."};
  app.require_subcommand(1);

  gw::capture::WorkerOptions o;
  auto* worker = app.add_subcommand("worker", "one of the workers");
  worker->add_option("--rank", o.rank, "which, from 0; worker 1 captures")->required();
  worker->add_option("--addresses", o.addresses, "IPv4 addresses of all workers, by rank")
      ->required()
      ->delimiter(',');
  worker->add_option("--interface", o.interface, "to capture on");
  worker->add_option("--data", o.data, "folder of the MNIST files (idx, gz); else draw digits");
  auto* output = worker->add_option("--output", o.output, "folder for the captures");
  auto* copy = worker->add_option("--copy", o.copy, "file that is copied beside, for mixed.pcap");
  bool no_capture = false;
  worker->add_flag("--no-capture", no_capture, "only train")->excludes(output, copy);
  worker
      ->add_option("--quantise", o.quantise,
                   "NICs with the bound 2^-k are on the way: weights stay equal, bit for bit")
      ->check(CLI::Range(1, 14));
  worker->add_option("--seed", o.seed, "of weights, batches and drawn digits");
  worker->add_option("--max-bytes", o.max_file_bytes, "of a capture");
  worker->add_option("--iterations", o.iterations,
                     "(as many epochs as 10000 iterations of MNIST's 60000 images)");
  worker->add_option("--batch", o.batch, "a worker (25)");
  worker->add_option("--learning-rate", o.learning_rate, "(0.1)");
  worker->add_option("--reduction-iterations", o.reduction_iterations,
                     "learning rate / 5 every so many (a fifth of the iterations)");
  worker->add_option("--early", o.early, "iteration to capture (10)");
  worker->add_option("--middle", o.middle, "(an eighth)");
  worker->add_option("--mixed", o.mixed, "(an eighth + 1)");
  worker->add_option("--late", o.late, "(the last)");
  worker->add_flag("--sum", o.sum, "update by the sum of the gradients, not their mean");

  std::string folder, sums, command;
  auto* manifest = app.add_subcommand("manifest", "writes manifest.json");
  manifest->add_option("folder", folder)->required();
  manifest->add_option("--sums", sums, "output of sha256sum")->required();
  manifest->add_option("--command", command, "how the captures were made")->required();

  gw::capture::StepsOptions steps_options;
  auto* steps = app.add_subcommand(
      "steps",
      "one worker's gradients in iterations that follow each other, in frames made for them");
  steps->add_option("file", steps_options.file, "capture to write")->required();
  steps->add_option("--data", steps_options.data, "folder of the MNIST files; else draw digits");
  steps->add_option("--seed", steps_options.seed, "of weights, batches and drawn digits");
  steps->add_option("--worker", steps_options.worker, "of four")->check(CLI::Range(0, 3));
  steps->add_option("--first", steps_options.first_iteration, "iteration");
  steps->add_option("--iterations", steps_options.iterations, "from there on");
  steps->add_option("--parameter", steps_options.first_value, "the first");
  steps->add_option("--values", steps_options.values, "from there on, in each iteration");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  try {
    o.watch = !no_capture;
    if (*worker && o.watch && (o.output.empty() || o.copy.empty())) {
      throw std::runtime_error("--output and --copy are needed, or --no-capture.");
    }
    if (*worker) gw::capture::run_worker(o);
    if (*steps) gw::capture::write_steps(steps_options);
    if (*manifest) gw::capture::write_manifest(folder, sums, command);
  } catch (const std::exception& e) {
    if (*worker) fmt::print(stderr, "worker {}: ", o.rank);
    fmt::print(stderr, "{}\n", e.what());
    return 4;
  }
  return 0;
}
