#include "testbenches/engine/compiled_rtl.h"

#include <fmt/ranges.h>

#include "sim/base/error.h"
#include "testbenches/engine/linked.h"

namespace gw::testbenches {

CompiledRtl compile_rtl(const sim::Device::Facts& facts,
                        const std::vector<std::pair<std::string, std::string>>& parameters,
                        const sim::RunSpec&, bool traced) {
  std::vector<std::string> settings;
  for (const auto& [name, value] : parameters) settings.push_back(name + "=" + value);
  if (const GwEngine* const linked = linked_engine(facts.top, settings, traced)) {
    return CompiledRtl(std::shared_ptr<const GwEngine>(linked, [](const GwEngine*) {}));
  }
  throw sim::UsageError(fmt::format("there is no RTL of {} with {}", facts.top, fmt::join(settings, " ")));
}

}  // namespace gw::testbenches
