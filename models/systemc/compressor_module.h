// gw_compressor: the compressor with pins named as the RTL's (docs/devices/compressor.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/systemc/codec_module.h"
#include "models/systemc/compressor.h"

namespace gw::systemc {

class gw_compressor : public CodecModule<Compressor> {
 public:
  explicit gw_compressor(const sc_core::sc_module_name& name) : CodecModule(name) {}
};

}  // namespace gw::systemc
