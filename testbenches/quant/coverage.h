// What is counted of the quantisers' packets: formats and residuals, lengths announced and come,
// values, codes, what is wrong; of the decoder's: formats, reasons, where they are found.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "models/axis/beat.h"
#include "sim/coverage/streams.h"
#include "testbenches/quant/options.h"

namespace gw::testbenches {

std::unique_ptr<sim::coverage::Family<Beat>> quantiser_coverage(const QuantiserFacts& facts,
                                                                uint32_t rows);
std::unique_ptr<sim::coverage::Family<Beat>> dequantizer_coverage();

}  // namespace gw::testbenches
