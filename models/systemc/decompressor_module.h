// gw_decompressor: the decompressor with pins named as the RTL's (docs/devices/decompressor.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/systemc/codec_module.h"
#include "models/systemc/decompressor.h"

namespace gw::systemc {

class gw_decompressor : public CodecModule<Decompressor> {
 public:
  explicit gw_decompressor(const sc_core::sc_module_name& name) : CodecModule(name) {}
};

}  // namespace gw::systemc
