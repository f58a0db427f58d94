// Requests for the project's own tops, and for toy RTL, as the tests make them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "testbenches/library/library.h"

namespace gw::testbenches {

inline EngineShape one_stream(int user_in, int user_out) {
  EngineShape shape;
  shape.inputs = {{"s_axis", "s_axis", 0, 1, user_in, false}};
  shape.outputs = {{"m_axis", "m_axis", 0, 1, user_out, false}};
  return shape;
}

inline EngineShape codec_shape() {
  EngineShape shape = one_stream(1, 1);
  shape.pins = {{"bound_i", 4}, {"bounded_i", 1}};
  shape.probes = {{"error_count_o", 32}};
  return shape;
}

/// compressor, decompressor, or optimizer.
inline RtlRequest own_request(const std::string& name) {
  RtlRequest request;
  request.top = "gw_" + name;
  request.base = GRADWIRE_SOURCE_DIR;
  request.own = true;
  if (name == "optimizer") {
    request.list = request.base / "rtl/switch/gw_optimizer.f";
    request.shape = one_stream(2, 192);
    request.shape.pins = {{"cfg_valid_i", 1}, {"cfg_address_i", 32}, {"cfg_data_i", 32}};
    request.shape.probes = {{"stat_o", 16 * 32}};
  } else {
    request.list = request.base / ("rtl/codec/gw_" + name + ".f");
    request.shape = codec_shape();
  }
  return request;
}

}  // namespace gw::testbenches
