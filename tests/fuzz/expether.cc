// Any bytes as an ExpEther frame: as they are, and with a checksum that is right.
// SPDX-License-Identifier: Apache-2.0
#include "models/reference/capture/bytes.h"
#include "models/reference/expether/frame.h"
#include "tests/fuzz/input.h"

namespace expether = gw::reference::expether;
using gw::fuzz::require;

namespace {

expether::Classified look(const std::vector<uint8_t>& frame) {
  const expether::Classified what = expether::classify(frame);
  require((what.kind == expether::Kind::kMalformed) == (what.reason != expether::Reason::kNone),
          "a reason exactly if malformed");
  if (!what.carries_values()) return what;
  const std::vector<uint32_t> values = expether::values_of(frame, what);
  require(values.size() == what.fields.count && !values.empty() &&
              values.size() <= expether::kMaxValues,
          "count");
  require(frame.size() >= expether::kPayloadOffset + 4 * values.size(), "values beyond the frame");
  // The values of a gradient that comes back as a parameter: still whole, still right.
  std::vector<uint8_t> answer = frame;
  expether::rewrite(answer, expether::kTypeParameter,
                    static_cast<uint8_t>(what.fields.flags & expether::kFlagTlp3Dw), values);
  const expether::Classified again = expether::classify(answer);
  require(again.kind == expether::Kind::kParameter, "rewritten, it is no parameter");
  require(expether::values_of(answer, again) == values, "rewritten, it has other values");
  return what;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<uint8_t> frame(data, data + size);
  const expether::Classified as_is = look(frame);
  if (frame.size() < expether::kTlp4Offset) return 0;
  gw::capture::store16(frame, expether::kChecksumOffset, expether::checksum(frame));
  const expether::Classified amended = look(frame);
  require(amended.reason != expether::Reason::kBadChecksum, "a right checksum is called bad");
  require((as_is.kind == expether::Kind::kNotExpEther) ==
              (amended.kind == expether::Kind::kNotExpEther),
          "the checksum decides what is ExpEther");
  return 0;
}
