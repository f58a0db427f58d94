// The device `switch`: four ports, aggregation and optimizer in the path (docs/devices/switch.md).
#include "testbenches/engine/runner.h"
#include "testbenches/switch/models.h"
#include "testbenches/switch/oracle.h"
#include "testbenches/switch/switch_devices.h"
#include "testbenches/switch/traffic.h"
#include "testbenches/switch/wiring.h"

namespace gw::testbenches {
namespace {

constexpr reference::Blocks kBlocks = {.aggregation = true, .optimization = true, .lookup = true};

class SwitchDevice final : public DeviceOf<SwitchPorts, SwitchModel> {
 public:
  SwitchDevice()
      : DeviceOf({.name = "switch",
                  .summary = "four-port 10GbE switch with aggregation and optimizer in the path "
                             "(IEICE'21, 5.1)",
                  .clock_mhz = 200,
                  .frames = true,
                  .line_rate = sim::LineRate::kPorts,
                  .top = "gw_switch",
                  .file_list = "rtl/switch/gw_switch.f",
                  .pins = {{"workers_i", 5}, {"group_i", 16}, {"depth_i", 11}},
                  .host_writes = true,
                  .probe = {{"event_o", 19}},
                  .statistics = statistic_names(kBlocks),
                  .inside = {"u_core.active", "u_core.port[1:0]", "u_core.serve",
                             "u_core.parsed_valid", "u_core.parsed_ready", "u_core.summed_valid",
                             "u_core.summed_ready", "u_core.out_valid", "u_core.mask[3:0]"},
                  .options = network_options(kBlocks),
                  .stimuli = frame_synth_kinds()}) {}

  void check(const sim::RunSpec& spec) const override {
    network_spec(spec.options);
    traffic_spec(spec.options);
  }
  std::unique_ptr<sim::Source> source(const sim::RunSpec& spec) const override {
    return open_frames(spec, /*by_port=*/true);
  }
  std::unique_ptr<sim::PacketWriter> writer(const std::string& path, const sim::Source& source,
                                            const sim::RunSpec& spec) const override {
    return timed_writer(path, source, spec.clock_mhz);
  }

 protected:
  std::unique_ptr<SwitchModel> model(const sim::RunSpec& spec) const override {
    return std::make_unique<SwitchModel>(network_spec(spec.options));
  }
  std::unique_ptr<sim::Oracle<Beat>> oracle(const sim::RunSpec& spec) const override {
    return std::make_unique<SwitchOracle>(network_spec(spec.options), spec.seed);
  }
  sim::Boot boot(const sim::RunSpec& spec) const override {
    return boot_of(kBlocks, network_spec(spec.options), spec.seed);
  }
  Parameters parameters(const sim::RunSpec& spec) const override {
    return rtl_parameters(kBlocks, network_spec(spec.options));
  }
  PinValues pins(const sim::RunSpec& spec) const override {
    return aggregator_pins(network_spec(spec.options));
  }
  std::string describe(bool, size_t, const sim::Packet<Beat>& packet, size_t beat) const override {
    return describe_frame(packet, beat);
  }
};

}  // namespace

std::unique_ptr<sim::Device> make_switch() { return std::make_unique<SwitchDevice>(); }

}  // namespace gw::testbenches
